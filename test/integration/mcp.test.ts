/** `foretrace mcp` as a coding agent starts it, with a real engine. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { command, firstLine, outcome, root, start } from '../support/command.js';
import { call, engine, programFolder, source } from '../support/debugged-program.js';
import { Agent } from '../support/mcp-agent.js';

const { program } = programFolder();
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function agentOf(...args: string[]): Promise<Agent> {
  const options = { command: process.execPath, args: [`${root}bin/foretrace.js`, 'mcp', ...args], cwd: root };
  const agent = await Agent.over(new StdioClientTransport({ ...options, stderr: 'pipe' }));
  closing.push(() => agent.close());
  return agent;
}

/** Through the program and back, in a session of its own. */
async function walk(agent: Agent, file: string): Promise<void> {
  const opened = await agent.call('start_debugging', { file, call });
  expect(opened).toMatchObject({ isError: false, text: expect.stringContaining('numbers = [1, 2]') });
  const session = /^session (s\d+)$/m.exec(opened.text)?.[1];
  const stepped = await agent.call('act', { session, action: 'step_over' });
  expect(stepped.text).toMatch(/^#2 line in total, line 2 /);
  const told = await agent.call('evaluate', { session, expressions: ['numbers', 'len('] });
  expect(told.text).toMatch(/^numbers = \[1, 2\] .*\ninvalid_expression: /);
  const back = await agent.call('act', { session, action: 'inv_step_over', times: 2 });
  expect(back.text).toMatch(/^#3 call in total, line 1 .*\npast_start: /s);
  expect((await agent.call('stop_debugging', { session })).isError).toBe(false);
}

describe('mcp', () => {
  it('serves an agent over standard input and output', async () => {
    const agent = await agentOf(...engine);
    expect((await agent.tools()).length).toBeGreaterThan(10);
    await Promise.all([walk(agent, program), walk(agent, program)]);
    const end = await agent.call('predict_call', { source, call, mode: 'jump' });
    expect(end).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^#2 \w+ in total, line [1-5] /),
    });
    expect(await agent.call('predict_call', { file: `${program}.missing`, call })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^unreadable_file: /),
    });
  });

  it('serves several agents from one running service', async () => {
    const service = start('serve', '--port', '0', '--json', ...engine);
    closing.push(async () => service.kill('SIGKILL'));
    const { address } = JSON.parse(await firstLine(service)) as { address: string };
    const agents = await Promise.all([agentOf('--connect', address), agentOf('--connect', address)]);
    await Promise.all(agents.map((agent) => walk(agent, program)));
  });

  it('leaves no session on the service, however many questions are asked and however it ends', async () => {
    const service = start('serve', '--port', '0', '--json', ...engine);
    closing.push(async () => service.kill('SIGKILL'));
    const { address } = JSON.parse(await firstLine(service)) as { address: string };
    const sessions = async (): Promise<number> => {
      const text = await (await fetch(`${address}/metrics`)).text();
      return Number(/^foretrace_sessions (\d+)$/m.exec(text)?.[1]);
    };
    const agent = await agentOf('--connect', address);
    const calls = Array.from({ length: 80 }, () =>
      agent.call('predict_call', { source, call, mode: 'jump' }),
    );
    for (const { text, isError } of await Promise.all(calls)) expect([isError, text]).toEqual([false, text]);
    expect(await sessions()).toBe(0);
    const other = await agentOf('--connect', address);
    await other.call('start_debugging', { source, call });
    expect(await sessions()).toBe(1);
    const unfinished = other.call('predict_call', { source, call, mode: 'walk', max_events: 1024 });
    await Promise.all([other.close(), unfinished.catch(() => undefined)]);
    await expect.poll(sessions, { timeout: 10_000 }).toBe(0);
  });

  it('ends with 1 behind a message that is too long to be read', async () => {
    const child = start('mcp', ...engine);
    const ended = outcome(child, null);
    child.stdin?.on('error', () => undefined);
    child.stdin?.write('x'.repeat(11 * 1024 * 1024));
    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining('message_too_large') });
  });

  it('ends with 0 where the agent closes its end', async () => {
    expect(await command('mcp', ...engine)).toEqual({ code: 0, out: '', err: '' });
  });

  it('ends with 0 where it is told to', async () => {
    const child = start('mcp', ...engine);
    const ended = outcome(child, null);
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
    await firstLine(child);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
