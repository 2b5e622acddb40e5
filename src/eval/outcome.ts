/** What is kept of one answered question: everything that the tables, the calibration and a comparison are made of. */
import type { Action, ActionKind } from '../debugger/action.js';
import { isReverse, takesLines } from '../debugger/action.js';
import type { FieldProbability } from '../debugger/language/decoded.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type EventKind } from '../debugger/state.js';
import { ruleAnswer } from './baseline.js';
import type { EvaluationCase, Transition } from './cases.js';
import { argumentValues, knownValues } from './copying.js';
import type { LineKind, ProgramFacts } from './program-facts.js';
import { changesOf, type Score, scoreState, shows } from './score.js';
import { type ValueType, valueType } from './value-type.js';

/** A changed local or value of the true state, and who had it right. */
export interface ChangeOutcome {
  readonly type: ValueType;
  /** The value of a return or exception, not a local. */
  readonly isValue: boolean;
  readonly model: boolean;
  readonly rule: boolean;
  /** It is among the frame's arguments (values of returns and exceptions only). */
  readonly argument: boolean;
  /** It is somewhere in the state before. */
  readonly known: boolean;
}

/** A probability the model gave and whether what it was given for is true. */
export interface Forecast {
  readonly probability: number;
  readonly right: boolean;
}

export interface Outcome {
  readonly id: string;
  /** Digest of the program. */
  readonly program: string;
  /** Of the transition in its case. */
  readonly position: number;
  readonly action: Action;
  /** Real steps between the two states. */
  readonly horizon: number;
  readonly model: Score;
  readonly rule: Score;
  readonly changes: readonly ChangeOutcome[];
  readonly event: Forecast;
  readonly line: Forecast;
  /** One for each local that the answer names. */
  readonly locals: readonly Forecast[];
  readonly value: Forecast | undefined;
  /** All tokens of the answer together. */
  readonly answer: Forecast;
  readonly codeLines: number;
  readonly promptTokens: number;
  /** Locals of the current frame before. */
  readonly localCount: number;
  /** The statement that the step runs or, reversed, undoes; an event where no statement runs; undefined for jumps. */
  readonly statement: LineKind | `${Exclude<EventKind, 'line'>} event` | undefined;
  readonly tags: readonly string[];
}

/** Actions that may skip any number of steps. */
export const isJump = (kind: ActionKind): boolean => takesLines(kind) || !/step_(into|over)$/.test(kind);

export interface Answered {
  readonly program: Program;
  readonly facts: ProgramFacts;
  readonly evaluationCase: EvaluationCase;
  readonly position: number;
  readonly answer: {
    readonly state: DebuggerState;
    readonly probability: FieldProbability;
    /** Probability of the whole answer, 0..1. */
    readonly whole: number;
  };
  readonly promptTokens: number;
}

export function outcomeOf(answered: Answered): Outcome {
  const { program, facts, evaluationCase, position, answer } = answered;
  const transition = evaluationCase.transitions[position] as Transition;
  const { action, before, after, horizon } = transition;
  const ruled = ruleAnswer(program, before, action);
  const model = scoreState(before, after, answer.state);
  return {
    id: evaluationCase.id,
    program: program.digest,
    position,
    action,
    horizon,
    model,
    rule: scoreState(before, after, ruled),
    changes: changeOutcomes(answered, transition, ruled),
    ...forecasts(answer, after),
    answer: { probability: answer.whole, right: model.exact },
    codeLines: program.codeLines.length,
    promptTokens: answered.promptTokens,
    localCount: currentFrame(before).locals.size,
    statement: isJump(action.kind) ? undefined : statementOf(facts, transition),
    tags: evaluationCase.tags,
  };
}

function changeOutcomes(
  { program, facts, answer }: Answered,
  { before, after }: Transition,
  ruled: DebuggerState,
): ChangeOutcome[] {
  const known = knownValues(before);
  const parameters = facts.parameters.get(program.callLineOfFrame(after)) ?? [];
  const passed = argumentValues(before, after, parameters);
  return changesOf(before, after).map((change) => ({
    type: valueType(change.value),
    isValue: change.name === null,
    model: shows(answer.state, change),
    rule: shows(ruled, change),
    argument: change.name === null && passed.has(change.value),
    known: known.has(change.value),
  }));
}

function forecasts(
  { state, probability }: Answered['answer'],
  truth: DebuggerState,
): Pick<Outcome, 'event' | 'line' | 'locals' | 'value'> {
  const actual = currentFrame(truth);
  const guess = currentFrame(state);
  return {
    event: { probability: probability.event, right: state.event === truth.event },
    line: { probability: probability.line, right: guess.line === actual.line },
    locals: [...probability.locals].map(([name, value]) => ({
      probability: value,
      // A local that the answer deletes has no value in either state.
      right: guess.locals.get(name) === actual.locals.get(name),
    })),
    value:
      probability.value === undefined
        ? undefined
        : { probability: probability.value, right: state.value === truth.value },
  };
}

/** A step forward runs the line it starts from; a step back undoes the line it leads to. */
function statementOf({ kinds }: ProgramFacts, { action, before, after }: Transition): Outcome['statement'] {
  const state = isReverse(action.kind) ? after : before;
  return state.event === 'line'
    ? (kinds.get(currentFrame(state).line) ?? 'other')
    : (`${state.event} event` as const);
}
