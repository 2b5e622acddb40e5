import { describe, expect, it, vi } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import { actionNumbers, modeNumbers, queryEndNumbers } from '../../../src/wire/messages.js';
import { agentOver, at, cost, debugging, program, start } from '../../support/mcp-service.js';

const pastEnd = new ForetraceError('past_end', 'nothing comes after it');

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
