/** CruxEval's output task: what does the call give? Asked by walking step by step, by three kinds of jump, and by combinations of them. */
import { readCall } from '../debugger/entry-binding.js';
import { lex } from '../debugger/language/lexer.js';
import { type Program, parseProgram } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import type { ModelAccess } from '../session/ask-model.js';
import { ruleAnswer } from './baseline.js';
import { type BatchOptions, type BatchResult, runBatch } from './cruxeval-batch.js';
import { canonicalValue, type EntryFunction, entryFunction } from './cruxeval-entry.js';
import {
  type Attempt,
  type AttemptEnd,
  breakpointJump,
  isReached,
  jump,
  lastState,
  type Predictor,
  plain,
  predictorOf,
  startState,
  stepsOf,
  walk,
} from './cruxeval-predict.js';
import type { CruxProblem } from './cruxeval-problems.js';
import { compareWalk, type RealRuns, type WalkTruth } from './cruxeval-truth.js';
import { equalityKey, valuesEqual } from './cruxeval-value.js';

export const jumpKinds = ['step_return', 'breakpoint', 'continue'] as const;
export type JumpKind = (typeof jumpKinds)[number];
/** `auto`: the walk, if it ends soon, else a jump (over breakpoints if that was made, else the first). `vote`: the value most attempts agree on. */
export type OutputMethod = 'walk' | JumpKind | 'auto' | 'vote';
export type OutputMode = 'walk' | 'jump' | 'auto';

export interface OutputOptions extends BatchOptions {
  readonly mode: OutputMode;
  /** Jumps to make; not empty. */
  readonly jumps: readonly JumpKind[];
  /** Steps after which a walk is given up. */
  readonly maxSteps: number;
  /** Steps within which `auto` trusts a walk. */
  readonly autoSteps: number;
  /** Real runs to hold the walks against; none without. */
  readonly truth?: RealRuns;
}

export interface MethodResult {
  /** null: the attempt did not end at the return of the entry's frame. */
  readonly predicted: string | null;
  readonly right: boolean;
  readonly end: AttemptEnd;
  readonly steps: number;
  /** Of the whole attempt, in 0..1. */
  readonly probability: number;
}

export interface OutputResult {
  readonly id: string;
  readonly output: string;
  /** The output as a value of the trace language, which bounds its length. */
  readonly canonical: string;
  readonly methods: Readonly<Partial<Record<OutputMethod, MethodResult>>>;
  /** Right answers of the rules beside the model. */
  readonly baseline: {
    readonly first_argument: boolean;
    readonly any_argument: boolean;
    readonly rule: boolean;
  };
  /** null: not asked for, or no walk. */
  readonly truth: WalkTruth | null;
}

/** The method whose accuracy is the run's `pass_at_1`. */
export const mainMethod = ({ mode, jumps }: Pick<OutputOptions, 'mode' | 'jumps'>): OutputMethod =>
  mode === 'jump' ? (jumps[0] ?? 'step_return') : mode;

export function evaluateOutput(
  access: ModelAccess,
  problems: readonly CruxProblem[],
  options: OutputOptions,
): Promise<BatchResult<OutputResult>> {
  return runBatch(problems, options, (problem) => solve(access, problem, options));
}

async function solve(
  access: ModelAccess,
  problem: CruxProblem,
  options: OutputOptions,
): Promise<OutputResult> {
  const program = parseProgram(problem.code, `${problem.entry}(${problem.input})`);
  const entry = entryFunction(program, problem.entry);
  const predict = predictorOf(access, program);
  const start = await startState(program, predict);
  const attempts = await attemptAll(predict, start, entry, options);
  const judge = (attempt: Attempt): MethodResult => judged(attempt, problem.output);
  const methods: Partial<Record<OutputMethod, MethodResult>> = Object.fromEntries(
    [...attempts].map(([method, attempt]) => [method, judge(attempt)]),
  );
  if (options.mode === 'auto') {
    methods.auto = judge(autoAttempt(attempts, options.autoSteps));
    methods.vote = judge(voted([...attempts.values()]));
  }
  const walked = attempts.get('walk');
  const run = walked && options.truth ? await options.truth(problem) : null;
  return {
    id: problem.id,
    output: problem.output,
    canonical: canonicalValue(problem.output),
    methods,
    baseline: baselineOf(program, start, problem.output),
    truth: walked && run ? compareWalk(program, walked.states, run) : null,
  };
}

async function attemptAll(
  predict: Predictor,
  start: DebuggerState,
  entry: EntryFunction,
  { mode, jumps, maxSteps }: OutputOptions,
): Promise<Map<OutputMethod, Attempt>> {
  const attempts = new Map<OutputMethod, Attempt>();
  if (mode !== 'jump') attempts.set('walk', await walk(predict, start, { maxSteps }));
  if (mode === 'walk') return attempts;
  const lines = [...new Set(entry.returns.map(({ line }) => line))].sort((a, b) => a - b);
  for (const kind of jumps) {
    const attempt =
      kind === 'breakpoint' ? breakpointJump(predict, start, lines) : jump(predict, start, kind);
    attempts.set(kind, await attempt);
  }
  return attempts;
}

const answeredBy = (attempt: Attempt): string | null =>
  isReached(attempt) ? (lastState(attempt).value ?? null) : null;

function judged(attempt: Attempt, output: string): MethodResult {
  const predicted = answeredBy(attempt);
  return {
    predicted,
    right: predicted !== null && valuesEqual(predicted, output),
    end: attempt.end,
    steps: stepsOf(attempt),
    probability: attempt.probability,
  };
}

function autoAttempt(attempts: ReadonlyMap<OutputMethod, Attempt>, within: number): Attempt {
  const walked = attempts.get('walk') as Attempt;
  if (isReached(walked) && stepsOf(walked) <= within) return walked;
  const [first = walked] = [...attempts].flatMap(([method, attempt]) => (method === 'walk' ? [] : [attempt]));
  return attempts.get('breakpoint') ?? first;
}

/** The first attempt of those whose value most attempts share; without any value the first of all. */
export function voted(attempts: readonly Attempt[]): Attempt {
  const keyOf = (attempt: Attempt): string | null => {
    const value = answeredBy(attempt);
    return value === null ? null : (equalityKey(value) ?? value);
  };
  const keys = attempts.map(keyOf);
  const votes = (key: string | null): number =>
    key === null ? 0 : keys.filter((other) => other === key).length;
  const best = attempts.reduce(
    (found, _, index) => (votes(keys[index] ?? null) > votes(keys[found] ?? null) ? index : found),
    0,
  );
  return attempts[best] as Attempt;
}

/** "The output is an argument", and what the rule that knows no values says. */
function baselineOf(program: Program, start: DebuggerState, output: string): OutputResult['baseline'] {
  const call = readCall(lex(program.call));
  const given = call ? [...call.positional, ...call.keywords.values()] : [];
  const isOutput = (value: string | undefined): boolean => value !== undefined && valuesEqual(value, output);
  return {
    first_argument: isOutput(given[0]),
    any_argument: given.some(isOutput),
    rule: isOutput(ruleAnswer(program, start, plain('step_return')).value),
  };
}
