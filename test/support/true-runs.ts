/** Real runs of programs, and stores filled with true answers: an oracle in place of the network. */
import { readFileSync } from 'node:fs';
import { type Action, type ActionKind, actionKinds, takesLines } from '../../src/debugger/action.js';
import { withoutWay } from '../../src/debugger/in-flight.js';
import { type Program, parseProgram } from '../../src/debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../src/debugger/state.js';
import { StateStore, type Transition, type World, worldKey } from '../../src/trajectory/index.js';

interface GoldenFrame {
  event?: EventKind;
  line: number;
  its: number[];
  locals: Record<string, string>;
  gots: string[];
  value?: string;
}

interface GoldenRun {
  name: string;
  source: string;
  call: string;
  states: GoldenFrame[][];
  distinct: boolean;
  moves: Partial<Record<ActionKind, number[]>>;
  stops: { lines: number[]; breakpoint: number[]; inv_breakpoint: number[] }[];
}

/** One question about a run with the index of its true answer; -1: there is none. */
export interface TrueAnswer {
  readonly from: number;
  readonly action: Action;
  readonly to: number;
}

export interface TrueRun {
  readonly name: string;
  readonly program: Program;
  readonly states: readonly DebuggerState[];
  readonly answers: readonly TrueAnswer[];
}

const path = new URL('../golden/trajectory/runs.json', import.meta.url);

function stateOf(frames: readonly GoldenFrame[]): DebuggerState {
  const current = frames.at(-1) as GoldenFrame;
  return {
    event: current.event as EventKind,
    frames: frames.map(
      ({ line, its, locals, gots }): Frame => ({ line, its, gots, locals: new Map(Object.entries(locals)) }),
    ),
    hiddenFrames: 0,
    ...(current.value === undefined ? {} : { value: current.value }),
  };
}

function runOf({ name, source, call, states, moves, stops }: GoldenRun): TrueRun {
  const answers: TrueAnswer[] = [];
  const add = (kind: ActionKind, lines: readonly number[], found: readonly number[]): void => {
    for (const [from, to] of found.entries()) answers.push({ from, action: { kind, lines }, to });
  };
  for (const kind of actionKinds) if (!takesLines(kind)) add(kind, [], moves[kind] ?? []);
  for (const { lines, breakpoint, inv_breakpoint } of stops) {
    add('breakpoint', lines, breakpoint);
    add('inv_breakpoint', lines, inv_breakpoint);
  }
  return { name, program: parseProgram(source, call), states: states.map(stateOf), answers };
}

/** Runs in which every event looks different, so that a state has one future. */
export const trueRuns: readonly TrueRun[] = (JSON.parse(readFileSync(path, 'utf8')) as GoldenRun[])
  .filter(({ distinct }) => distinct)
  .map(runOf);

export const runNamed = (name: string): TrueRun => {
  const found = trueRuns.find((run) => run.name === name);
  if (!found) throw new Error(`no run ${name}`);
  return found;
};

export const certain = (state: DebuggerState, whole = 1): Transition => ({
  state,
  probability: { event: 1, line: 1, locals: new Map() },
  whole,
});

export const identity = { model: 'oracle', dialect: 'foretrace', language: 1, setting: '' };
export const greedySampling = { temperature: 0, topP: 1, seed: 0 };

/** A world that knows those true answers about a run for which `isStored` holds. */
export function worldOf(
  run: TrueRun,
  isStored: (answer: TrueAnswer) => boolean,
  store = new StateStore(64 * 1024 * 1024),
): World {
  const key = worldKey(identity, run.program.digest, greedySampling);
  for (const answer of run.answers) {
    if (answer.to < 0 || !isStored(answer)) continue;
    store.put(key, stateAt(run, answer.from), answer.action, certain(stateAt(run, answer.to)));
  }
  return { store, key, program: run.program };
}

/** What a debugger shows of a state, and what the runs here tell besides: exceptions on their way are known only to whoever walks. */
export const shown = withoutWay;

export const stateAt = (run: TrueRun, index: number): DebuggerState => run.states[index] as DebuggerState;
