/** Builds the fastify app without listening, so that tests inject and `serve` listens. */
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ForetraceError } from '../errors.js';
import type { EngineInfo, PoolStats } from '../native/addon-types.js';
import type { ModelAccess } from '../session/ask-model.js';
import { protocolVersion } from '../wire/messages.js';
import { type AgentEndpoint, AgentRequests } from './agents.js';
import { isTrustedOrigin, KeyRing } from './auth.js';
import { clientErrors } from './client-errors.js';
import { errorResponder, httpRoutes, installErrorHandlers } from './http.js';
import { defaultLimits, frameSlack, type ServiceLimits } from './limits.js';
import { createMetrics, type Metrics, type SchedulerFigures } from './metrics.js';
import { DebugService } from './service.js';
import { UnfinishedBodies } from './unfinished-bodies.js';
import { Upgrades } from './upgrades.js';
import { Connection, type ConnectionOptions, closeCode } from './websocket.js';

export interface AppOptions {
  readonly access: ModelAccess;
  readonly info: EngineInfo;
  readonly version: string;
  readonly pool: () => PoolStats;
  readonly scheduler: () => SchedulerFigures;
  readonly trajectory?: () => SchedulerFigures;
  readonly apiKeys?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  readonly log?: boolean;
  /** Lets raw token turns in. */
  readonly raw?: boolean;
  /** Answers coding agents, on a path of their own. */
  readonly agents?: AgentEndpoint;
}

export interface ServerApp {
  readonly app: FastifyInstance;
  readonly service: DebugService;
  /** Refuses new work, lets running requests finish for at most `graceMillis`, cancels the rest, closes all sockets. */
  drain(graceMillis: number): Promise<void>;
}

/** Node.js reads no longer one. */
const longestPath = 16 * 1024;

/** How often `drain` looks whether the running calls have finished. */
const drainPollMillis = 10;

export async function buildApp(options: AppOptions): Promise<ServerApp> {
  const { maxAnswerTokens } = options.access;
  const limits = { ...defaultLimits, maxAnswerTokens, ...options.limits };
  const { maxContext, vocabSize } = options.info;
  const raw = options.raw ? { service: options.access.service, maxContext, vocabSize } : null;
  const service = new DebugService(
    { ...options.access, maxAnswerTokens: limits.maxAnswerTokens },
    limits,
    raw,
  );
  const keys = new KeyRing(options.apiKeys ?? []);
  const connections = new Set<Connection>();
  const metrics = createMetrics({
    pool: options.pool,
    scheduler: options.scheduler,
    trajectory: options.trajectory ?? (() => ({})),
    answers: () => service.answers,
    sessions: () => service.sessions.size,
    sessionBytes: () => service.sessions.bytes,
    connections: () => connections.size,
  });
  const onError = (error: ForetraceError): void => metrics.countError(error.code);
  const respond = errorResponder(limits.maxMessageBytes, onError);
  const app = Fastify({
    // Errors before any route is found, which the handlers below never see.
    frameworkErrors: (error, request, reply) => void respond(error, request, reply),
    clientErrorHandler: clientErrors(onError),
    logger: options.log ? { serializers: { req: loggedRequest } } : false,
    bodyLimit: limits.maxMessageBytes,
    // Such names are names: the reader of messages takes no key that is not in the schema, and makes the keys of maps own properties.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    // A session that does not exist is unknown however long its number.
    routerOptions: { maxParamLength: longestPath },
    forceCloseConnections: 'idle',
    requestTimeout: limits.requestMillis,
    connectionTimeout: limits.httpIdleMillis,
    http: {
      headersTimeout: limits.headersMillis,
      connectionsCheckingInterval: Math.max(100, Math.min(5_000, limits.headersMillis / 2)),
    },
  });
  // What is above this is not even accepted.
  app.server.maxConnections = limits.maxConnections + limits.maxHttpConnections;
  app.removeContentTypeParser('text/plain');
  installErrorHandlers(app, respond);
  const upgrades = new Upgrades(app);
  app.addHook('onRequest', async ({ headers }) => {
    if (!keys.required && !isTrustedOrigin(headers.origin)) throw foreignPage(headers.origin);
  });
  await app.register(websocket, {
    errorHandler: closedByItself(limits),
    options: { maxPayload: limits.maxMessageBytes * frameSlack, perMessageDeflate: false },
  });
  const welcome = {
    protocol: protocolVersion,
    server: `foretrace ${options.version}`,
    model: options.info.modelDigest,
    maxSourceBytes: limits.maxSourceBytes,
    maxContextTokens: options.info.maxContext,
    pingMillis: limits.pingMillis,
    maxMessageBytes: limits.maxMessageBytes,
  };
  const state = { draining: false };
  const totalOf = (bytes: 'waiting' | 'unfinished') => (): number => {
    let sum = 0;
    for (const connection of connections) sum += connection[bytes];
    return sum;
  };
  const bodies = new UnfinishedBodies(limits, totalOf('unfinished'));
  const totalWaiting = totalOf('waiting');
  const totalUnfinished = (): number => totalOf('unfinished')() + bodies.bytes;
  const common = { service, keys, limits };
  socketRoute(app, connections, state, { ...common, welcome, onError, totalWaiting, totalUnfinished });
  const agents = options.agents && new AgentRequests(options.agents);
  await httpRoutes(app, { ...common, bodies, agents });
  statusRoutes(app, options, limits, metrics, state);
  const purge = setInterval(
    () => service.sessions.purge(),
    Math.min(60_000, limits.sessionIdleMillis),
  ).unref();
  app.addHook('onClose', async () => clearInterval(purge));

  const drain = async (graceMillis: number): Promise<void> => {
    state.draining = true;
    service.drain();
    // What agents ask is calls of clients, and more behind them before they have their answers.
    const running = (): number => service.runningCalls + (agents?.running ?? 0);
    await settled(running, graceMillis);
    service.cancelAll();
    await settled(running, limits.closeMillis);
    for (const connection of connections) connection.end(closeCode.goingAway, 'draining');
    // HTTP connections that were opened and never used are not idle to Node.js: nobody waits for them.
    const cut = setTimeout(() => {
      app.server.closeAllConnections();
      upgrades.cut();
    }, limits.closeMillis);
    await app.close();
    clearTimeout(cut);
  };
  return { app, service, drain };
}

/** `ws` has told the client why it closes, by when this is called. Cut at once, the connection would lose that under what the client still sends. */
const closedByItself =
  ({ closeMillis }: ServiceLimits) =>
  (error: Error, socket: WebSocket, { log }: FastifyRequest): void => {
    log.info(error);
    if (socket.readyState === socket.OPEN) socket.close(closeCode.internal);
    setTimeout(() => socket.terminate(), closeMillis).unref();
  };

const foreignPage = (origin: string | undefined): ForetraceError =>
  new ForetraceError('unauthorized', 'a page of another site may not use a service without API keys', {
    expected: 'no origin, or one of this machine',
    actual: origin ?? 'none',
  });

/** Who has a session's number may use it: none is written down whole. */
const loggedRequest = ({ method, url, ip }: FastifyRequest): Record<string, string> => ({
  method,
  url: url.replace(/(\/sessions\/[^/]{8})[^/]*/, '$1…'),
  remoteAddress: ip,
});

/** Resolves when nothing runs any more, at the latest after `millis`. */
async function settled(running: () => number, millis: number): Promise<void> {
  const deadline = performance.now() + millis;
  while (running() > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, drainPollMillis));
  }
  // One more turn, so that the last answers are written before anything is closed.
  await new Promise((resolve) => setImmediate(resolve));
}

function socketRoute(
  app: FastifyInstance,
  connections: Set<Connection>,
  state: { readonly draining: boolean },
  options: Omit<ConnectionOptions, 'anonymous' | 'stream'>,
): void {
  let count = 0;
  const wsHandler = (socket: WebSocket, { raw }: FastifyRequest): void => {
    const isFull = connections.size >= options.limits.maxConnections;
    if (state.draining || isFull) {
      socket.close(closeCode.tryAgainLater, state.draining ? 'draining' : 'overloaded');
      return;
    }
    count += 1;
    const connection = new Connection(socket, {
      ...options,
      anonymous: `socket:${count}`,
      stream: raw.socket,
    });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  };
  app.route({ method: 'GET', url: '/v1/socket', handler: notUpgraded, wsHandler });
}

/** A WebSocket's path, asked as any other. */
function notUpgraded(): never {
  throw new ForetraceError('unknown_path', 'this path takes WebSockets alone', {
    expected: 'a request to upgrade to a WebSocket',
    actual: 'a request without an upgrade',
  });
}

function statusRoutes(
  app: FastifyInstance,
  { version, info }: AppOptions,
  limits: ServiceLimits,
  metrics: Metrics,
  state: { readonly draining: boolean },
): void {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) =>
    reply.status(state.draining ? 503 : 200).send({ ready: !state.draining }),
  );
  app.get('/v1/info', async () => ({ version, protocol: protocolVersion, engine: info, limits }));
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
