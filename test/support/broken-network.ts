/** A network between client and server that can be broken in all the ways networks break. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class BrokenNetwork {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  /** Bytes of the server are thrown away. */
  private muted = false;
  /** Bytes of the clients are thrown away. */
  private deaf = false;
  /** Connections that were made. */
  count = 0;

  private constructor(private readonly server: Server) {}

  /** @param target port of the server on the loopback interface */
  static async start(target: number): Promise<BrokenNetwork> {
    const server = createServer();
    const network = new BrokenNetwork(server);
    server.on('connection', (client) => network.join(client, connect(target, '127.0.0.1')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the network is closed');
    return `ws://127.0.0.1:${address.port}/v1/socket`;
  }

  /** Ends all connections at once. */
  cut(): void {
    this.muted = false;
    this.deaf = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /** From now on the answers of the server are lost. */
  mute(): void {
    this.muted = true;
  }

  /** From now on what the clients say is lost. */
  deafen(): void {
    this.deaf = true;
  }

  /** The cable is out: both ends believe that they are connected. New connections work. */
  breakAll(): void {
    for (const [client, server] of this.pairs) {
      for (const socket of [client, server]) {
        socket.removeAllListeners('data');
        socket.removeAllListeners('close');
        socket.on('data', () => undefined);
      }
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, server: Socket): void {
    this.count += 1;
    const pair = [client, server] as const;
    this.pairs.add(pair);
    client.on('data', (bytes) => this.deaf || server.write(bytes));
    server.on('data', (bytes) => this.muted || client.write(bytes));
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
  }
}
