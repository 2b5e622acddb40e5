import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ForetraceClient, RequestOptions } from '../../../src/client/client.js';
import { ForetraceError } from '../../../src/errors.js';
import { createMcpServer } from '../../../src/mcp/server.js';
import { Sessions } from '../../../src/mcp/sessions.js';
import {
  actionNumbers,
  eventNumbers,
  modeNumbers,
  originNumbers,
  queryEndNumbers,
  type WireAnswer,
} from '../../../src/wire/messages.js';
import { Agent } from '../../support/mcp-agent.js';
import { local, shownAnswer, tokens } from '../../support/shown-answer.js';

type EventName = keyof typeof eventNumbers;
type Calls = { [Name in keyof ForetraceClient]?: unknown };

/** A state of one frame with the local n. */
const at = (
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
const start = shownAnswer({ ...at(1, 'call', 1), origin: originNumbers.given });
const cost = { tokens, queueMillis: 0, computeMillis: 0, preemptions: 0 };
const program = { source: 'def f(n): return n', call: 'f(7)' };
const agents: Agent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

/** An agent over a service that answers as the test says. */
async function agentOver(calls: Calls = {}) {
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
async function debugging(calls: Calls = {}) {
  const all = await agentOver(calls);
  const { text } = await all.agent.call('start_debugging', program);
  return { ...all, text };
}

const pastEnd = new ForetraceError('past_end', 'nothing comes after it');

describe('what is offered', () => {
  it('are tools that change nothing, each with its arguments described', async () => {
    const { agent } = await agentOver();
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'predict_call',
      'predict_line',
      'start_debugging',
      'act',
      'evaluate',
      'candidates',
      'set_locals',
      'go_to',
      'stop_debugging',
      'values_at',
      'first_change',
      'frame_table',
    ]);
    for (const { annotations, inputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(description).toMatch(/\.$/);
    }
    for (const name of tools.map((tool) => tool.name).filter((tool) => tool.startsWith('predict')))
      expect(agent.instructions).toContain(name);
  });

  it('refuses arguments that a tool does not have, or lacks', async () => {
    const { agent, open } = await agentOver();
    expect(await agent.call('predict_call', { ...program, lines: [1] })).toMatchObject({ isError: true });
    expect((await agent.call('predict_call', { source: 'x' })).text).toContain('call');
    expect((await agent.call('act', { session: 's1', action: 'jump' })).text).toContain('step_over');
    expect(open).not.toHaveBeenCalled();
  });
});

describe('predict_call', () => {
  it('shows the last state, of a text or a file, and keeps no session', async () => {
    const act = vi.fn(async () => at(2, 'return', 3, { value: '7' }));
    const { agent, open, closeSession } = await agentOver({ act });
    const { text, isError } = await agent.call('predict_call', { file: 'a.py', call: 'f(7)', mode: 'walk' });
    expect(isError).toBe(false);
    expect(text).toMatch(/^#2 return in f, line 3 .*-> 7/);
    expect(text).toContain('25 %  n = 7');
    expect(open).toHaveBeenCalledWith({ source: '# a.py', call: 'f(7)' }, expect.anything());
    const action = { kind: actionNumbers.continue, lines: [] };
    expect(act).toHaveBeenCalledWith(
      { session: 'session 1', from: 0, action, mode: modeNumbers.walk, maxSteps: 256 },
      expect.anything(),
    );
    expect(act).toHaveBeenCalledOnce();
    expect(closeSession).toHaveBeenCalledWith('session 1');
  });

  it('tells a call that an exception leaves from one that returns None, where the run was walked', async () => {
    const end = { ...at(2, 'return', 3, { value: 'None' }), mode: modeNumbers.walk };
    const exception = at(3, 'exception', 3, { value: 'KeyError(1)' });
    const raised = vi
      .fn()
      .mockResolvedValueOnce(end)
      .mockResolvedValueOnce({ ...exception, origin: originNumbers.derived });
    const { text } = await (await agentOver({ act: raised })).agent.call('predict_call', {
      ...program,
      mode: 'walk',
    });
    expect(raised).toHaveBeenLastCalledWith(
      expect.objectContaining({ mode: modeNumbers.auto }),
      expect.anything(),
    );
    // What the model thinks may have been before is no proof.
    const guessed = vi.fn().mockResolvedValueOnce(end).mockResolvedValueOnce(exception);
    const guess = await (await agentOver({ act: guessed })).agent.call('predict_call', program);
    expect(guess.text).not.toContain('exception');
    const jumped = vi.fn().mockResolvedValueOnce({ ...end, mode: modeNumbers.jump });
    await (await agentOver({ act: jumped })).agent.call('predict_call', program);
    expect(jumped).toHaveBeenCalledOnce();
    expect(text).toMatch(/-> None.*\n.*\nleft by an exception:\n#3 exception .*KeyError\(1\)/s);
    const returned = vi
      .fn()
      .mockResolvedValueOnce(end)
      .mockResolvedValueOnce(at(3, 'line', 3));
    const other = await (await agentOver({ act: returned })).agent.call('predict_call', program);
    expect(other.text).not.toContain('exception');
  });

  it('closes its session also where it fails, and says why with a code', async () => {
    const { agent, closeSession } = await agentOver({
      act: async () => {
        throw new ForetraceError('walk_too_long', 'in a circle', { expected: 'an end' });
      },
    });
    const { text, isError } = await agent.call('predict_call', program);
    expect(text).toBe('walk_too_long: in a circle (expected an end)');
    expect(isError).toBe(true);
    expect(closeSession).toHaveBeenCalledOnce();
  });

  it.each([
    [{ call: 'f(7)' }, 'neither'],
    [{ ...program, file: 'a.py' }, 'both'],
  ])('wants one program: %j', async (given, found) => {
    const { text, isError } = await (await agentOver()).agent.call('predict_call', given);
    expect(text).toMatch(new RegExp(`^invalid_message: .*expected file or source; found ${found}`));
    expect(isError).toBe(true);
  });

  it('starts at a given state', async () => {
    const { agent, open } = await agentOver({ act: async () => at(2, 'return', 3, { value: '1' }) });
    const given = { event: 'line', line: 2, locals: { n: '1' } };
    await agent.call('predict_call', { ...program, start: given });
    const frames = [{ line: 2, locals: [local('n', '1')], its: [], gots: [] }];
    expect(open).toHaveBeenCalledWith(
      { ...program, start: { event: eventNumbers.line, frames, hiddenFrames: 0 } },
      expect.anything(),
    );
    expect((await agent.call('predict_call', { ...program, start: { line: 2 } })).text).toMatch(
      /^invalid_state/,
    );
  });

  it('stops where the agent cancels', async () => {
    let stopped = false;
    const act = (_body: object, { signal }: RequestOptions) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          stopped = true;
          reject(new ForetraceError('cancelled', 'the request was cancelled'));
        }),
      );
    const { agent, closeSession } = await agentOver({ act });
    const controller = new AbortController();
    const called = agent.call('predict_call', program, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(called).rejects.toThrow();
    await vi.waitFor(() => expect(closeSession).toHaveBeenCalledOnce());
    expect(stopped).toBe(true);
  });
});

describe('predict_line', () => {
  it('shows every hit whole, and where the run goes then', async () => {
    const act = vi
      .fn()
      .mockResolvedValueOnce(at(2, 'line', 3))
      .mockResolvedValueOnce(at(3, 'line', 3))
      .mockResolvedValueOnce(at(4, 'return', 5, { value: '1' }));
    const { agent } = await agentOver({ act });
    const { text, isError } = await agent.call('predict_line', { ...program, line: 3 });
    expect(text.match(/n = 7/g)).toHaveLength(3);
    expect(text).toMatch(/#2 line.*#3 line.*no further hit:\n#4 return/s);
    expect(isError).toBe(false);
  });

  it('stops after as many hits as were asked for', async () => {
    const act = vi.fn(async () => at(2, 'line', 3));
    const { agent } = await agentOver({ act });
    await agent.call('predict_line', { ...program, line: 3, hits: 2 });
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('says where a line is never reached', async () => {
    const { agent } = await agentOver({ act: async () => at(2, 'return', 5, { value: '1' }) });
    const { text } = await agent.call('predict_line', { ...program, line: 3 });
    expect(text).toMatch(/^the line is not reached:\n#2 return/);
  });
});

describe('a session', () => {
  it('has a short name, and shows its lines of code and where it starts', async () => {
    const { text } = await debugging();
    expect(text.split('\n').slice(0, 3)).toEqual([
      'session s1',
      'lines of code: 2 3 5',
      expect.stringMatching(/^#1 call in f, line 1 \(given\)/),
    ]);
  });

  it('goes on from where it stands and shows what has changed', async () => {
    const act = vi
      .fn()
      .mockResolvedValueOnce(at(2, 'line', 2))
      .mockResolvedValueOnce(at(3, 'line', 3, { n: '8' }));
    const { agent } = await debugging({ act });
    const { text } = await agent.call('act', { session: 's1', action: 'step_into', times: 2 });
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^#2 line/),
      expect.any(String),
      expect.stringMatching(/^#3 line/),
      expect.any(String),
      expect.stringMatching(/n = 8/),
    ]);
    expect(act).toHaveBeenNthCalledWith(
      1,
      {
        session: 'session 1',
        from: 0,
        action: { kind: actionNumbers.step_into, lines: [] },
        mode: modeNumbers.auto,
        maxSteps: 256,
      },
      expect.anything(),
    );
  });

  it('goes on from an earlier state, once', async () => {
    const act = vi.fn(async () => at(2, 'line', 2));
    const { agent } = await debugging({ act });
    await agent.call('act', { session: 's1', action: 'breakpoint', lines: [5], from: 1, times: 2 });
    // Then from what that led to, wherever the session stands meanwhile.
    expect(act.mock.calls.map((call) => (call as unknown as [{ from: number }])[0].from)).toEqual([1, 2]);
  });

  it('has come to its end, and says so behind what it went through', async () => {
    const act = vi
      .fn()
      .mockResolvedValueOnce(at(2, 'return', 2, { value: '1' }))
      .mockRejectedValue(pastEnd);
    const { agent } = await debugging({ act });
    const run = { session: 's1', action: 'step_over', times: 5 };
    expect(await agent.call('act', run)).toEqual({
      text: expect.stringMatching(/^#2 return.*\npast_end: nothing comes after it$/s),
      isError: false,
    });
    expect(await agent.call('act', run)).toMatchObject({ isError: true });
  });

  it('shows what was found before anything else goes wrong, as an error', async () => {
    const busy = new ForetraceError('overloaded', 'too many');
    const act = vi
      .fn()
      .mockResolvedValueOnce(at(2, 'line', 2))
      .mockRejectedValue(busy);
    const { agent } = await debugging({ act });
    expect(await agent.call('act', { session: 's1', action: 'step_over', times: 5 })).toEqual({
      text: expect.stringMatching(/^#2 line.*\noverloaded: too many$/s),
      isError: true,
    });
  });

  it('evaluates expressions, and says which cannot be', async () => {
    const evaluate = vi.fn(async ({ expression }: { expression: string }) => {
      if (expression === '1 +') throw new ForetraceError('invalid_expression', 'no');
      return { session: 's', from: 1, expression, origin: 1, probability: 0.5, ...cost, value: '8' };
    });
    const { agent } = await debugging({ evaluate });
    expect(await agent.call('evaluate', { session: 's1', expressions: ['n + 1'], at: 1 })).toEqual({
      text: 'n + 1 = 8  (50 %, model)',
      isError: false,
    });
    expect(await agent.call('evaluate', { session: 's1', expressions: ['1 +', 'n + 1'] })).toEqual({
      text: 'n + 1 = 8  (50 %, model)\ninvalid_expression: no',
      isError: true,
    });
    expect(evaluate.mock.calls[0]?.[0]).toEqual({ session: 'session 1', from: 1, expression: 'n + 1' });
  });

  it('shows several pasts that were checked forward, and futures unchecked', async () => {
    const candidates = vi.fn(async () => ({
      session: 's',
      from: 1,
      draws: 2,
      candidates: [{ answer: at(4, 'line', 2), probability: 0.75, consistent: true, forwardProbability: 1 }],
    }));
    const { agent } = await debugging({ candidates });
    const { text } = await agent.call('candidates', { session: 's1', action: 'inv_step_over', count: 2 });
    expect(text).toMatch(/^ 75 % {2}#4 line .*leads back here \(100 %\)/);
    await agent.call('candidates', { session: 's1', action: 'step_into' });
    const asked = candidates.mock.calls as unknown as [{ check: boolean; count: number }][];
    expect(asked.map(([{ check, count }]) => [check, count])).toEqual([
      [true, 2],
      [false, 4],
    ]);
  });

  it('goes on with other locals, and back to any state', async () => {
    const edit = vi.fn(async () => at(2, 'call', 1, { n: '9' }));
    const goto = vi.fn(async () => start);
    const { agent } = await debugging({ edit, goto });
    const changed = await agent.call('set_locals', { session: 's1', locals: { n: '9' }, from: 1 });
    expect(changed.text).toContain('n = 9');
    expect(edit).toHaveBeenCalledWith({ session: 'session 1', from: 1, locals: { n: '9' }, deleted: [] });
    expect((await agent.call('go_to', { session: 's1', state: 1 })).text).toMatch(/^#1 call.*n = 7/s);
    expect(goto).toHaveBeenCalledWith({ session: 'session 1', state: 1 });
  });

  it('walks as far as it is told', async () => {
    const act = vi.fn(async () => at(2, 'line', 2));
    const { agent } = await debugging({ act });
    await agent.call('act', { session: 's1', action: 'continue', mode: 'walk', max_events: 900 });
    expect(act).toHaveBeenCalledWith(expect.objectContaining({ maxSteps: 900 }), expect.anything());
  });

  it('follows a run, a page at a time', async () => {
    const query = vi.fn(async () => ({
      session: 's',
      from: 1,
      columns: ['n'],
      rows: [{ answer: at(4, 'line', 2), values: { n: '7' }, probability: 0.5 }],
      end: queryEndNumbers.open,
      truncated: true,
      nextPage: 'next',
      steps: { model: 1, cache: 0 },
      ...cost,
    }));
    const { agent } = await debugging({ query });
    const { text } = await agent.call('values_at', { session: 's1', name: 'n', line: 2, rows: 1 });
    expect(text).toBe(' 50 %  #4 line line 2: n = 7\n  ...\nmore follows: ask again with page next');
    await agent.call('first_change', { session: 's1', name: 'n', from: 1, page: 'next' });
    await agent.call('frame_table', { session: 's1' });
    const page = { session: 'session 1', from: 0, maxRows: 64, page: '' };
    expect(query.mock.calls.map((call) => (call as unknown as [object])[0])).toEqual([
      { ...page, maxRows: 1, valuesAt: { name: 'n', line: 2 } },
      { ...page, from: 1, page: 'next', firstChange: { name: 'n' } },
      { ...page, frameTable: { names: [] } },
    ]);
  });

  it('ends once, and is not known then', async () => {
    const { agent, closeSession } = await debugging();
    expect((await agent.call('stop_debugging', { session: 's1' })).text).toBe('session s1 has ended');
    expect(closeSession).toHaveBeenCalledWith('session 1');
    for (const name of ['stop_debugging', 'frame_table'])
      expect(await agent.call(name, { session: 's1' })).toMatchObject({
        text: expect.stringMatching(/^unknown_session.*found s1/),
        isError: true,
      });
  });

  it('asks no more at once than a service takes, and gives back what was opened while the agent went', async () => {
    let running = 0;
    let most = 0;
    let wake = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const act = async () => {
      running += 1;
      most = Math.max(most, running);
      await held;
      running -= 1;
      return at(2, 'return', 3, { value: '1' });
    };
    const { agent, open, closeSession, sessions } = await agentOver({ act });
    const calls = Array.from({ length: 100 }, () => agent.call('predict_call', program));
    await vi.waitFor(() => expect(running).toBe(48));
    const ended = sessions.endAll();
    wake();
    await ended;
    await Promise.all(calls);
    expect(most).toBe(48);
    expect(closeSession.mock.calls.length).toBeGreaterThanOrEqual(open.mock.calls.length);
  });

  it('is given back where too many are open, and all are in the end', async () => {
    const { agent, closeSession, sessions } = await agentOver();
    for (let count = 0; count < 65; count += 1) await agent.call('start_debugging', program);
    expect(closeSession.mock.calls).toEqual([['session 1']]);
    await sessions.endAll();
    expect(closeSession).toHaveBeenCalledTimes(65);
  });
});
