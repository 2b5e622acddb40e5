/**
 * Connections that ask to become something else than HTTP. Node.js hands them over and forgets them: no timeout holds for them any more, and closing the server
 * waits for them. Those that become no WebSocket are closed with their answer.
 */
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

export class Upgrades {
  private readonly sockets = new Set<Duplex>();

  constructor(app: FastifyInstance) {
    app.server.prependListener('upgrade', ({ method }, socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      // A body would never come.
      if (method !== 'GET') socket.destroy();
    });
    app.addHook('onRequest', async ({ headers }, reply) => {
      if (headers.upgrade !== undefined) reply.header('connection', 'close');
    });
    // Of a WebSocket this is called when it has closed.
    app.addHook('onResponse', async ({ raw }) => {
      if (this.sockets.has(raw.socket)) raw.socket.destroySoon();
    });
  }

  /** Cuts those that are left. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
