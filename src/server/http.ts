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

type SessionRequest = FastifyRequest<{ Params: { session: string } }>;

/** Errors of the framework itself, in our codes. */
function coded(error: unknown, maxMessageBytes: number): ForetraceError {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ForetraceError('message_too_large', 'the request body is too large', {
      expected: `at most ${maxMessageBytes} bytes`,
    });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ForetraceError('invalid_message', error instanceof Error ? error.message : String(error), {
      expected: 'a JSON object as the request body',
    });
  }
  return asForetraceError(error);
}

export function installErrorHandler(
  app: FastifyInstance,
  maxMessageBytes: number,
  onError: (error: ForetraceError) => void,
): void {
  app.setErrorHandler((thrown, _request, reply) => {
    const error = coded(thrown, maxMessageBytes);
    onError(error);
    const { retryAfterMillis } = error.details;
    if (retryAfterMillis !== undefined) reply.header('retry-after', Math.ceil(retryAfterMillis / 1000));
    return reply.status(errorKinds[error.code].status).send({ error: errorToWire(error) });
  });
  app.setNotFoundHandler((request, reply) =>
    reply.status(404).send({
      error: errorToWire(
        new ForetraceError('unknown_path', `there is no ${request.method} ${request.url}`, {
          expected: 'a path of docs/protocol.md',
        }),
      ),
    }),
  );
}

export function httpRoutes(app: FastifyInstance, { service, keys }: HttpOptions): void {
  const contextOf = (request: FastifyRequest, reply?: FastifyReply): CallContext => {
    const client = keys.required
      ? keys.account(bearerKey(request.headers.authorization))
      : `http:${request.ip}`;
    service.rate.take(client);
    if (!reply) return { client, isolated: keys.required };
    const controller = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) controller.abort();
    });
    return { client, isolated: keys.required, signal: controller.signal };
  };
  const json = <Name extends ServerBodyName>(name: Name, body: ServerBodies[Name]): object =>
    serverBodyToJson(name, body);
  const withSession = (request: SessionRequest): object => ({
    ...((request.body as object | null | undefined) ?? {}),
    session: request.params.session,
  });

  app.post('/v1/sessions', async (request, reply) => {
    const body = clientBodyFromJson('openSession', request.body);
    return json('sessionOpened', await service.open(body, contextOf(request, reply)));
  });
  app.get('/v1/sessions/:session', async (request: SessionRequest) =>
    json('sessionDescription', service.describe({ session: request.params.session }, contextOf(request))),
  );
  app.delete('/v1/sessions/:session', async (request: SessionRequest) =>
    json('sessionClosed', service.close({ session: request.params.session }, contextOf(request))),
  );
  app.post('/v1/sessions/:session/act', async (request: SessionRequest, reply) => {
    const body = clientBodyFromJson('act', withSession(request));
    return json('answer', await service.act(body, contextOf(request, reply)));
  });
  app.post('/v1/sessions/:session/edit', async (request: SessionRequest) =>
    json('answer', service.edit(clientBodyFromJson('edit', withSession(request)), contextOf(request))),
  );
  app.post('/v1/sessions/:session/fork', async (request: SessionRequest) =>
    json('sessionOpened', service.fork(clientBodyFromJson('fork', withSession(request)), contextOf(request))),
  );
  app.post('/v1/sessions/:session/goto', async (request: SessionRequest) =>
    json('answer', service.goto(clientBodyFromJson('goto', withSession(request)), contextOf(request))),
  );
}
