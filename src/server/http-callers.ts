/** Who makes an HTTP request, and what runs on its connection. A connection may carry many at once: the next may be sent before the answer. */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ForetraceError } from '../errors.js';
import { bearerKey, type KeyRing } from './auth.js';
import { ConnectionRequests } from './connection-requests.js';
import type { ServiceLimits } from './limits.js';
import type { CallContext, DebugService } from './service.js';

export class HttpCallers {
  private readonly accounts = new WeakMap<FastifyRequest, string>();
  /** By socket: of requests that wait for the answer to an earlier one, the response knows no socket and does not end with it. */
  private readonly connections = new WeakMap<Socket, ConnectionRequests<FastifyRequest>>();

  constructor(
    private readonly service: DebugService,
    private readonly keys: KeyRing,
    private readonly limits: Pick<ServiceLimits, 'maxRunningPerConnection'>,
  ) {}

  /** Makes sure who asks, and counts it. @throws ForetraceError unauthorized, rate_limited */
  admit(request: FastifyRequest): void {
    const account = this.keys.required
      ? this.keys.account(bearerKey(request.headers.authorization))
      : `http:${request.ip}`;
    this.service.rate.take(account);
    this.accounts.set(request, account);
  }

  /** Runs the call of a request that was admitted; it ends with its connection. @throws ForetraceError rate_limited, cancelled */
  async run<Result>(
    request: FastifyRequest,
    call: (context: CallContext) => Promise<Result> | Result,
  ): Promise<Result> {
    const { socket } = request.raw;
    // The body of one that was sent before the connection closed may be read after that.
    if (socket.destroyed) throw new ForetraceError('cancelled', 'the connection has closed');
    const running = this.runningOn(socket);
    // Of a connection whose answers pile up Node.js reads no more, not even that it has closed: what runs would run on for nobody.
    if (running.refused >= this.limits.maxRunningPerConnection) socket.destroy();
    running.assertRoom();
    const { 'idempotency-key': key } = request.headers;
    const caller = {
      client: this.accounts.get(request) as string,
      isolated: this.keys.required,
      key: typeof key === 'string' ? key : '',
    };
    return running.run(request, async (controller) =>
      call({ ...caller, signal: controller.signal, controller }),
    );
  }

  private runningOn(socket: Socket): ConnectionRequests<FastifyRequest> {
    const known = this.connections.get(socket);
    if (known) return known;
    const running = new ConnectionRequests<FastifyRequest>(this.limits.maxRunningPerConnection);
    this.connections.set(socket, running);
    socket.once('close', () => running.abortAll());
    return running;
  }
}
