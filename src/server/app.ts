/** Builds the fastify app without listening, so that tests inject and `serve` listens. */
import rateLimit from '@fastify/rate-limit';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ForetraceError } from '../errors.js';
import type { EngineInfo, PoolStats } from '../native/addon-types.js';
import type { ModelAccess } from '../session/ask-model.js';
import { protocolVersion } from '../wire/messages.js';
import { KeyRing } from './auth.js';
import { httpRoutes, installErrorHandler } from './http.js';
import { defaultLimits, type ServiceLimits } from './limits.js';
import { createMetrics, type SchedulerFigures } from './metrics.js';
import { DebugService } from './service.js';
import { Connection } from './websocket.js';

export interface AppOptions {
  readonly access: ModelAccess;
  readonly info: EngineInfo;
  readonly version: string;
  readonly pool: () => PoolStats;
  readonly scheduler: () => SchedulerFigures;
  readonly apiKeys?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  readonly log?: boolean;
}

export interface ServerApp {
  readonly app: FastifyInstance;
  readonly service: DebugService;
  /** Refuses new work, lets running requests finish for at most `graceMillis`, then closes all sockets. */
  drain(graceMillis: number): Promise<void>;
}

export async function buildApp(options: AppOptions): Promise<ServerApp> {
  const limits = { ...defaultLimits, ...options.limits };
  const service = new DebugService(options.access, limits);
  const keys = new KeyRing(options.apiKeys ?? []);
  const connections = new Set<Connection>();
  const metrics = createMetrics({
    pool: options.pool,
    scheduler: options.scheduler,
    sessions: () => service.sessions.size,
    connections: () => connections.size,
  });
  const onError = (error: ForetraceError): void => metrics.countError(error.code);
  const app = Fastify({ logger: options.log ?? false, bodyLimit: limits.maxMessageBytes, forceCloseConnections: 'idle' });
  installErrorHandler(app, onError);
  await app.register(rateLimit, { max: limits.requestsPerMinute, timeWindow: '1 minute' });
  await app.register(websocket, { options: { maxPayload: limits.maxMessageBytes, perMessageDeflate: false } });
  let draining = false;

  const { info } = options;
  const welcome = {
    protocol: protocolVersion,
    server: `foretrace ${options.version}`,
    model: info.modelDigest,
    maxSourceBytes: limits.maxSourceBytes,
    maxContextTokens: info.maxContext,
  };
  let connectionCount = 0;
  app.get('/v1/socket', { websocket: true }, (socket) => {
    if (draining || connections.size >= limits.maxConnections) return socket.close(1013, draining ? 'draining' : 'overloaded');
    const anonymous = `socket:${++connectionCount}`;
    const connection = new Connection(socket, { service, keys, limits, welcome, anonymous, onError });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  httpRoutes(app, { service, keys, onError });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => reply.status(draining ? 503 : 200).send({ ready: !draining }));
  app.get('/v1/info', async () => ({ version: options.version, protocol: protocolVersion, engine: info, limits }));
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  const purge = setInterval(() => service.sessions.purge(), Math.min(60_000, limits.sessionIdleMillis)).unref();
  app.addHook('onClose', async () => clearInterval(purge));

  const drain = async (graceMillis: number): Promise<void> => {
    draining = true;
    service.drain();
    const deadline = Date.now() + graceMillis;
    const busy = (): boolean => [...connections].some((connection) => connection.runningRequests > 0);
    while (busy() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const connection of connections) connection.end(1001, 'draining');
    await app.close();
  };
  return { app, service, drain };
}
