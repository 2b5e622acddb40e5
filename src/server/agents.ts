/** The path of coding agents: what is asked there, in a protocol that the service does not know, is answered by whoever offers tools over it. */
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerKey } from './auth.js';
import type { HttpCallers } from './http-callers.js';

export interface AgentCall {
  /** The account of who asks: of an API key, else of an address. */
  readonly client: string;
  /** The key that was given, or an empty text. */
  readonly apiKey: string;
  /** The request; its signal ends with the connection. */
  readonly request: Request;
  /** Its body as JSON has been read. */
  readonly body: unknown;
}

export interface AgentEndpoint {
  answer(call: AgentCall): Promise<Response>;
}

/** An endpoint, and how many of its answers are not yet with those who asked. */
export class AgentRequests {
  running = 0;

  constructor(readonly endpoint: AgentEndpoint) {}
}

/** `/mcp`, where the Model Context Protocol is spoken. */
export function agentRoute(app: FastifyInstance, requests: AgentRequests, callers: HttpCallers): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    exposeHeadRoute: false,
    handler: (request, reply) =>
      callers.run(request, async ({ client, signal }) => {
        const apiKey = bearerKey(request.headers.authorization);
        const asked = { client, apiKey, request: webRequest(request, signal), body: request.body };
        requests.running += 1;
        try {
          void reply.send(await requests.endpoint.answer(asked));
          // An answer that is streamed has only begun: what it takes ends with the connection, too.
          await finished(reply.raw).catch(() => undefined);
          return reply;
        } finally {
          requests.running -= 1;
        }
      }),
  });
}

/** A request as the web has them, without its body. */
function webRequest({ raw, headers, method }: FastifyRequest, signal: AbortSignal | undefined): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new Request(`http://localhost${raw.url ?? '/'}`, { method, headers: given, signal: signal ?? null });
}
