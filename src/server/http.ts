/** JSON over HTTP: the same calls as the WebSocket protocol, for people with curl. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asForetraceError, errorKinds, ForetraceError } from '../errors.js';
import { clientBodyFromJson, serverBodyToJson } from '../wire/codec.js';
import { errorToWire } from '../wire/convert.js';
import type { ServerBodies, ServerBodyName } from '../wire/messages.js';
import { bearerKey, type KeyRing } from './auth.js';
import type { CallContext, DebugService } from './service.js';

export interface HttpOptions {
  readonly service: DebugService;
  readonly keys: KeyRing;
}

/** A number in the query of a URL; what is none is left for the reader of messages to refuse. */
const pageNumber = (name: string, text: string | undefined): object =>
  text === undefined ? {} : { [name]: /^\d+$/.test(text) ? Number(text) : text };

type SessionRequest = FastifyRequest<{ Params: { session: string } }>;

const unknownPath = (message: string): ForetraceError =>
  new ForetraceError('unknown_path', message, { expected: 'a path of docs/protocol.md' });

/** Errors of the framework itself, in our codes. */
function coded(error: unknown, maxMessageBytes: number): ForetraceError {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ForetraceError('message_too_large', 'the request body is too large', {
      expected: `at most ${maxMessageBytes} bytes`,
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
  (thrown, _request, reply) => {
    const error = coded(thrown, maxMessageBytes);
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

export function httpRoutes(app: FastifyInstance, { service, keys }: HttpOptions): void {
  const contextOf = (request: FastifyRequest, reply?: FastifyReply): CallContext => {
    const client = keys.required
      ? keys.account(bearerKey(request.headers.authorization))
      : `http:${request.ip}`;
    service.rate.take(client);
    const { 'idempotency-key': key } = request.headers;
    const caller = { client, isolated: keys.required, key: typeof key === 'string' ? key : '' };
    if (!reply) return caller;
    const controller = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) controller.abort();
    });
    return { ...caller, signal: controller.signal };
  };
  const json = <Name extends ServerBodyName>(name: Name, body: ServerBodies[Name]): object =>
    serverBodyToJson(name, body);
  /** The body with the session of the path; a body that is no object is left for the reader of messages to refuse. */
  const withSession = ({ body, params }: SessionRequest): unknown =>
    (typeof body === 'object' && !Array.isArray(body)) || body === undefined
      ? { ...body, session: params.session }
      : body;

  // The caller is known and counted before the body is looked at.
  app.post('/v1/sessions', async (request, reply) => {
    const context = contextOf(request, reply);
    return json(
      'sessionOpened',
      await service.open(clientBodyFromJson('openSession', request.body), context),
    );
  });
  app.get('/v1/sessions/:session', async (request: SessionRequest) => {
    const context = contextOf(request);
    const { after, maxStates } = request.query as Record<string, string | undefined>;
    const page = { ...pageNumber('after', after), ...pageNumber('maxStates', maxStates) };
    const body = clientBodyFromJson('describeSession', { ...page, session: request.params.session });
    return json('sessionDescription', service.describe(body, context));
  });
  app.delete('/v1/sessions/:session', async (request: SessionRequest) =>
    json('sessionClosed', await service.close({ session: request.params.session }, contextOf(request))),
  );
  app.post('/v1/sessions/:session/act', async (request: SessionRequest, reply) => {
    const context = contextOf(request, reply);
    return json('answer', await service.act(clientBodyFromJson('act', withSession(request)), context));
  });
  app.post('/v1/sessions/:session/evaluate', async (request: SessionRequest, reply) => {
    const context = contextOf(request, reply);
    const body = clientBodyFromJson('evaluate', withSession(request));
    return json('evaluation', await service.evaluate(body, context));
  });
  app.post('/v1/sessions/:session/candidates', async (request: SessionRequest, reply) => {
    const context = contextOf(request, reply);
    const body = clientBodyFromJson('candidates', withSession(request));
    return json('candidateList', await service.candidates(body, context));
  });
  app.post('/v1/sessions/:session/query', async (request: SessionRequest, reply) => {
    const context = contextOf(request, reply);
    return json(
      'queryResult',
      await service.query(clientBodyFromJson('query', withSession(request)), context),
    );
  });
  app.post('/v1/raw', async (request) => {
    const context = contextOf(request);
    return json('rawContext', service.rawOpen(clientBodyFromJson('rawOpen', request.body), context));
  });
  app.post('/v1/raw/turn', async (request, reply) => {
    const context = contextOf(request, reply);
    return json('rawAnswer', await service.rawTurn(clientBodyFromJson('rawTurn', request.body), context));
  });
  app.post('/v1/sessions/:session/edit', async (request: SessionRequest) => {
    const context = contextOf(request);
    return json('answer', await service.edit(clientBodyFromJson('edit', withSession(request)), context));
  });
  app.post('/v1/sessions/:session/fork', async (request: SessionRequest) => {
    const context = contextOf(request);
    return json(
      'sessionOpened',
      await service.fork(clientBodyFromJson('fork', withSession(request)), context),
    );
  });
  app.post('/v1/sessions/:session/goto', async (request: SessionRequest) => {
    const context = contextOf(request);
    return json('answer', await service.goto(clientBodyFromJson('goto', withSession(request)), context));
  });
}
