/** `eval steps`: every transition is asked from its true state, through the real engine and scheduler, in batch. */
import { isReverse } from '../debugger/action.js';
import { encodePrompt } from '../debugger/language/encode.js';
import { type Program, parseProgram } from '../debugger/program.js';
import type { ModelAccess } from '../session/ask-model.js';
import { asShown } from '../session/fitting-prompt.js';
import type { Mode } from '../session/navigate.js';
import { travelAlone } from '../session/travel-alone.js';
import { pooled, unfit } from './batch.js';
import type { EvaluationCase, EvaluationData, Transition } from './cases.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { type ProgramFacts, programFacts } from './program-facts.js';
import { type CandidateSource, type ReverseOutcome, reverseOutcome, type ValidityCheck } from './reverse.js';

/** Ask reverse questions for several states as well. */
export interface CandidateOptions {
  /** How many. */
  readonly n: number;
  readonly source: CandidateSource;
  readonly check: ValidityCheck;
}

export interface StepsOptions {
  /** How an action is answered. */
  readonly mode: Mode;
  /** Programs asked about at once. */
  readonly concurrency: number;
  readonly candidates?: CandidateOptions;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What the model answered, question by question, in the order of the data. */
export interface StepsResult {
  readonly outcomes: readonly Outcome[];
  readonly reverse: readonly ReverseOutcome[];
  /** Transitions that could not be asked, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** A program in all the forms a question needs. */
interface Subject {
  readonly evaluationCase: EvaluationCase;
  readonly program: Program;
  readonly facts: ProgramFacts;
}

class StepsRun {
  readonly leftOut: Map<string, number>;
  private readonly answers: { outcomes: Outcome[]; reverse: ReverseOutcome[] }[];
  private readonly total: number;
  private done = 0;

  constructor(
    private readonly access: ModelAccess,
    data: EvaluationData,
    private readonly options: StepsOptions,
  ) {
    this.leftOut = new Map(data.leftOut);
    this.answers = data.cases.map(() => ({ outcomes: [], reverse: [] }));
    this.total = data.cases.reduce((sum, { transitions }) => sum + transitions.length, 0);
  }

  result(): StepsResult {
    return {
      outcomes: this.answers.flatMap(({ outcomes }) => outcomes),
      reverse: this.answers.flatMap(({ reverse }) => reverse),
      leftOut: this.leftOut,
    };
  }

  readonly evaluateCase = async (evaluationCase: EvaluationCase, at: number): Promise<void> => {
    const subject = this.subjectOf(evaluationCase);
    if (!subject) return;
    const answers = this.answers[at] as (typeof this.answers)[number];
    for (const position of evaluationCase.transitions.keys()) {
      try {
        answers.outcomes.push(await this.ask(subject, position));
        const reverse = await this.askForCandidates(subject, position);
        if (reverse) answers.reverse.push(reverse);
      } catch (error) {
        this.leaveOut(error, 1);
        continue;
      }
      this.advance(1);
    }
  };

  private subjectOf(evaluationCase: EvaluationCase): Subject | undefined {
    try {
      const program = parseProgram(evaluationCase.source, evaluationCase.call);
      return { evaluationCase, program, facts: programFacts(program) };
    } catch (error) {
      this.leaveOut(error, evaluationCase.transitions.length);
      return undefined;
    }
  }

  private async ask({ evaluationCase, program, facts }: Subject, position: number): Promise<Outcome> {
    const { before, action } = evaluationCase.transitions[position] as Transition;
    const { mode } = this.options;
    const answer = await travelAlone(this.access, { program, state: before, action, mode, client: 'eval' });
    const promptTokens = encodePrompt(program, before && asShown(before), action).length;
    return outcomeOf({ program, facts, evaluationCase, position, answer, promptTokens });
  }

  private async askForCandidates(
    { evaluationCase, program }: Subject,
    position: number,
  ): Promise<ReverseOutcome | undefined> {
    const { candidates: wanted } = this.options;
    const { before, after, action, index } = evaluationCase.transitions[position] as Transition;
    if (!wanted || !isReverse(action.kind)) return undefined;
    // The same question was answered before, so that it fits.
    const found = await wanted.source(program, before, action, wanted.n);
    const { source, call } = evaluationCase;
    const states = found.map(({ state }) => state);
    const valid = await wanted.check({ source, call, index, action, candidates: states });
    return reverseOutcome(action, before, after, found, valid);
  }

  private leaveOut(error: unknown, count: number): void {
    const { code } = unfit(error);
    this.leftOut.set(code, (this.leftOut.get(code) ?? 0) + count);
    this.advance(count);
  }

  private advance(count: number): void {
    this.done += count;
    this.options.onProgress?.(this.done, this.total);
  }
}

/** Asks every question of the data. @throws ForetraceError whatever the engine fails with */
export async function evaluateSteps(
  access: ModelAccess,
  data: EvaluationData,
  options: StepsOptions,
): Promise<StepsResult> {
  const run = new StepsRun(access, data, options);
  await pooled(data.cases, options.concurrency, run.evaluateCase);
  return run.result();
}
