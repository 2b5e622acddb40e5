/** Answers that are read off stored ones (docs/trajectory-store.md): which chains there are, and in which order they are tried. */
import { type Action, isReverse } from '../debugger/action.js';
import { entryState } from '../debugger/entry.js';
import { withoutWay } from '../debugger/in-flight.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { type Derivation, type Hop, type Links, type Place, search, searchLimit } from './chain.js';
import { directionOf, endsRun, Goal, singleStep } from './goal.js';
import type { StateStore } from './store.js';
import { type Edge, stateKey } from './transition.js';

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

/** The first state of a run, where the text tells it: the arguments are literals. */
export function knownEntry(program: Program): DebuggerState | null {
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

/** States that single steps forward lead to, one after another, each with the probability of the answer that led to it. */
export interface Run {
  readonly first: DebuggerState;
  readonly steps: readonly { readonly state: DebuggerState; readonly whole: number }[];
  /** Whether nothing comes before `first`. */
  readonly isFromEntry: boolean;
}

/** The run of the program up to the state of key `until`, of which the way may not be known, from its first state on; undefined unless every step is stored. */
function storedRun(world: World, until: string): Run | undefined {
  const first = firstState(world);
  if (first === undefined) return undefined;
  const steps: { state: DebuggerState; whole: number }[] = [];
  const seen = new Set<string>();
  let at = first;
  for (let key = stateKey(first); key !== until && stateKey(withoutWay(at)) !== until; ) {
    if (seen.has(key) || steps.length >= searchLimit) return undefined;
    seen.add(key);
    const edge = world.store.node(world.key, key, world.program)?.edges.get(forwardStep.kind);
    if (edge === undefined) return undefined;
    steps.push(edge.transition);
    at = edge.transition.state;
    key = edge.to;
  }
  return { first, steps, isFromEntry: true };
}

/** Links from each state of the run to the one before it. */
function linksBack({ first, steps, isFromEntry }: Run): Links {
  const states = [first, ...steps.map(({ state }) => state)];
  const at = new Map(states.map((state, index) => [stateKey(state), index]));
  return ({ key }) => {
    const index = at.get(key) ?? 0;
    const state = states[index - 1];
    const step = steps[index - 1];
    if (state === undefined || step === undefined) return [];
    const isBorder = index === 1 && isFromEntry;
    return [{ key: stateKey(state), state, asked: state, action: forwardStep, whole: step.whole, isBorder }];
  };
}

/** The answer to a reverse action asked of the last state of a run, if it lies on the run. */
export function deriveAlong(program: Program, run: Run, action: Action): DerivedState | null {
  const state = run.steps.at(-1)?.state ?? run.first;
  const start = { key: stateKey(state), state };
  const derivation = search(new Goal(program, state, action), start, linksBack(run));
  return derivation === null ? null : { ...derivation, proof: 'run' };
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
  const run = isReverse(action.kind) ? storedRun(world, start.key) : undefined;
  const fromRun = run === undefined ? null : deriveAlong(program, run, action);
  if (fromRun !== null) return fromRun;
  return found('walk', start, fineLinks(world, goal)) ?? found('jumps', start, allLinks(world, goal));
}
