/** Answers that are read off stored ones (docs/trajectory-store.md): which chains there are, and in which order they are tried. */
import { type Action, isReverse } from '../debugger/action.js';
import { entryState } from '../debugger/entry.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { type Derivation, type Hop, type Links, type Place, search, searchLimit } from './chain.js';
import { directionOf, endsRun, Goal, singleStep } from './goal.js';
import type { Edge, StateStore } from './store.js';
import { stateKey } from './transition.js';

/** The stored answers about one program, by one answerer, with one sampling. */
export interface World {
  readonly store: StateStore;
  /** As `worldKey` gives it. */
  readonly key: string;
  readonly program: Program;
}

/** What a derived answer rests on; `walk`: single steps alone, so that predicting every step would give the same answer bit for bit. */
export type Proof = 'walk' | 'jumps' | 'run' | 'history';

export interface DerivedState extends Derivation {
  readonly proof: Proof;
}

const forwardStep = singleStep('forward');

const hopAlong = ({ action, transition, to }: Edge, asked: DebuggerState): Hop => ({
  key: to,
  state: transition.state,
  asked,
  action,
  whole: transition.whole,
  transition,
  isBorder: endsRun(action, transition.state),
});

/** Coarse links skip more the later they come. */
const fineness: readonly Action['kind'][] = [
  'step_into',
  'inv_step_into',
  'step_over',
  'inv_step_over',
  'step_return',
  'inv_step_call',
  'breakpoint',
  'inv_breakpoint',
  'continue',
  'inv_continue',
];
const byFineness = (a: Edge, b: Edge): number =>
  fineness.indexOf(a.action.kind) - fineness.indexOf(b.action.kind);

/** Single steps in the direction of the goal. */
const fineLinks =
  ({ store, key, program }: World, { direction }: Goal): Links =>
  (at) => {
    const edge = store.node(key, at.key, program)?.edges.get(singleStep(direction).kind);
    return edge === undefined ? [] : [hopAlong(edge, at.state)];
  };

/** All answers in the direction of the goal; going forward also single steps back, where just one state is known to come after. */
const allLinks =
  ({ store, key, program }: World, { direction }: Goal): Links =>
  (at) => {
    const edges = [...(store.node(key, at.key, program)?.edges.values() ?? [])]
      .filter(({ action }) => directionOf(action) === direction)
      .sort(byFineness);
    const hops = edges.map((edge) => hopAlong(edge, at.state));
    if (direction === 'reverse') return hops;
    const after = store.successorsOf(key, at.key, program);
    const [only] = after;
    if (only?.state && after.length === 1)
      hops.push(hopBack(only.key, only.state, only.edges.get('inv_step_into')));
    return hops;
  };

const hopBack = (key: string, state: DebuggerState, edge: Edge | undefined): Hop => ({
  key,
  state,
  asked: state,
  action: singleStep('reverse'),
  whole: edge?.transition.whole ?? 0,
  isBorder: false,
});

/** The first state of the run, if it is known. */
function firstState({ store, key, program }: World): DebuggerState | undefined {
  return (
    knownEntry(program) ??
    store.node(key, stateKey(null), program)?.edges.get(forwardStep.kind)?.transition.state
  );
}

const entries = new WeakMap<Program, DebuggerState | null>();

function knownEntry(program: Program): DebuggerState | null {
  let entry = entries.get(program);
  if (entry === undefined) {
    entry = tryEntry(program);
    entries.set(program, entry);
  }
  return entry;
}

/** A program whose entry enters nothing has no first state, whoever asks. */
function tryEntry(program: Program): DebuggerState | null {
  try {
    return entryState(program);
  } catch {
    return null;
  }
}

/**
 * The run of the program up to `until`, one event after another from its first state; undefined unless every step is stored. The last element is
 * the state itself.
 */
function runUntil(world: World, until: string): (Place & { readonly edge?: Edge })[] | undefined {
  const first = firstState(world);
  if (first === undefined) return undefined;
  let at: Place & { edge?: Edge } = { key: stateKey(first), state: first };
  const run = [at];
  const seen = new Set<string>();
  while (at.key !== until) {
    if (seen.has(at.key) || run.length > searchLimit) return undefined;
    seen.add(at.key);
    const edge = world.store.node(world.key, at.key, world.program)?.edges.get(forwardStep.kind);
    if (edge === undefined) return undefined;
    at = { key: edge.to, state: edge.transition.state, edge };
    run.push(at);
  }
  return run;
}

/** Links from each state of the run to the one before it. */
function runLinks(world: World, start: string): Links | undefined {
  const run = runUntil(world, start);
  if (run === undefined) return undefined;
  const at = new Map(run.map(({ key }, index) => [key, index]));
  return ({ key }) => {
    const index = at.get(key) ?? 0;
    const before = run[index - 1];
    const edge = run[index]?.edge;
    if (before === undefined || edge === undefined) return [];
    const { whole } = edge.transition;
    return [
      {
        key: before.key,
        state: before.state,
        asked: before.state,
        action: forwardStep,
        whole,
        isBorder: index === 1,
      },
    ];
  };
}

/** What a session itself has gone through: links from a visited state to the one it was reached from. */
export interface History {
  readonly start: Place;
  readonly links: Links;
}

/**
 * The answer to `action` asked of `state`, if stored answers prove it. Going back, what the session has gone through comes first, then the run from
 * the entry, then stored answers to reverse actions; going forward, single steps come before longer ones.
 */
export function derive(
  program: Program,
  world: World | null,
  state: DebuggerState,
  action: Action,
  history?: History,
): DerivedState | null {
  const goal = new Goal(program, state, action);
  const start = { key: stateKey(state), state };
  const found = (proof: Proof, from: Place, links: Links | undefined): DerivedState | null => {
    const derivation = links === undefined ? null : search(goal, from, links);
    return derivation === null ? null : { ...derivation, proof };
  };
  const fromHistory =
    isReverse(action.kind) && history ? found('history', history.start, history.links) : null;
  if (fromHistory !== null || world === null) return fromHistory;
  const fromRun = isReverse(action.kind) ? found('run', start, runLinks(world, start.key)) : null;
  if (fromRun !== null) return fromRun;
  return found('walk', start, fineLinks(world, goal)) ?? found('jumps', start, allLinks(world, goal));
}
