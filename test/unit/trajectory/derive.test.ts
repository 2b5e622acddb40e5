import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, type ActionKind, isReverse } from '../../../src/debugger/action.js';
import { entryState } from '../../../src/debugger/entry.js';
import { isAtEnd, isAtStart } from '../../../src/debugger/navigate.js';
import { type DerivedState, derive, stateKey } from '../../../src/trajectory/index.js';
import {
  runNamed,
  stateAt,
  type TrueAnswer,
  type TrueRun,
  trueRuns,
  worldOf,
} from '../../support/true-runs.js';

/** A generator of numbers in 0..1 that follow from a seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const indexOf = (run: TrueRun, found: DerivedState): number => {
  const key = stateKey(found.state);
  return run.states.findIndex((state) => stateKey(state) === key);
};

const nameOf = ({ from, action }: TrueAnswer): string => `${action.kind} ${action.lines.join()} from ${from}`;

/** Whether the border of the run shows: without that nothing proves that a line was never reached. */
const showsBorder = (run: TrueRun, { action, to }: TrueAnswer): boolean => {
  const state = stateAt(run, to);
  const isStop = state.event === 'line' && action.lines.includes(state.frames.at(-1)?.line ?? 0);
  const needsBorder = /breakpoint|continue/.test(action.kind) && !isStop;
  return !needsBorder || (isReverse(action.kind) ? isAtStart : isAtEnd)(state, run.program);
};

/** Whether single steps alone lead from the question to its answer, or the run is known from the entry on. Found without the store. */
function mustBeDerived(
  run: TrueRun,
  answer: TrueAnswer,
  isStored: (kind: ActionKind, from: number) => boolean,
): boolean {
  const { from, to, action } = answer;
  if (to < 0) return false;
  const all = (kind: ActionKind, first: number, last: number): boolean => {
    for (let index = first; index <= last; index += 1) if (!isStored(kind, index)) return false;
    return true;
  };
  if (!isReverse(action.kind)) return all('step_into', from, to - 1) && showsBorder(run, answer);
  const isRunKnown = entryState(run.program) !== null && all('step_into', 0, from - 1);
  return isRunKnown || (all('inv_step_into', to + 1, from) && showsBorder(run, answer));
}

describe('answers read off stored ones, against real runs', () => {
  const questions = fc.record({
    run: fc.nat(trueRuns.length - 1),
    seed: fc.nat(),
    density: fc.constantFrom(0.1, 0.3, 0.6, 0.9, 1),
    single: fc.constantFrom(0, 0.5, 0.9, 1),
  });

  it('are those of the run, and no provable one is refused', () => {
    let derived = 0;
    let refused = 0;
    const property = fc.property(questions, ({ run: index, seed, density, single }) => {
      const run = trueRuns[index] as TrueRun;
      const next = random(seed);
      const isSingle = (action: Action): boolean => /step_into$/.test(action.kind);
      const stored = new Set(
        run.answers.filter(({ action }) => next() < (isSingle(action) ? single : density)).map(nameOf),
      );
      const world = worldOf(run, (answer) => stored.has(nameOf(answer)));
      const isStored = (kind: ActionKind, from: number): boolean =>
        stored.has(nameOf({ from, action: { kind, lines: [] }, to: 0 }));
      for (const answer of run.answers) {
        const found = derive(run.program, world, stateAt(run, answer.from), answer.action);
        if (found === null) {
          refused += 1;
          expect(mustBeDerived(run, answer, isStored), `${run.name}: ${nameOf(answer)} refused`).toBe(false);
          continue;
        }
        derived += 1;
        expect(indexOf(run, found), `${run.name}: ${nameOf(answer)} by ${found.proof}`).toBe(answer.to);
        if (found.horizon > 0) expect(found.horizon).toBe(Math.abs(answer.to - answer.from));
      }
    });
    fc.assert(property, { numRuns: 120 });
    expect(Math.min(derived, refused)).toBeGreaterThan(1000);
  });

  it.each(
    trueRuns.map((run) => [run.name, run] as const),
  )('derives every action of %s from single steps', (_name, run) => {
    const world = worldOf(
      run,
      ({ action }) => action.kind === 'step_into' || action.kind === 'inv_step_into',
    );
    for (const answer of run.answers) {
      if (answer.to < 0) continue;
      const found = derive(run.program, world, stateAt(run, answer.from), answer.action);
      if (!showsBorder(run, answer)) continue;
      expect(found && indexOf(run, found), `${nameOf(answer)}`).toBe(answer.to);
      expect(found?.horizon).toBe(Math.abs(answer.to - answer.from));
    }
  });

  it.each(
    trueRuns.map((run) => [run.name, run] as const),
  )('derives all but the borders of %s forward from steps back', (_name, run) => {
    const world = worldOf(run, ({ action }) => action.kind === 'inv_step_into');
    for (const answer of run.answers) {
      if (answer.to < 0 || isReverse(answer.action.kind) || !showsBorder(run, answer)) continue;
      const found = derive(run.program, world, stateAt(run, answer.from), answer.action);
      expect(found && indexOf(run, found), nameOf(answer)).toBe(answer.to);
      expect(found?.proof).toBe('jumps');
    }
  });
});

describe('what stored answers do not prove', () => {
  const run = runNamed('calls in a loop');
  const step = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
  const only = (...kept: [ActionKind, number][]) =>
    worldOf(run, ({ from, action }) => kept.some(([kind, at]) => kind === action.kind && at === from));

  it('a call that was stepped over may hold a breakpoint', () => {
    // Event 3 is the line that calls; the function's lines are 2 and 3.
    const world = worldOf(run, ({ action }) => action.kind === 'step_over');
    expect(derive(run.program, world, stateAt(run, 3), step('breakpoint', 2))).toBeNull();
    expect(derive(run.program, world, stateAt(run, 3), step('breakpoint', 9))).toBeNull();
    expect(derive(run.program, world, stateAt(run, 3), step('step_return'))?.state.value).toBe('2');
  });

  it('a breakpoint on more lines proves one on fewer, not the other way round', () => {
    const at = (line: number): number => run.states.findIndex((state) => state.frames.at(-1)?.line === line);
    const world = worldOf(run, () => false);
    const reached = run.answers.find(
      ({ from, action }) => from === 0 && action.kind === 'step_into',
    ) as TrueAnswer;
    expect(reached.to).toBe(1);
    const transition = (line: number) => ({
      state: stateAt(run, at(line)),
      probability: { event: 1, line: 1, locals: new Map() },
      whole: 1,
    });
    world.store.put(world.key, stateAt(run, 0), step('breakpoint', 2, 3), transition(2));
    expect(derive(run.program, world, stateAt(run, 0), step('breakpoint', 2))?.state).toEqual(
      stateAt(run, at(2)),
    );
    expect(derive(run.program, world, stateAt(run, 0), step('breakpoint', 3))).toBeNull();
    expect(derive(run.program, world, stateAt(run, 0), step('breakpoint', 2, 9))).toBeNull();
  });

  it('a state that leads here is not the one that was left, unless the run is known from its entry', () => {
    expect(derive(run.program, only(['step_into', 3]), stateAt(run, 4), step('inv_step_into'))).toBeNull();
    const run4 = worldOf(run, ({ from, action }) => action.kind === 'step_into' && from < 4);
    expect(derive(run.program, run4, stateAt(run, 4), step('inv_step_into'))).toMatchObject({
      proof: 'run',
      state: stateAt(run, 3),
    });
    expect(derive(run.program, run4, stateAt(run, 5), step('inv_step_into'))).toBeNull();
  });

  it('two states that are said to follow one state prove neither', () => {
    const world = only(['inv_step_into', 5]);
    expect(derive(run.program, world, stateAt(run, 4), step('step_into'))?.state).toEqual(stateAt(run, 5));
    world.store.put(world.key, stateAt(run, 9), step('inv_step_into'), {
      state: stateAt(run, 4),
      probability: { event: 1, line: 1, locals: new Map() },
      whole: 1,
    });
    expect(derive(run.program, world, stateAt(run, 4), step('step_into'))).toBeNull();
  });

  it('a circle proves nothing, and ends', () => {
    const world = only(['step_into', 1]);
    world.store.put(world.key, stateAt(run, 2), step('step_into'), {
      state: stateAt(run, 1),
      probability: { event: 1, line: 1, locals: new Map() },
      whole: 1,
    });
    expect(derive(run.program, world, stateAt(run, 1), step('continue'))).toBeNull();
    expect(derive(run.program, world, stateAt(run, 1), step('step_return'))).toBeNull();
  });

  it('the last event of an entry that makes several calls does not show', () => {
    const several = runNamed('several outermost calls');
    const last = several.states.length - 1;
    const walked = worldOf(several, ({ action }) => action.kind === 'step_into');
    expect(derive(several.program, walked, stateAt(several, 0), step('continue'))).toBeNull();
    const told = worldOf(several, ({ from, action }) => action.kind === 'continue' && from === last - 2);
    expect(derive(several.program, told, stateAt(several, last - 2), step('continue'))?.state).toEqual(
      stateAt(several, last),
    );
  });

  it('answers of another model, program, language or sampling', () => {
    const walked = worldOf(run, ({ action }) => action.kind === 'step_into');
    expect(
      derive(run.program, { ...walked, key: `${walked.key.slice(1)}x` }, stateAt(run, 0), step('continue')),
    ).toBeNull();
  });
});
