/** Real runs of problems, to hold a walk against: the index of its first wrong step. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, depth, type EventKind } from '../debugger/state.js';
import type { CruxProblem } from './cruxeval-problems.js';
import { runForetracePython } from './cruxeval-python.js';

/** One event of a real run, as `python -m foretrace trace --json` prints it. */
export interface RealEvent {
  readonly event: EventKind;
  readonly line: number;
  /** Frames of the program on the stack; 1 is the entry's. */
  readonly depth: number;
  readonly locals: Readonly<Record<string, string>>;
  readonly value?: string;
}

/** `failed`: why there is no whole run (it never entered the function, or a limit stopped it). */
export type RealRun = { readonly events: readonly RealEvent[] } | { readonly failed: string };

export type RealRuns = (problem: CruxProblem) => Promise<RealRun>;

/** How far a walk went right. */
export type WalkTruth =
  | {
      /** Steps of the real run. */
      readonly length: number;
      /** Index of the first wrong step, from 1 (0: the predicted start was wrong); null: all are right, to the return. */
      readonly first_wrong: number | null;
      /** Whether the run itself ended by an exception nobody caught. */
      readonly raised: boolean;
      /** What the run returned, bounded as all values are. */
      readonly value: string | null;
    }
  | { readonly failed: string };

/** Compares what a debugger shows: event, line, depth, the locals of the current frame, the value. */
export function compareWalk(program: Program, states: readonly DebuggerState[], run: RealRun): WalkTruth {
  if ('failed' in run) return run;
  const { events } = run;
  const wrong = events.findIndex((event, index) => {
    const state = states[index];
    return state === undefined || !isSame(program, state, event);
  });
  const [before, last] = events.slice(-2);
  const raised = before?.event === 'exception' && before.depth === 1 && last?.value === 'None';
  return {
    length: events.length - 1,
    first_wrong: wrong < 0 ? null : wrong,
    raised,
    value: last?.value ?? null,
  };
}

function isSame(program: Program, state: DebuggerState, real: RealEvent): boolean {
  const { line, locals } = currentFrame(state);
  const names = Object.keys(real.locals);
  return (
    state.event === real.event &&
    line === codeLineOf(program, real.line) &&
    depth(state) === real.depth &&
    state.value === real.value &&
    locals.size === names.length &&
    names.every((name) => locals.get(name) === real.locals[name])
  );
}

/** CPython also reports lines inside strings, which stand for the last code line before them. */
const codeLineOf = ({ codeLines }: Program, line: number): number =>
  codeLines.findLast((code) => code <= line) ?? codeLines[0] ?? line;

export interface RealRunOptions {
  readonly python: string;
  /** Events after which a run is stopped. */
  readonly maxEvents: number;
  /** Seconds after which a run is stopped. */
  readonly timeout: number;
}

/** Runs each problem it is asked about in the sandbox, at most two at a time. */
export function realRuns(options: RealRunOptions): RealRuns {
  const room = new Room(2);
  return (problem) => room.within(() => runOnce(problem, options));
}

/** At most `limit` inside. */
class Room {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.inside >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inside += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Whoever waits takes the place over.
      if (next) next();
      else this.inside -= 1;
    }
  }
}

async function runOnce(
  problem: CruxProblem,
  { python, maxEvents, timeout }: RealRunOptions,
): Promise<RealRun> {
  const folder = await mkdtemp(join(tmpdir(), 'foretrace-truth-'));
  try {
    const file = join(folder, 'program.py');
    await writeFile(file, problem.code);
    const call = `${problem.entry}(${problem.input})`;
    const limits = ['--max-events', String(maxEvents), '--timeout', String(timeout)];
    const { code, lines, complaint } = await runForetracePython(python, [
      'trace',
      file,
      `--call=${call}`,
      '--json',
      ...limits,
    ]);
    if (code !== 0) return { failed: reasonOf(complaint) };
    return { events: lines.map((line) => JSON.parse(line) as RealEvent) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The error's code, or the first word of what a limit says. */
function reasonOf(complaint: string): string {
  try {
    return String((JSON.parse(complaint) as { error: { code: unknown } }).error.code);
  } catch {
    return /stopped: (\w+)/.exec(complaint)?.[1] ?? 'no run';
  }
}
