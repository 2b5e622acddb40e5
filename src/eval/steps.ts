/** `eval steps`: every transition is asked from its true state, through the real engine and scheduler, in batch. */
import { type ActionKind, actionKinds, takesLines } from '../debugger/action.js';
import { grammarOf, type ProgramGrammar } from '../debugger/language/grammar.js';
import { type Program, parseProgram } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { asForetraceError, type ErrorCode } from '../errors.js';
import { greedy } from '../scheduler/request.js';
import { askModel, type ModelAccess } from '../session/ask-model.js';
import { ruleAnswer } from './baseline.js';
import type { EvaluationCase, EvaluationData, Transition } from './cases.js';
import { type Score, type Summary, scoreState, Tally } from './score.js';

/** DESIGN section 9, and the rule-only baseline beside it. */
export interface StepsReport {
  readonly n: number;
  readonly left_out: number;
  readonly left_out_reasons: Readonly<Record<string, number>>;
  readonly cases: number;
  readonly programs: number;
  readonly all: Summary;
  readonly actions: Readonly<Partial<Record<ActionKind, Summary>>>;
  readonly baseline: {
    readonly all: Summary;
    readonly actions: Readonly<Partial<Record<ActionKind, Summary>>>;
  };
  readonly horizon: readonly {
    from: number;
    to: number | null;
    n: number;
    exact: number;
    baseline_exact: number;
  }[];
}

export interface StepsOptions {
  /** Questions in flight. */
  readonly concurrency: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Bounds of the horizon classes for jumps: 1, 2-3, 4-7, 8-15, 16-31, 32 and more. */
const horizonStarts = [1, 2, 4, 8, 16, 32] as const;
const isJump = (kind: ActionKind): boolean => takesLines(kind) || !/step_(into|over)$/.test(kind);

class Results {
  readonly all = new Tally();
  readonly actions = new Map<ActionKind, Tally>();
  readonly horizon = horizonStarts.map(() => new Tally());

  add({ action, horizon }: Transition, score: Score): void {
    this.all.add(score);
    const tally = this.actions.get(action.kind) ?? new Tally();
    this.actions.set(action.kind, tally);
    tally.add(score);
    if (!isJump(action.kind)) return;
    const index = horizonStarts.findLastIndex((start) => start <= horizon);
    this.horizon[index]?.add(score);
  }

  byAction(): Partial<Record<ActionKind, Summary>> {
    const present = actionKinds.filter((kind) => this.actions.has(kind));
    return Object.fromEntries(present.map((kind) => [kind, this.actions.get(kind)?.summary()]));
  }
}

/** Codes that say that a question cannot be put into the language or the context of the model. */
const unaskable: ReadonlySet<ErrorCode> = new Set([
  'invalid_python',
  'invalid_entry',
  'program_too_long',
  'program_too_deep',
  'too_many_names',
  'context_too_long',
  'invalid_state',
  'invalid_breakpoint',
  'past_end',
  'past_start',
]);

async function predict(
  access: ModelAccess,
  program: Program,
  grammar: ProgramGrammar,
  { before, action }: Transition,
): Promise<DebuggerState> {
  const question = {
    program,
    grammar,
    state: before,
    action,
    sampling: greedy,
    client: 'eval',
    fresh: false,
  } as const;
  const { delta } = await askModel(access, { ...question, priority: 'batch' });
  return delta.state;
}

/** Runs `work` over all items with at most `limit` at once. */
async function pooled<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

export async function evaluateSteps(
  access: ModelAccess,
  data: EvaluationData,
  options: StepsOptions,
): Promise<StepsReport> {
  const model = new Results();
  const rule = new Results();
  const leftOut = new Map(data.leftOut);
  const total = data.cases.reduce((sum, { transitions }) => sum + transitions.length, 0);
  let done = 0;

  const leaveOut = (error: unknown, count: number): void => {
    const { code } = asForetraceError(error);
    // Anything but "does not fit the language or the model" is a failure of the evaluation itself.
    if (!unaskable.has(code)) throw error;
    leftOut.set(code, (leftOut.get(code) ?? 0) + count);
    done += count;
    options.onProgress?.(done, total);
  };
  const evaluateCase = async ({ source, call, transitions }: EvaluationCase): Promise<void> => {
    let program: Program;
    try {
      program = parseProgram(source, call);
    } catch (error) {
      leaveOut(error, transitions.length);
      return;
    }
    const grammar = grammarOf(program);
    for (const transition of transitions) {
      try {
        const predicted = await predict(access, program, grammar, transition);
        const { before, after, action } = transition;
        model.add(transition, scoreState(before, after, predicted));
        rule.add(transition, scoreState(before, after, ruleAnswer(program, before, action)));
      } catch (error) {
        leaveOut(error, 1);
        continue;
      }
      done += 1;
      options.onProgress?.(done, total);
    }
  };
  await pooled(data.cases, options.concurrency, evaluateCase);

  const all = model.all.summary();
  return {
    n: all.n,
    left_out: [...leftOut.values()].reduce((sum, count) => sum + count, 0),
    left_out_reasons: Object.fromEntries(leftOut),
    cases: data.cases.length,
    programs: new Set(data.cases.map(({ source }) => source)).size,
    all,
    actions: model.byAction(),
    baseline: { all: rule.all.summary(), actions: rule.byAction() },
    horizon: horizonStarts.map((from, index) => ({
      from,
      to: horizonStarts[index + 1] === undefined ? null : (horizonStarts[index + 1] as number) - 1,
      n: model.horizon[index]?.summary().n ?? 0,
      exact: model.horizon[index]?.summary().exact ?? 0,
      baseline_exact: rule.horizon[index]?.summary().exact ?? 0,
    })),
  };
}
