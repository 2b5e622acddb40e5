/** A visited state of a session and how it came about. */
import type { Action } from '../debugger/action.js';
import type { FieldProbability } from '../debugger/language/decoded.js';
import { isAtEnd, isAtStart } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, depth } from '../debugger/state.js';
import { type DerivedState, isSingle } from '../trajectory/index.js';
import type { ModelReply } from './ask-model.js';
import { nothingSpent, type Spent, spentOn } from './spent.js';
import type { StepReply } from './step.js';

export type AnswerOrigin = 'model' | 'cache' | 'derived' | 'given';
/** One prediction, or one for each event on the way. */
export type AnswerMode = 'jump' | 'walk';

/** A visited state and how it came about. */
export interface Answer extends Spent {
  /** Number in its session, from 1. */
  readonly number: number;
  /** State it was reached from; 0 = none. */
  readonly parent: number;
  /** null: the start or an edit. */
  readonly action: Action | null;
  readonly state: DebuggerState;
  readonly origin: AnswerOrigin;
  readonly probability: FieldProbability;
  /** Of the answer as a whole: the product over all tokens that led to it, 0..1. */
  readonly whole: number;
  /** Events from the parent, 0 = unknown. */
  readonly horizon: number;
  readonly mode: AnswerMode;
  /** Events that were expected on the way when the mode was chosen; 0 = it was not. */
  readonly expectedHorizon: number;
  /** The last state of the walk before this one, if one was walked: that is what came before, not the parent. */
  readonly via?: number;
  /** The visited state this one is, where a session went back on its own path. */
  readonly same?: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

/** An answer that its session has not numbered yet. */
export type NewAnswer = Omit<Answer, 'number'>;

const certain: FieldProbability = { event: 1, line: 1, locals: new Map() };

const borders = (program: Program, state: DebuggerState) => ({
  atStart: isAtStart(state, program),
  atEnd: isAtEnd(state, program),
});

/** What one prediction said, new or stored. `before` null: the start of a session. */
export function steppedAnswer(
  program: Program,
  before: Pick<Answer, 'number' | 'state'> | null,
  action: Action | null,
  reply: StepReply,
): NewAnswer {
  const { transition, origin } = reply;
  const isOne = before === null || action === null || isSingle(before.state, action);
  return {
    parent: before?.number ?? 0,
    action,
    state: transition.state,
    origin,
    probability: transition.probability,
    whole: transition.whole,
    ...spentOn(reply),
    horizon: isOne ? 1 : 0,
    mode: 'jump',
    expectedHorizon: 0,
    ...borders(program, transition.state),
  };
}

/** What the model said when asked for candidates. */
export function predictedAnswer(
  program: Program,
  before: Pick<Answer, 'number' | 'state'>,
  action: Action,
  { delta, result, probability: whole }: ModelReply,
): NewAnswer {
  const { state, probability } = delta;
  return steppedAnswer(program, before, action, { ...result, transition: { state, probability, whole } });
}

/** A state that stored answers prove. */
export function derivedAnswer(
  program: Program,
  before: Pick<Answer, 'number' | 'state'>,
  action: Action,
  derived: DerivedState,
): NewAnswer {
  const { state, horizon, proof, key } = derived;
  const isKnown = proof === 'history';
  return {
    parent: before.number,
    action,
    state,
    origin: 'derived',
    probability: isKnown ? certain : sureOf(before.state, derived),
    whole: isKnown ? 1 : derived.before * derived.last.whole,
    ...nothingSpent,
    horizon,
    mode: 'walk',
    expectedHorizon: 0,
    ...(isKnown ? { same: Number(key) } : {}),
    ...borders(program, state),
  };
}

function sureOf(asked: DebuggerState, { state, before: way, links, last }: DerivedState): FieldProbability {
  const fields = last.transition?.probability;
  if (fields === undefined) return alongWay(asked, state, certain, way * last.whole);
  return links === 1 ? fields : alongWay(asked, state, fields, way);
}

/**
 * How sure a state is that several predictions led to: the fields of the last one, each only if all answers before it, of joint probability `way`,
 * are right. Locals that differ from those of the state that was asked, and that the last one took over, have the probability of the way.
 */
export function alongWay(
  asked: DebuggerState,
  reached: DebuggerState,
  { event, line, locals, value }: FieldProbability,
  way: number,
): FieldProbability {
  const old = hasCallersOf(asked, reached) ? currentFrame(asked).locals : new Map<string, string>();
  const sure = new Map([...locals].map(([name, probability]) => [name, probability * way]));
  for (const [name, text] of currentFrame(reached).locals) {
    if (!sure.has(name) && old.get(name) !== text) sure.set(name, way);
  }
  return {
    event: event * way,
    line: line * way,
    locals: sure,
    ...(value === undefined ? {} : { value: value * way }),
  };
}

/** Where callers have gone on, the frame is another one, and what it shares with the old one a coincidence. */
function hasCallersOf(a: DebuggerState, b: DebuggerState): boolean {
  const shown = Math.min(a.frames.length, b.frames.length);
  const callers = ({ frames }: DebuggerState): number[] => frames.slice(-shown, -1).map(({ line }) => line);
  return depth(a) === depth(b) && callers(a).join() === callers(b).join();
}

/** A state that somebody gave: a start or an edit. */
export const givenAnswer = (program: Program, parent: number, state: DebuggerState): NewAnswer => ({
  parent,
  action: null,
  state,
  origin: 'given',
  probability: certain,
  whole: 1,
  ...nothingSpent,
  horizon: 0,
  mode: 'jump',
  expectedHorizon: 0,
  ...borders(program, state),
});
