/** A coding agent over a service that answers as a test says. */
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, vi } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import { createMcpServer } from '../../src/mcp/server.js';
import { Sessions } from '../../src/mcp/sessions.js';
import { eventNumbers, originNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { Agent } from './mcp-agent.js';
import { local, shownAnswer, tokens } from './shown-answer.js';

type EventName = keyof typeof eventNumbers;
type Calls = { [Name in keyof ForetraceClient]?: unknown };

/** A state of one frame with the local n. */
export const at = (
  number: number,
  event: EventName,
  line: number,
  { n = '7', ...state }: Partial<WireAnswer['state']> & { n?: string } = {},
): WireAnswer =>
  shownAnswer({
    number,
    state: {
      event: eventNumbers[event],
      frames: [{ line, locals: [local('n', n)], its: [], gots: [] }],
      hiddenFrames: 0,
      ...state,
    },
    functions: ['f'],
    probability: { event: 1, line: 0.5, locals: { n: 0.25 } },
  });
export const start = shownAnswer({ ...at(1, 'call', 1), origin: originNumbers.given });
export const cost = { tokens, queueMillis: 0, computeMillis: 0, preemptions: 0 };
export const program = { source: 'def f(n): return n', call: 'f(7)' };
const agents: Agent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

/** An agent over a service that answers as the test says. */
export async function agentOver(calls: Calls = {}) {
  const closeSession = vi.fn(async () => {});
  let opened = 0;
  const open = vi.fn(async () => {
    opened += 1;
    return { session: `session ${opened}`, start, executableLines: [2, 3, 5], programTokens: 1 };
  });
  const service = { open, closeSession, ...calls } as unknown as ForetraceClient;
  const sessions = new Sessions(async () => service);
  const readSource = (file: string): string => `# ${file}`;
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ sessions, version: '1', readSource }).connect(there);
  const agent = await Agent.over(here);
  agents.push(agent);
  return { agent, open, closeSession, sessions };
}

/** The same in a session, s1. */
export async function debugging(calls: Calls = {}) {
  const all = await agentOver(calls);
  const { text } = await all.agent.call('start_debugging', program);
  return { ...all, text };
}
