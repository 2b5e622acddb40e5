/**
 * CruxEval's input task: which arguments give the known output? The program's entry is `f(...)`, the arguments hidden; the start is what is known
 * of the run's last state (see `returnStates`); a reverse action predicts the entry's `call`. Right is what gives the output when it is run.
 */
import { parseProgram } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import type { ModelAccess } from '../session/ask-model.js';
import { unfit } from './batch.js';
import { type BatchOptions, type BatchResult, runBatch } from './cruxeval-batch.js';
import { type CandidateSource, candidatesOf, type InputMethod } from './cruxeval-candidates.js';
import type { CheckInputs, CheckRequest } from './cruxeval-check.js';
import { argumentsText, type EntryFunction, entryFunction, returnStates } from './cruxeval-entry.js';
import { isReached, jump, lastState, predictorOf, startState, walk } from './cruxeval-predict.js';
import type { CruxProblem } from './cruxeval-problems.js';
import { valuesEqual } from './cruxeval-value.js';

/** How candidates are asked forward again: does the known output come back? */
export const forwardChecks = ['jump', 'walk'] as const;
export type ForwardCheck = (typeof forwardChecks)[number];

export interface InputOptions extends BatchOptions {
  readonly methods: readonly InputMethod[];
  /** Distinct candidates of each method. */
  readonly candidates: number;
  readonly forward: readonly ForwardCheck[];
  /** Steps after which a walk, in either direction, is given up. */
  readonly maxSteps: number;
  /** The model's own, if left out. */
  readonly source?: CandidateSource;
}

/** One proposed input. */
export interface Proposal {
  readonly arguments: string;
  /** Mean over the tried `return` lines, each taken as equally probable; in 0..1. */
  readonly probability: number;
  /** Predictions it took. */
  readonly steps: number;
  /** Whether the prediction forward from it gives the known output. */
  readonly forward: Readonly<Partial<Record<ForwardCheck, boolean>>>;
  readonly right: boolean;
}

export interface Proposals<Found = Proposal> {
  /** Distinct, most probable first. */
  readonly candidates: readonly Found[];
  /** Predicted `call` states that leave a parameter without a value: they propose nothing. */
  readonly unbound: number;
}

export interface InputResult {
  readonly id: string;
  readonly output: string;
  readonly methods: Readonly<Partial<Record<InputMethod, Proposals>>>;
  /** Whether the output itself as every argument is right. */
  readonly baseline: { readonly output: boolean };
}

type Unchecked = Omit<Proposal, 'right'>;
/** What was predicted for a problem, before anything was run. */
export interface Proposed {
  readonly problem: CruxProblem;
  readonly methods: ReadonlyMap<InputMethod, Proposals<Unchecked>>;
  readonly baseline: string;
}

/** Predicts inputs for all problems; nothing runs yet. */
export const proposeInputs = (
  access: ModelAccess,
  problems: readonly CruxProblem[],
  options: InputOptions,
): Promise<BatchResult<Proposed>> =>
  runBatch(problems, options, (problem) => propose(access, problem, options));

/** Runs what was proposed. A problem whose own input does not give its output here is left out. */
export async function judgeInputs(
  { results, leftOut }: BatchResult<Proposed>,
  check: CheckInputs,
  onProgress?: (done: number, total: number) => void,
): Promise<BatchResult<InputResult>> {
  const verdicts = await check(results.map(requestOf), onProgress);
  const judged = results.map((proposed, index) => judge(proposed, verdicts[index] ?? []));
  const unsound = results.filter((_, index) => judged[index] === null);
  return {
    results: judged.filter((result) => result !== null),
    leftOut: [
      ...leftOut,
      ...unsound.map(({ problem }) => ({ id: problem.id, reason: 'own_input_is_wrong_here' })),
    ],
  };
}

async function propose(access: ModelAccess, problem: CruxProblem, options: InputOptions): Promise<Proposed> {
  const program = parseProgram(problem.code, `${problem.entry}(...)`);
  const entry = entryFunction(program, problem.entry);
  const ends = returnStates(program, entry, problem.output);
  const source = options.source ?? candidatesOf(access, options.maxSteps);
  const methods = new Map<InputMethod, Proposals<Unchecked>>();
  const forward = new ForwardAsker(access, problem, options);
  for (const method of options.methods) {
    const { candidates, unbound } = await mergedCandidates(entry, ends, (end) =>
      source(program, end, method, options.candidates),
    );
    const asked = candidates
      .slice(0, options.candidates)
      .map(async (found) => ({ ...found, forward: await forward.check(found.arguments) }));
    methods.set(method, { candidates: await Promise.all(asked), unbound });
  }
  return { problem, methods, baseline: outputAsInput(entry, problem.output) };
}

/** Candidates of all ends by what they propose; each end is taken as equally probable. */
async function mergedCandidates(
  entry: EntryFunction,
  ends: readonly DebuggerState[],
  ask: (end: DebuggerState) => ReturnType<CandidateSource>,
): Promise<Proposals<Omit<Unchecked, 'forward'>>> {
  let unbound = 0;
  const merged = new Map<string, Omit<Unchecked, 'forward'>>();
  for (const end of ends) {
    for (const { state, probability, steps } of await ask(end)) {
      const text = argumentsText(entry, state);
      if (text === null) {
        unbound += 1;
        continue;
      }
      const known = merged.get(text);
      merged.set(text, {
        arguments: text,
        probability: (known?.probability ?? 0) + probability / ends.length,
        steps: known?.steps ?? steps,
      });
    }
  }
  const candidates = [...merged.values()].sort((a, b) => b.probability - a.probability);
  return { candidates, unbound };
}

/** Predicts forward from proposed inputs; each distinct input once. */
class ForwardAsker {
  private readonly known = new Map<string, Promise<Proposal['forward']>>();

  constructor(
    private readonly access: ModelAccess,
    private readonly problem: CruxProblem,
    private readonly options: InputOptions,
  ) {}

  check(input: string): Promise<Proposal['forward']> {
    const asked = this.known.get(input) ?? this.ask(input);
    this.known.set(input, asked);
    return asked;
  }

  private async ask(input: string): Promise<Proposal['forward']> {
    const found: Partial<Record<ForwardCheck, boolean>> = {};
    for (const kind of this.options.forward) found[kind] = await this.comesBack(input, kind);
    return found;
  }

  /** A proposal that is no list of arguments, or does not bind, leads nowhere. */
  private async comesBack(input: string, kind: ForwardCheck): Promise<boolean> {
    const { code, entry, output } = this.problem;
    const { maxSteps } = this.options;
    try {
      const program = parseProgram(code, `${entry}(${input})`);
      const predict = predictorOf(this.access, program);
      const start = await startState(program, predict);
      const attempt = await (kind === 'jump'
        ? jump(predict, start, 'step_return')
        : walk(predict, start, { maxSteps }));
      return isReached(attempt) && valuesEqual(lastState(attempt).value ?? '', output);
    } catch (error) {
      unfit(error);
      return false;
    }
  }
}

/** The baseline "the arguments equal the output": the output for every parameter that needs a value. */
function outputAsInput({ parameters }: EntryFunction, output: string): string {
  const needed = (parameters ?? []).filter(
    ({ kind, fallback }, index) =>
      kind !== 'star' && kind !== 'doubleStar' && (fallback === null || index === 0),
  );
  return needed.map(({ name, kind }) => (kind === 'keyword' ? `${name}=${output}` : output)).join(', ');
}

/** The problem's own input first: where even that is not right, nothing can be judged. */
function requestOf({ problem, methods, baseline }: Proposed): CheckRequest {
  const proposed = [...methods.values()].flatMap(({ candidates }) =>
    candidates.map((found) => found.arguments),
  );
  const { id, code, entry, output, input } = problem;
  return { id, code, entry, output, candidates: [...new Set([input, baseline, ...proposed])] };
}

function judge(proposed: Proposed, verdicts: readonly (boolean | null)[]): InputResult | null {
  const { candidates } = requestOf(proposed);
  const isRight = (text: string): boolean => verdicts[candidates.indexOf(text)] === true;
  const { problem, methods, baseline } = proposed;
  if (!isRight(problem.input)) return null;
  const judged = [...methods].map(([method, found]): [InputMethod, Proposals] => [
    method,
    { ...found, candidates: found.candidates.map((one) => ({ ...one, right: isRight(one.arguments) })) },
  ]);
  return {
    id: problem.id,
    output: problem.output,
    methods: Object.fromEntries(judged),
    baseline: { output: isRight(baseline) },
  };
}

/** Those whose output comes back first; within both groups the order stays. */
export const reranked = (proposals: readonly Proposal[], by: ForwardCheck): Proposal[] =>
  [true, false].flatMap((comesBack) =>
    proposals.filter(({ forward }) => (forward[by] === true) === comesBack),
  );
