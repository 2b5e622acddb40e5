import { describe, expect, it } from 'vitest';
import { type Action, type ActionKind, isReverse } from '../../../src/debugger/action.js';
import { isAtEnd, isAtStart } from '../../../src/debugger/navigate.js';
import { greedy } from '../../../src/scheduler/request.js';
import { defaultAccuracy } from '../../../src/session/accuracy.js';
import { type Answer, DebugSession } from '../../../src/session/debug-session.js';
import type { ModelAccess } from '../../../src/session/submit-question.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { OracleService } from '../../support/oracle-service.js';
import { codeOf } from '../../support/service-world.js';
import {
  runNamed,
  shown,
  stateAt,
  type TrueAnswer,
  type TrueRun,
  trueRuns,
} from '../../support/true-runs.js';

const step = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4096 };

interface World {
  readonly oracle: OracleService;
  readonly store: StateStore;
  readonly access: ModelAccess;
  open(from?: number): Promise<DebugSession>;
}

function worldOf(run: TrueRun, change: Partial<ModelAccess> = {}, sureness?: number): World {
  const oracle = new OracleService(run, sureness);
  const store = new StateStore(16 * 1024 * 1024);
  const access = {
    service: oracle,
    modelDigest: 'm',
    maxContext: 4096,
    maxAnswerTokens: 512,
    trajectory: store,
    ...change,
  };
  const open = (from = 0) => DebugSession.open(access, run.program, settings, { start: stateAt(run, from) });
  return { oracle, store, access, open };
}

/** What the same question must always have the same: all but where it came from and what it cost. */
const bits = ({ state, probability, horizon, atEnd, atStart }: Answer) => ({
  state: shown(state),
  probability,
  horizon,
  atEnd,
  atStart,
});

const showsBorder = (run: TrueRun, { action, to }: TrueAnswer): boolean => {
  const state = stateAt(run, to);
  const isStop = state.event === 'line' && action.lines.includes(state.frames.at(-1)?.line ?? 0);
  return (
    isStop ||
    !/breakpoint|continue/.test(action.kind) ||
    (isReverse(action.kind) ? isAtStart : isAtEnd)(state, run.program)
  );
};

const short = trueRuns.filter(({ states }) => states.length < 20);

describe('the same question', () => {
  it.each(
    short.map((run) => [run.name, run] as const),
  )('about %s: jump, walk, cache, derived, forked, fresh', async (_name, run) => {
    for (const answer of run.answers) {
      if (answer.to < 0 || !showsBorder(run, answer)) continue;
      const { action, from } = answer;
      // Sure of itself, so that nothing is asked twice to check it.
      const { open, oracle } = worldOf(run, {}, 0.9999);
      const session = await open(from);
      const jumped = await session.act(action, { mode: 'jump', from: 1 });
      const again = await session.act(action, { mode: 'jump', from: 1 });
      const fresh = await session.act(action, { mode: 'jump', from: 1, fresh: true });
      expect([jumped.origin, again.origin, fresh.origin]).toEqual(['model', 'cache', 'model']);
      expect(shown(jumped.state)).toEqual(stateAt(run, answer.to));
      for (const other of [again, fresh]) expect(bits(other)).toEqual(bits(jumped));
      const walked = await session.act(action, { from: 1, mode: 'walk' });
      expect(walked).toMatchObject({
        state: shown(jumped.state),
        mode: 'walk',
        horizon: Math.abs(answer.to - from),
      });
      const asked = oracle.requests.length;
      const fork = session.fork('t', 1);
      const warm = await fork.act(action, { mode: 'walk' });
      const other = await (await open(from)).act(action, { mode: 'auto' });
      expect(oracle.requests.length).toBe(asked);
      expect(bits(warm)).toEqual(bits(walked));
      expect(warm.origin).toBe(walked.horizon > 1 ? 'derived' : 'cache');
      expect(other.origin).toBe(action.kind.endsWith('step_into') ? 'cache' : 'derived');
      expect(bits(other)).toEqual(bits(walked));
    }
  });
});

describe('a walk', () => {
  const run = runNamed('calls in a loop');

  it('shows each state on the way, which the session then holds, in order', async () => {
    const { open } = worldOf(run);
    const session = await open();
    const passed: Answer[] = [];
    const answer = await session.act(step('step_return'), {
      mode: 'walk',
      onStep: (one) => passed.push(one),
    });
    expect(passed.map(({ state }) => state)).toEqual(run.states.slice(1, -1));
    expect(passed.map(({ parent }) => parent)).toEqual(passed.map((_, index) => index + 1));
    expect(answer).toMatchObject({
      number: run.states.length,
      parent: 1,
      origin: 'model',
      horizon: run.states.length - 1,
    });
    expect(answer.steps).toEqual({ model: run.states.length - 1, cache: 0 });
    expect(session.answers().map(({ number }) => number)).toEqual(run.states.map((_, index) => index + 1));
    expect(session.current.number).toBe(answer.number);
  });

  it('is as sure as all its steps together', async () => {
    const { open } = worldOf(run);
    const session = await open();
    const wholes: number[] = [];
    let at = session.current;
    for (let index = 1; index < run.states.length; index += 1) {
      at = await session.act(step('step_into'));
      const { event, line, value = 1, locals } = at.probability;
      wholes.push(event * line * value * [...locals.values()].reduce((a, b) => a * b, 1));
    }
    const walked = await session.act(step('continue'), { mode: 'walk', from: 1 });
    const all = wholes.slice(0, -1).reduce((a, b) => a * b, 1);
    expect(walked.probability.line).toBeGreaterThan(0);
    // Counters, gots and the end have tokens too, which only the whole answers count.
    expect(walked.probability.line).toBeLessThanOrEqual(all * at.probability.line * (1 + 1e-9));
  });

  it('that is cancelled, fails or takes too long leaves the session as it was', async () => {
    const { open, oracle } = worldOf(run);
    const session = await open();
    const before = session.answers();
    const controller = new AbortController();
    oracle.onRequest = (number) => number === 5 && controller.abort();
    const cancelled = session.act(step('continue'), { mode: 'walk', signal: controller.signal });
    expect(await codeOf(cancelled)).toBe('cancelled');
    expect([session.answers(), session.current.number]).toEqual([before, 1]);
    expect(await codeOf(session.act(step('continue'), { mode: 'walk', maxSteps: 7 }))).toBe('walk_too_long');
    expect([session.answers(), session.current.number]).toEqual([before, 1]);
    expect((await session.act(step('continue'), { mode: 'walk' })).state).toEqual(run.states.at(-1));
  });
});

describe('auto', () => {
  const run = runNamed('calls in a loop');
  const sure = (exact: number, horizon: number) => ({
    ...defaultAccuracy,
    step_into: { exact: 0.99, horizon: 1 },
    step_return: { exact, horizon },
  });

  it.each([
    ['walks where single steps are likely to be right', sure(0.5, 20), 'walk'],
    ['jumps where a jump is more likely to be right', sure(0.9, 20), 'jump'],
    [
      'walks where that was measured to be right more often',
      { ...sure(0.9, 20), step_return: { exact: 0.9, walked: 0.95, horizon: 20 } },
      'walk',
    ],
    [
      'jumps where that was measured to be right more often',
      { ...sure(0.5, 20), step_return: { exact: 0.5, walked: 0.4, horizon: 20 } },
      'jump',
    ],
    ['jumps where the way is longer than it may walk', sure(0.01, 300), 'jump'],
  ] as const)('%s', async (_name, accuracy, mode) => {
    const { open } = worldOf(run, { accuracy });
    const session = await open();
    const answer = await session.act(step('step_return'), { mode: 'auto' });
    expect(answer).toMatchObject({ mode, origin: 'model', expectedHorizon: accuracy.step_return.horizon });
  });

  it('jumps after a walk that came to nothing, and forgets the way', async () => {
    const { open } = worldOf(run, { accuracy: sure(0.5, 4) });
    const session = await open();
    const answer = await session.act(step('step_return'), { mode: 'auto', maxSteps: 5 });
    expect(answer).toMatchObject({ mode: 'jump', parent: 1, state: run.states.at(-1) });
    expect(session.answers().map(({ number }) => number)).toEqual([1, answer.number]);
  });

  it('goes back on the path of the session with certainty, without a store and without the model', async () => {
    const { open, oracle } = worldOf(run, { trajectory: undefined as unknown as StateStore }, 0.9999);
    const session = await open(3);
    const over = await session.act(step('step_over'));
    const into = await session.act(step('step_into'));
    const asked = oracle.requests.length;
    const back = await session.act(step('inv_step_into'), { mode: 'auto' });
    expect(back).toMatchObject({ origin: 'derived', state: over.state, horizon: 1 });
    expect(back.probability).toEqual({ event: 1, line: 1, locals: new Map() });
    const further = await session.act(step('inv_step_over'), { mode: 'auto' });
    expect(further).toMatchObject({ origin: 'derived', state: stateAt(run, 3), horizon: 0 });
    expect(oracle.requests.length).toBe(asked);
    expect(into.number).toBeLessThan(back.number);
    // What was stepped over is not known: neither the event before nor a line inside.
    const inside = await session.act(step('inv_step_into'), { mode: 'auto', from: over.number });
    expect(inside).toMatchObject({ origin: 'model', mode: 'jump' });
    await session.act(step('inv_breakpoint', 2), { mode: 'auto', from: over.number }).catch(() => undefined);
    expect(oracle.requests.length).toBe(asked + 2);
  });

  it('does not take the past of an edited state for its own', async () => {
    const { open, oracle } = worldOf(run);
    const session = await open();
    for (let index = 0; index < 3; index += 1) await session.act(step('step_into'));
    const edited = session.edit(0, new Map([['s', '99']]));
    expect(await codeOf(session.act(step('inv_step_into'), { mode: 'auto', from: edited.number }))).toBe(
      'internal',
    );
    expect(oracle.requests.length).toBe(4);
  });

  it('keeps worlds apart', async () => {
    const { open, access, oracle } = worldOf(run);
    await (await open()).act(step('step_return'), { mode: 'walk' });
    const asked = oracle.requests.length;
    const others: Partial<ModelAccess>[] = [
      { modelDigest: 'n' },
      { maxAnswerTokens: 400 },
      { setting: 'bf16' },
    ];
    for (const change of others) {
      const session = await DebugSession.open({ ...access, ...change }, run.program, settings);
      expect((await session.act(step('step_into'), { mode: 'auto' })).origin).toBe('model');
    }
    const sampled = { ...settings, sampling: { temperature: 1, topP: 1, seed: 1 } };
    const session = await DebugSession.open(access, run.program, sampled);
    expect((await session.act(step('step_into'), { mode: 'auto' })).origin).toBe('model');
    expect(oracle.requests.length).toBe(asked + 4);
  });
});
