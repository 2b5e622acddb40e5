import { describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { CwmDialect } from '../../../src/dialects/cwm/dialect.js';
import { Vocabulary } from '../../../src/dialects/cwm/vocabulary.js';
import { greedy } from '../../../src/scheduler/request.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { CwmOracle } from '../../support/cwm-oracle.js';
import { cwmTokenizer, cwmTokens } from '../../support/cwm-tokenizer.js';
import { runNamed, stateAt, trueRuns } from '../../support/true-runs.js';

const vocabulary = new Vocabulary(cwmTokenizer, cwmTokens);
const step = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };
const run = runNamed('calls in a loop');

async function sessionOf(of = run, isStored = true) {
  const oracle = new CwmOracle(vocabulary, of);
  const access = {
    service: oracle,
    modelDigest: 'm',
    maxContext: 100_000,
    maxAnswerTokens: 2000,
    dialect: new CwmDialect(vocabulary),
    ...(isStored ? { trajectory: new StateStore(16 * 1024 * 1024) } : {}),
  };
  const start = stateAt(of, 0);
  return { oracle, access, session: await DebugSession.open(access, of.program, settings, { start }) };
}

/** What a frame of the format tells of a state. */
const placeOf = ({ event, frames, value }: DebuggerState) => [event, value, frames.map(({ line }) => line)];

describe('a model that predicts the next event alone', () => {
  it.each(
    // Where the entry makes several calls no state tells that it is the last.
    trueRuns
      .filter(({ states, program }) => states.length < 30 && !program.hasSeveralCalls)
      .map((one) => [one.name, one] as const),
  )('answers every action forward about %s by walking', async (_name, of) => {
    for (const { from, action, to } of of.answers) {
      if (from !== 0 || to < 0 || action.kind.startsWith('inv_')) continue;
      const { session } = await sessionOf(of);
      const answer = await session.act(action);
      expect(placeOf(answer.state)).toEqual(placeOf(stateAt(of, to)));
      expect(answer.horizon).toBe(action.kind === 'step_into' ? 1 : to);
    }
  });

  it.each([true, false])('goes back along the way it came (shared store: %s)', async (isStored) => {
    const { session, oracle } = await sessionOf(run, isStored);
    const last = await session.act(step('continue'));
    const asked = oracle.requests.length;
    for (const { from, action, to } of run.answers) {
      if (from !== run.states.length - 1 || to < 0 || !action.kind.startsWith('inv_')) continue;
      const answer = await session.act(action, { from: last.number });
      expect(placeOf(answer.state)).toEqual(placeOf(stateAt(run, to)));
      expect(answer.origin).toBe('derived');
    }
    expect(oracle.requests).toHaveLength(asked);
  });

  it('jumps from a call to its return, and says what it cannot', async () => {
    const { session, oracle } = await sessionOf();
    for (const kind of ['step_over', 'continue'] as const)
      await expect(session.act(step(kind), { mode: 'jump' })).rejects.toMatchObject({
        code: 'invalid_action',
      });
    await expect(session.act(step('step_return'), { mode: 'jump' })).rejects.toThrow(/refuses/);
    expect(oracle.requests).toHaveLength(1);
    await expect(session.evaluate('1 + 1')).rejects.toMatchObject({ code: 'invalid_expression' });
    const next = await session.act(step('step_into'));
    await expect(session.candidates(step('inv_step_over'), { count: 2 })).rejects.toMatchObject({
      code: 'invalid_action',
    });
    const edited = session.edit(next.number, new Map());
    // No way leads to what was edited: nobody knows what was before, and nothing is asked.
    const asked = oracle.requests.length;
    await expect(session.act(step('inv_step_into'), { from: edited.number })).rejects.toMatchObject({
      code: 'invalid_action',
    });
    expect(oracle.requests).toHaveLength(asked);
  });

  it('answers sessions that came the same way from what is stored', async () => {
    const { access, oracle, session } = await sessionOf();
    await session.act(step('continue'));
    const asked = oracle.requests.length;
    const other = await DebugSession.open(access, run.program, settings, { start: stateAt(run, 0) });
    const answer = await other.act(step('continue'));
    expect(answer.origin).toBe('derived');
    expect(oracle.requests).toHaveLength(asked);
  });
});
