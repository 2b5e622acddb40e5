/** Evaluation cases with their whole true states, as `python -m foretrace truth` recovers them. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Action, type ActionKind, actionKinds } from '../debugger/action.js';
import { lineBefore, withLine } from '../debugger/line-before.js';
import { type Program, parseProgram } from '../debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { readText } from './files.js';

interface TrueFrame {
  event?: EventKind;
  line: number;
  its: number[];
  locals: Record<string, string>;
  gots: string[];
  line_before?: number;
  value?: string;
}

interface TrueCase {
  id: unknown;
  source: string;
  call: string;
  actions: { action: string; lines?: number[] }[];
  states: { index: number; frames: TrueFrame[] }[];
}

interface LeftOutCase {
  id: unknown;
  transitions: number;
  left_out: string;
}

/** One question with its true answer. */
export interface Transition {
  readonly action: Action;
  readonly before: DebuggerState;
  readonly after: DebuggerState;
  /** Real steps between the two. */
  readonly horizon: number;
  /** Of the event of `before` in the run. */
  readonly index: number;
}

export interface EvaluationCase {
  readonly id: string;
  readonly source: string;
  readonly call: string;
  /** What the case says about itself; empty if it says nothing. */
  readonly tags: readonly string[];
  readonly transitions: readonly Transition[];
}

export interface EvaluationData {
  readonly cases: readonly EvaluationCase[];
  /** Transitions of cases that cannot be asked, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

function frameOf(
  program: Program | null,
  { line, its, locals, gots, line_before: before }: TrueFrame,
): Frame {
  const frame = { line, its, locals: new Map(Object.entries(locals)), gots };
  const known = program === null || before === undefined ? undefined : lineBefore(program, frame, before);
  return withLine(frame, known);
}

/** program: null where it is none. */
function stateOf(program: Program | null, frames: readonly TrueFrame[]): DebuggerState {
  const current = frames.at(-1);
  if (!current?.event) throw new ForetraceError('invalid_state', 'a true state has no event');
  return {
    event: current.event,
    frames: frames.map((frame) => frameOf(program, frame)),
    hiddenFrames: 0,
    ...(current.value === undefined ? {} : { value: current.value }),
  };
}

function actionOf(action: { action: string; lines?: number[] }): Action {
  const kind = actionKinds.find((known): known is ActionKind => known === action.action);
  if (!kind)
    throw new ForetraceError('invalid_action', `unknown action ${action.action}`, {
      expected: actionKinds.join(', '),
    });
  return { kind, lines: [...(action.lines ?? [])].sort((a, b) => a - b) };
}

function programOf({ source, call }: TrueCase): Program | null {
  try {
    return parseProgram(source, call);
  } catch {
    return null; // Whoever asks about it is told what is wrong.
  }
}

function caseOf(truth: TrueCase, tags: readonly string[]): EvaluationCase {
  const program = programOf(truth);
  const states = truth.states.map(({ frames }) => stateOf(program, frames));
  const transitions = truth.actions.map((action, index) => ({
    action: actionOf(action),
    before: states[index] as DebuggerState,
    after: states[index + 1] as DebuggerState,
    horizon: Math.abs((truth.states[index + 1]?.index ?? 0) - (truth.states[index]?.index ?? 0)),
    index: truth.states[index]?.index ?? 0,
  }));
  return { id: String(truth.id), source: truth.source, call: truth.call, tags, transitions };
}

/** Reads cases and recovers their true states by running the programs. @throws ForetraceError unreadable_file */
export async function readCases(
  file: string,
  python: string,
  onProgress?: (done: number, total: number) => void,
): Promise<EvaluationData> {
  const lines = readText(file, 'a file of cases')
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length === 0)
    throw new ForetraceError('unreadable_file', `${file} holds no case`, {
      expected: `at least one line ${caseFields}`,
      actual: 'none',
    });
  const packageRoot = fileURLToPath(new URL('../../python/', import.meta.url));
  const child = spawn(python, ['-m', 'foretrace', 'truth', '--data', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONPATH: packageRoot, PYTHONHASHSEED: '0', PYTHONIOENCODING: 'utf-8' },
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxComplaint);
  });
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // What it does not read any more when it has complained is of no interest.
  child.stdin.on('error', () => {}).end(`${lines.map(withExcerpt).join('\n')}\n`);
  const cases: EvaluationCase[] = [];
  const leftOut = new Map<string, number>();
  let done = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const truth = JSON.parse(line) as TrueCase | LeftOutCase;
    if ('left_out' in truth)
      leftOut.set(truth.left_out, (leftOut.get(truth.left_out) ?? 0) + truth.transitions);
    else cases.push(caseOf(truth, tagsOf(lines[done] ?? '')));
    done += 1;
    onProgress?.(done, lines.length);
  }
  if ((await exit) !== 0) {
    throw new ForetraceError('unreadable_file', `the cases in ${file} could not be read`, {
      expected: `lines ${caseFields}`,
      actual: complaint.trim(),
    });
  }
  return { cases, leftOut };
}

const caseFields = '{id, source, call, actions, states}';

/** Characters kept of what the Python side complains about. */
const maxComplaint = 2000;

/** A case, with what its call reaches of its program where that is all that is read of it. A line that is not a case is reported by the Python side. */
function withExcerpt(line: string): string {
  try {
    const given = JSON.parse(line) as { source: string; call: string };
    const { source, whole } = parseProgram(given.source, given.call);
    return source === whole ? line : JSON.stringify({ ...given, excerpt: source });
  } catch {
    return line;
  }
}

function tagsOf(line: string): readonly string[] {
  try {
    const { tags } = JSON.parse(line) as { tags?: unknown };
    return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return [];
  }
}
