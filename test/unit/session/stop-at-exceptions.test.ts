/** Actions that stop where an exception is raised, over real runs. */
import { describe, expect, it } from 'vitest';
import { type Action, isReverse } from '../../../src/debugger/action.js';
import { depth } from '../../../src/debugger/state.js';
import { greedy } from '../../../src/scheduler/request.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import { RaiseWatch } from '../../../src/session/raise-watch.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { OracleService } from '../../support/oracle-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt, type TrueRun, trueRuns } from '../../support/true-runs.js';

const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };

function sessionOver(run: TrueRun, from = 0): Promise<DebugSession> {
  const access = {
    service: new OracleService(run, 0.9999),
    modelDigest: 'm',
    maxContext: 4096,
    maxAnswerTokens: 512,
    trajectory: new StateStore(16 * 1024 * 1024),
  };
  return DebugSession.open(access, run.program, settings, { start: stateAt(run, from) });
}

/** Whether an event raises an exception: those of frames that one leaves follow the return of the frame below, and its exception. */
function raises(run: TrueRun, index: number): boolean {
  const state = stateAt(run, index);
  if (state.event !== 'exception') return false;
  const [below, left] = [run.states[index - 2], run.states[index - 1]];
  const isPassedOn =
    left?.event === 'return' &&
    depth(left) > depth(state) &&
    below?.event === 'exception' &&
    below.value === state.value;
  return !isPassedOn;
}

const raising = trueRuns.filter((run) => run.states.some(({ event }) => event === 'exception'));

describe('an action that stops at exceptions', () => {
  it('has runs to be shown on, with exceptions that leave several frames', () => {
    const exceptions = raising.map((run) => run.states.filter(({ event }) => event === 'exception').length);
    const raised = raising.map((run) => run.states.filter((_, index) => raises(run, index)).length);
    expect(exceptions.some((count, index) => count > (raised[index] as number))).toBe(true);
  });

  it.each(
    raising.map((run) => [run.name, run] as const),
  )('comes to the first that is raised, or to what it looks for: %s', async (_name, run) => {
    for (const { from, action, to } of run.answers) {
      if (isReverse(action.kind) || to < 0) continue;
      // What left a frame is not known at its return: there the next exception counts as raised.
      const isLeaving = stateAt(run, from).event === 'return';
      const stops = (index: number): boolean =>
        raises(run, index) || (isLeaving && index === from + 1 && stateAt(run, index).event === 'exception');
      let expected = from + 1;
      while (expected < to && !stops(expected)) expected += 1;
      const session = await sessionOver(run, from);
      // Asked in this way it walks, whatever the mode.
      const answer = await session.act(action, { stopAtExceptions: true, mode: 'jump' });
      expect([from, action.kind, answer.horizon]).toEqual([from, action.kind, expected - from]);
      expect(answer).toMatchObject({ state: stateAt(run, expected), mode: 'walk' });
    }
  });

  it('does not go back', async () => {
    const session = await sessionOver(raising[0] as TrueRun, 3);
    const back: Action = { kind: 'inv_continue', lines: [] };
    expect(await codeOf(session.act(back, { stopAtExceptions: true }))).toBe('invalid_action');
    expect(session.answers()).toHaveLength(1);
  });
});

it('an exception that leaves a frame by way of a cleanup is no other one in the caller', () => {
  const frame = { line: 2, locals: new Map(), its: [], gots: [] };
  const inFlight = { value: 'E()', line: 2, isHandled: false };
  const state = (event: 'line' | 'return' | 'exception', inner: boolean, left = false) => ({
    event,
    frames: [frame, ...(inner ? [{ ...frame, ...(left ? { inFlight } : {}) }] : [])],
    hiddenFrames: 0,
    ...(event === 'line' ? {} : { value: event === 'return' ? 'None' : 'E()' }),
  });
  const watch = new RaiseWatch(state('line', true));
  const way = [
    state('exception', true),
    state('line', true),
    state('return', true, true),
    state('exception', false),
  ];
  expect(way.map((one) => watch.sees(one))).toEqual([true, false, false, false]);
  expect(new RaiseWatch(state('return', true, true)).sees(state('exception', false))).toBe(false);
  expect(new RaiseWatch(state('return', true)).sees(state('exception', false))).toBe(true);
});

it('an exception that is raised again behind another event is another one', () => {
  const at = (event: 'line' | 'return' | 'exception', value?: string) => ({
    event,
    frames: [],
    hiddenFrames: 0,
    ...(value === undefined ? {} : { value }),
  });
  const watch = new RaiseWatch(at('line'));
  const events = [at('exception', 'E()'), at('return', 'None'), at('exception', 'E()'), at('line')];
  expect(events.map((state) => watch.sees(state))).toEqual([true, false, false, false]);
  expect([at('exception', 'E()'), at('exception', 'F()')].map((state) => watch.sees(state))).toEqual([
    true,
    true,
  ]);
});
