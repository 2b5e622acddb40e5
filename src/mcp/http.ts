/**
 * The MCP server over HTTP: requests need nothing of each other, so each is answered by a server of its own over the same sessions. Those
 * are told apart by names that nobody can guess.
 */
import { randomBytes } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ForetraceClient } from '../client/client.js';
import { ForetraceError } from '../errors.js';
import { createMcpServer } from './server.js';
import { Sessions } from './sessions.js';

/** Of all agents that share a host. */
const mostSessions = 1024;
/** Requests that may wait for others; an agent of which more do is not one that waits for answers. */
const mostWaiting = 256;
const retryAfterMillis = 1_000;

export interface McpHttpHost {
  /** Answers a request. @throws ForetraceError rate_limited */
  answer(request: Request, parsedBody: unknown): Promise<Response>;
  /** Gives all sessions back. */
  end(): Promise<void>;
}

/** The server for agents that share a client of the service. */
export function mcpHttpHost(connect: () => Promise<ForetraceClient>, version: string): McpHttpHost {
  const newName = (): string => randomBytes(12).toString('base64url');
  const sessions = new Sessions(connect, { most: mostSessions, newName });
  const handler = createMcpHandler(() => createMcpServer({ sessions, version }));
  return {
    answer: async (request, parsedBody) => {
      if (sessions.waiting < mostWaiting) return handler.fetch(request, { parsedBody });
      throw new ForetraceError('rate_limited', 'too many requests wait', {
        expected: `at most ${mostWaiting}`,
        actual: `${sessions.waiting}`,
        retryAfterMillis,
      });
    },
    end: async () => {
      await handler.close();
      await sessions.endAll();
    },
  };
}
