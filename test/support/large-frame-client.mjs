/** A client in a process of its own that sends one large frame on each of a few connections; prints the codes with which they were closed. */
import WebSocket from 'ws';

const [, , url, bytes, count] = process.argv;
const codes = [];
for (let attempt = 0; attempt < Number(count); attempt += 1) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('error', () => undefined);
  socket.on('open', () => socket.send(new Uint8Array(Number(bytes))));
  codes.push(await new Promise((resolve) => socket.on('close', resolve)));
}
console.log(JSON.stringify(codes));
