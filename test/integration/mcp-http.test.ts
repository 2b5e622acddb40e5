/** `/mcp` of a service as coding agents use it over HTTP, with a real engine. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { firstLine, outcome, start } from '../support/command.js';
import { call, engine, source } from '../support/debugged-program.js';
import { Agent } from '../support/mcp-agent.js';

const closing: (() => Promise<unknown>)[] = [];
const long = 'def count(n):\n    while n:\n        n = n + 1\n    return n\n';

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(...args: string[]) {
  const service = start('serve', '--port', '0', '--json', ...engine, ...args);
  closing.push(async () => service.kill('SIGKILL'));
  const { address } = JSON.parse(await firstLine(service)) as { address: string };
  const sessions = async (): Promise<number> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(/^foretrace_sessions (\d+)$/m.exec(text)?.[1]);
  };
  return { service, address, sessions };
}

async function agentAt(
  address: string,
  { key, mode = 'legacy' }: { key?: string; mode?: 'legacy' | 'auto' } = {},
): Promise<Agent> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const agent = await Agent.over(
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
    mode,
  );
  closing.push(() => agent.close());
  return agent;
}

/** A request as agents of the older protocol send it. */
const posted = (address: string, body: object, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    signal,
  });

/** A session over the program, and its name. */
async function begun(agent: Agent): Promise<string> {
  const { text } = await agent.call('start_debugging', { source, call });
  expect(text).toContain('numbers = [1, 2]');
  return /^session (\S+)$/m.exec(text)?.[1] as string;
}

describe('mcp over HTTP', () => {
  it('serves agents of the old and the new protocol, each with sessions of its own, and reads no files', async () => {
    const { address, sessions } = await served();
    const agents = await Promise.all([agentAt(address), agentAt(address, { mode: 'auto' })]);
    expect(agents.map(({ protocol }) => protocol?.slice(0, 4))).toEqual(['2025', '2026']);
    const names = await Promise.all(agents.map(begun));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
    const stepped = agents.map((agent, i) => agent.call('act', { session: names[i], action: 'step_over' }));
    for (const { text } of await Promise.all(stepped)) expect(text).toMatch(/^#2 line in total, line 2 /);
    expect(await sessions()).toBe(2);
    for (const [i, agent] of agents.entries())
      expect((await agent.call('stop_debugging', { session: names[i] })).isError).toBe(false);
    expect(await sessions()).toBe(0);
    const [agent] = agents as [Agent, Agent];
    for (const { name, inputSchema } of await agent.tools())
      expect([name, Object.keys(inputSchema.properties ?? {})]).toEqual([
        name,
        expect.not.arrayContaining(['file']),
      ]);
    expect(agent.instructions).toContain('A program is a text, and a call');
    expect(await agent.call('predict_call', { file: 'x.py', call })).toMatchObject({ isError: true });
  });

  it('answers what agents of the older protocol send, without any state between requests', async () => {
    const { address } = await served();
    const params = { name: 'predict_call', arguments: { source, call, mode: 'jump' } };
    const answer = await posted(address, { method: 'tools/call', params });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/#2 \w+ in total, line [1-5] /);
    expect((await fetch(`${address}/mcp`)).status).toBe(405);
    expect((await fetch(`${address}/mcp`, { method: 'HEAD' })).status).toBeLessThan(500);
  });

  it('lets in who has a key, to the sessions of that key alone', async () => {
    const { address } = await served('--api-key', 'ann', 'bob');
    const refused = await fetch(`${address}/mcp`, { method: 'POST', body: '{}' });
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('unauthorized')]);
    await expect(agentAt(address, { key: 'eve' })).rejects.toThrow();
    const [ann, bob] = await Promise.all([
      agentAt(address, { key: 'ann' }),
      agentAt(address, { key: 'bob' }),
    ]);
    const session = await begun(ann);
    const step = { session, action: 'step_over' };
    expect(await bob.call('act', step)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^unknown_session: /),
    });
    expect((await ann.call('act', step)).isError).toBe(false);
  });

  it.each([
    'legacy',
    'auto',
  ])('stops what an agent asked that has gone, and leaves no session of it (%s)', async (mode) => {
    const { address, sessions } = await served();
    const gone = new AbortController();
    const walk = { source: long, call: 'count(1)', mode: 'walk', max_events: 1024 };
    const params = { name: 'predict_call', arguments: walk };
    const unfinished: Promise<unknown> =
      mode === 'auto'
        ? (await agentAt(address, { mode })).call('predict_call', walk, gone.signal)
        : posted(address, { method: 'tools/call', params }, gone.signal).then((answer) => answer.text());
    await expect.poll(sessions, { timeout: 10_000 }).toBe(1);
    gone.abort();
    await expect(unfinished).rejects.toThrow();
    await expect.poll(sessions, { timeout: 10_000 }).toBe(0);
    const told = await (await fetch(`${address}/metrics`)).text();
    expect(told).not.toMatch(/^foretrace_answers_\w+_total [1-9]/m);
  });

  it('has its answer from a service that is draining', async () => {
    const { address, service, sessions } = await served('--grace', '60');
    const params = { name: 'predict_call', arguments: { source, call, mode: 'walk' } };
    const answer = posted(address, { method: 'tools/call', params }).then((one) => one.text());
    await expect.poll(sessions, { timeout: 10_000 }).toBe(1);
    service.kill('SIGTERM');
    expect(await answer).toMatch(/ in total, line [1-5] |walk_too_long|draining/);
  });

  it('ends with the service', async () => {
    const { address, service } = await served();
    await begun(await agentAt(address));
    const ended = outcome(service, null);
    service.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
