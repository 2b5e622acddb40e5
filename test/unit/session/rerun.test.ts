import { describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import { greedy } from '../../../src/scheduler/request.js';
import { type Answer, DebugSession } from '../../../src/session/debug-session.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { OracleService } from '../../support/oracle-service.js';
import { runNamed, stateAt } from '../../support/true-runs.js';

const step = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };
const run = runNamed('calls in a loop');
/** A place inside a call: neither near the entry nor in its frame. */
const inside = run.states.findIndex(
  (state, index) => index > 6 && state.event === 'line' && state.frames.length > 1,
);

/** @param sureness of each token of the model: 0.9999 is sure of every answer, 0.5 of none */
function sessionAt(index: number, sureness: number, isStored = true) {
  const oracle = new OracleService(run, sureness);
  const access = {
    service: oracle,
    modelDigest: 'm',
    maxContext: 4096,
    maxAnswerTokens: 512,
    ...(isStored ? { trajectory: new StateStore(16 * 1024 * 1024) } : {}),
  };
  const start = stateAt(run, index);
  return { oracle, session: DebugSession.open(access, run.program, settings, { start }) };
}

const act = async (
  index: number,
  sureness: number,
  action: Action,
): Promise<Answer & { requests: number }> => {
  const { oracle, session } = sessionAt(index, sureness);
  const answer = await (await session).act(action, { mode: 'auto' });
  return { ...answer, requests: oracle.requests.length };
};

describe('going back in auto', () => {
  it('takes an answer that is sure as it is', async () => {
    const answer = await act(inside, 0.9999, step('inv_step_into'));
    expect(answer).toMatchObject({
      origin: 'model',
      mode: 'jump',
      state: stateAt(run, inside - 1),
      requests: 1,
    });
  });

  it('runs the program again from its entry where it is unsure', async () => {
    for (const kind of ['inv_step_into', 'inv_step_over', 'inv_step_call', 'inv_continue'] as const) {
      const sure = await act(inside, 0.9999, step(kind));
      const unsure = await act(inside, 0.5, step(kind));
      expect(unsure).toMatchObject({ origin: 'derived', state: sure.state });
      // Every event up to the state, besides the answer that was unsure.
      expect(unsure.steps.model).toBe(inside + 1);
      expect(unsure.counts.new).toBeGreaterThan(sure.counts.new);
    }
  });

  it('is as sure as the steps between the answer and the state', async () => {
    const near = await act(inside, 0.5, step('inv_step_into'));
    const far = await act(inside, 0.5, step('inv_continue'));
    expect(near.whole).toBeLessThan(0.9);
    expect(far.whole).toBeLessThan(near.whole);
    expect(near.whole).toBeGreaterThan(0);
  });

  it('asks nothing twice: the run is stored', async () => {
    const { oracle, session: opened } = sessionAt(inside, 0.5);
    const session = await opened;
    await session.act(step('inv_step_into'), { mode: 'auto' });
    const asked = oracle.requests.length;
    const further = await session.act(step('inv_continue'), { mode: 'auto' });
    expect(further).toMatchObject({ origin: 'derived', state: stateAt(run, 0) });
    expect(oracle.requests.length).toBe(asked);
  });

  it('asks for the call of the frame once, also where nothing stored may answer', async () => {
    const { oracle, session: opened } = sessionAt(inside, 0.5);
    const answer = await (await opened).act(step('inv_step_call'), {
      mode: 'auto',
      fresh: true,
      maxSteps: 3,
    });
    expect(answer.steps.model).toBeGreaterThan(1);
    const asked = oracle.requests.map(({ prompt }) => prompt.join());
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('works without a store', async () => {
    const { session } = sessionAt(inside, 0.5, false);
    const answer = await (await session).act(step('inv_step_over'), { mode: 'auto' });
    expect(answer).toMatchObject({ origin: 'derived' });
  });

  it('keeps the states of the run to itself', async () => {
    const { session: opened } = sessionAt(inside, 0.5);
    const session = await opened;
    const answer = await session.act(step('inv_continue'), { mode: 'auto' });
    expect(session.answers().map(({ number }) => number)).toEqual([1, answer.number]);
  });

  it('runs from the call of the frame where the entry is too far, and keeps its answer where that is, too', async () => {
    const call = run.states.findLastIndex(({ event }, index) => index < inside && event === 'call');
    for (const [maxSteps, origin] of [
      [inside - call, 'derived'],
      [inside - call - 1, 'model'],
    ] as const) {
      const { session } = sessionAt(inside, 0.5);
      const answer = await (await session).act(step('inv_step_into'), { mode: 'auto', maxSteps });
      expect(answer).toMatchObject({ origin, state: stateAt(run, inside - 1) });
      expect(answer.steps.model).toBeGreaterThan(maxSteps);
    }
  });
});
