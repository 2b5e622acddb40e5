/** JSON over HTTP: the same calls as the WebSocket protocol, for people with curl. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asForetraceError, errorKinds, ForetraceError } from '../errors.js';
import { clientBodyFromJson, serverBodyToJson } from '../wire/codec.js';
import { errorToWire } from '../wire/convert.js';
import type { ClientBodies, ClientBodyName, ServerBodies, ServerBodyName } from '../wire/messages.js';
import { type AgentRequests, agentRoute } from './agents.js';
import type { KeyRing } from './auth.js';
import { HttpCallers } from './http-callers.js';
import type { ServiceLimits } from './limits.js';
import type { CallContext, DebugService } from './service.js';
import type { UnfinishedBodies } from './unfinished-bodies.js';

export interface HttpOptions {
  readonly service: DebugService;
  readonly keys: KeyRing;
  readonly limits: ServiceLimits;
  readonly bodies: UnfinishedBodies;
  /** Who answers coding agents, if anybody does. */
  readonly agents?: AgentRequests | undefined;
}

/** A number in the query of a URL; what is none is left for the reader of messages to refuse. */
const pageNumber = (name: string, text: string | undefined): object =>
  text === undefined ? {} : { [name]: /^\d+$/.test(text) ? Number(text) : text };

type SessionRequest = FastifyRequest<{ Params: { session: string } }>;

const wholeBody = ({ body }: FastifyRequest): unknown => body;

/** The body with the session of the path, of which it may not name another; a body that is no object is left for the reader of messages to refuse. */
function withSession({ body, params }: SessionRequest): unknown {
  if (body !== undefined && (typeof body !== 'object' || Array.isArray(body))) return body;
  const { session = null } = (body ?? {}) as { session?: unknown };
  if (session === null || session === '' || session === params.session)
    return { ...body, session: params.session };
  throw new ForetraceError('invalid_message', 'the field session does not fit the path', {
    expected: `${params.session}, or no such field`,
    actual: JSON.stringify(session),
  });
}

function pageOfSession({ query, params }: SessionRequest): object {
  const { after, maxStates } = query as Record<string, string | undefined>;
  return { ...pageNumber('after', after), ...pageNumber('maxStates', maxStates), session: params.session };
}

const unknownPath = (message: string): ForetraceError =>
  new ForetraceError('unknown_path', message, { expected: 'a path of docs/protocol.md' });

/** Errors of the framework itself, in our codes. */
function coded(error: unknown, { headers }: FastifyRequest, maxMessageBytes: number): ForetraceError {
  if (error instanceof ForetraceError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ForetraceError('message_too_large', 'the request body is too large', {
      expected: `at most ${maxMessageBytes} bytes`,
    });
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ForetraceError('invalid_message', 'the body is not said to be JSON', {
      expected: 'Content-Type: application/json',
      actual: headers['content-type'] ?? 'no Content-Type',
    });
  }
  if (code === 'FST_ERR_BAD_URL') return unknownPath('the path cannot be decoded');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ForetraceError('invalid_message', error instanceof Error ? error.message : String(error), {
      expected: 'a JSON object as the request body',
    });
  }
  return asForetraceError(error);
}

export type ErrorResponder = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers with the coded error for whatever was thrown, and tells `onError`. */
export const errorResponder =
  (maxMessageBytes: number, onError: (error: ForetraceError) => void): ErrorResponder =>
  (thrown, request, reply) => {
    const error = coded(thrown, request, maxMessageBytes);
    onError(error);
    const { retryAfterMillis } = error.details;
    if (retryAfterMillis !== undefined) reply.header('retry-after', Math.ceil(retryAfterMillis / 1000));
    return reply.status(errorKinds[error.code].status).send({ error: errorToWire(error) });
  };

export function installErrorHandlers(app: FastifyInstance, respond: ErrorResponder): void {
  app.setErrorHandler(respond);
  app.setNotFoundHandler((request, reply) =>
    respond(unknownPath(`there is no ${request.method} ${request.url}`), request, reply),
  );
}

/** The calls that have a path of their own. A caller is known and counted before the body is looked at. */
export async function httpRoutes(
  app: FastifyInstance,
  { service, keys, limits, bodies, agents }: HttpOptions,
): Promise<void> {
  const callers = new HttpCallers(service, keys, limits);
  await app.register(async (routes) => {
    routes.addHook('onRequest', async (request) => callers.admit(request));
    // Not async: what reads the body has to listen before its first bytes come.
    routes.addHook('preParsing', (request, reply, body, done) => {
      bodies.watch(request, reply);
      done(null, body);
    });
    sessionRoutes(routes, service, callers);
    rawRoutes(routes, service, callers);
    if (agents) agentRoute(routes, agents, callers);
  });
}

type Call<In extends ClientBodyName, Out extends ServerBodyName> = (
  body: ClientBodies[In],
  context: CallContext,
) => Promise<ServerBodies[Out]> | ServerBodies[Out];

/** A handler that reads one body and answers with another. @param bodyOf the JSON of a request */
const handler =
  <In extends ClientBodyName, Out extends ServerBodyName>(
    callers: HttpCallers,
    [input, output]: readonly [In, Out],
    bodyOf: (request: SessionRequest) => unknown,
    call: Call<In, Out>,
  ) =>
  (request: SessionRequest): Promise<object> =>
    callers.run(request, async (context) =>
      serverBodyToJson(output, await call(clientBodyFromJson(input, bodyOf(request)), context)),
    );

function sessionRoutes(app: FastifyInstance, service: DebugService, callers: HttpCallers): void {
  const post = <In extends ClientBodyName, Out extends ServerBodyName>(
    path: string,
    bodies: readonly [In, Out],
    call: Call<In, Out>,
  ) => app.post(`/v1/sessions/:session/${path}`, handler(callers, bodies, withSession, call));

  const open: Call<'openSession', 'sessionOpened'> = (body, context) => service.open(body, context);
  app.post('/v1/sessions', handler(callers, ['openSession', 'sessionOpened'], wholeBody, open));
  const describe: Call<'describeSession', 'sessionDescription'> = (body, context) =>
    service.describe(body, context);
  const described = ['describeSession', 'sessionDescription'] as const;
  app.get('/v1/sessions/:session', handler(callers, described, pageOfSession, describe));
  const close: Call<'closeSession', 'sessionClosed'> = (body, context) => service.close(body, context);
  app.delete(
    '/v1/sessions/:session',
    handler(callers, ['closeSession', 'sessionClosed'], ({ params }) => ({ ...params }), close),
  );
  post('act', ['act', 'answer'], (body, context) => service.act(body, context));
  post('evaluate', ['evaluate', 'evaluation'], (body, context) => service.evaluate(body, context));
  post('candidates', ['candidates', 'candidateList'], (body, context) => service.candidates(body, context));
  post('query', ['query', 'queryResult'], (body, context) => service.query(body, context));
  post('edit', ['edit', 'answer'], (body, context) => service.edit(body, context));
  post('fork', ['fork', 'sessionOpened'], (body, context) => service.fork(body, context));
  post('goto', ['goto', 'answer'], (body, context) => service.goto(body, context));
}

function rawRoutes(app: FastifyInstance, service: DebugService, callers: HttpCallers): void {
  const open: Call<'rawOpen', 'rawContext'> = (body, context) => service.rawOpen(body, context);
  app.post('/v1/raw', handler(callers, ['rawOpen', 'rawContext'], wholeBody, open));
  const turn: Call<'rawTurn', 'rawAnswer'> = (body, context) => service.rawTurn(body, context);
  app.post('/v1/raw/turn', handler(callers, ['rawTurn', 'rawAnswer'], wholeBody, turn));
}
