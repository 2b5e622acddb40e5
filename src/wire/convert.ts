/** Wire messages <-> domain values. Everything that comes from a client is checked here or by the domain it is handed to. */
import { type Action, type ActionKind, takesLines } from '../debugger/action.js';
import type { DecodedPart } from '../debugger/language/decoded.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type EventKind } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type { Priority, Sampling } from '../scheduler/request.js';
import type { Answer, CandidateAnswers } from '../session/debug-session.js';
import type { Evaluation } from '../session/evaluate.js';
import { defaultMode, type Mode } from '../session/navigate.js';
import {
  actionNumbers,
  eventNumbers,
  modeNumbers,
  originNumbers,
  priorityNumbers,
  type WireAction,
  type WireAnswer,
  type WireCandidateList,
  type WireError,
  type WireEvaluation,
  type WirePart,
  type WireSampling,
  type WireState,
} from './messages.js';

const invert = <Name extends string>(table: Record<Name, number>): ReadonlyMap<number, Name> =>
  new Map(Object.entries(table).map(([name, number]) => [number as number, name as Name]));
const actionNames = invert<ActionKind>(actionNumbers);
const eventNames = invert<EventKind>(eventNumbers);
const priorityNames = invert<keyof typeof priorityNumbers>(priorityNumbers);
const modeNames = invert<Mode>(modeNumbers);

/** More lines than the trace language can name, in any program. */
const mostLines = 4096;

/** @throws ForetraceError invalid_action */
export function actionFromWire(wire: WireAction | undefined | null): Action {
  const kind = actionNames.get(wire?.kind ?? 0);
  if (!wire || !kind) {
    throw new ForetraceError('invalid_action', 'the action is unknown', {
      expected: Object.keys(actionNumbers).join(', '),
      actual: String(wire?.kind ?? 'none'),
    });
  }
  const most = takesLines(kind) ? mostLines : 0;
  if (wire.lines.length > most) {
    throw new ForetraceError('invalid_action', `${kind} takes ${most === 0 ? 'no' : 'fewer'} lines`, {
      expected: `at most ${most}`,
      actual: String(wire.lines.length),
    });
  }
  return { kind, lines: [...new Set(wire.lines)].sort((a, b) => a - b) };
}

export const actionToWire = (action: Action): WireAction => ({
  kind: actionNumbers[action.kind],
  lines: [...action.lines],
});

function localsFromWire(wire: WireState['frames'][number]['locals']): Map<string, string> {
  const locals = new Map<string, string>();
  for (const { name, value } of wire) {
    if (locals.has(name)) {
      throw new ForetraceError('invalid_state', 'a frame has the same local twice', {
        expected: 'each local once',
        actual: `${name} twice`,
      });
    }
    locals.set(name, value);
  }
  return locals;
}

/** Whether an optional field is there. */
const isGiven = <T>(value: T | undefined | null): value is T => value !== undefined && value !== null;

/** @throws ForetraceError invalid_state */
export function stateFromWire(wire: WireState): DebuggerState {
  const event = eventNames.get(wire.event);
  if (!event || wire.frames.length === 0) {
    throw new ForetraceError('invalid_state', 'a state needs an event and at least one frame', {
      expected: `${Object.keys(eventNumbers).join(', ')}; frames`,
      actual: `event ${wire.event}, ${wire.frames.length} frames`,
    });
  }
  const value = isGiven(wire.value) ? { value: wire.value } : {};
  return {
    event,
    frames: wire.frames.map((frame) => ({
      line: frame.line,
      locals: localsFromWire(frame.locals),
      its: frame.its,
      gots: frame.gots,
      ...(isGiven(frame.lineBefore) ? { lineBefore: frame.lineBefore } : {}),
    })),
    hiddenFrames: wire.hiddenFrames,
    ...value,
  };
}

function stateToWire(state: DebuggerState): WireState {
  return {
    event: eventNumbers[state.event],
    frames: state.frames.map((frame) => ({
      line: frame.line,
      locals: [...frame.locals].map(([name, value]) => ({ name, value })),
      its: [...frame.its],
      gots: [...frame.gots],
      ...(frame.lineBefore === undefined ? {} : { lineBefore: frame.lineBefore }),
    })),
    hiddenFrames: state.hiddenFrames,
    ...(state.value === undefined ? {} : { value: state.value }),
  };
}

/** The function of every frame; a paused frame stands on a line. */
const functionNames = (program: Program, state: DebuggerState): string[] =>
  state.frames.map((_, index, frames) =>
    index === frames.length - 1
      ? program.functionName(state)
      : program.functionName({ event: 'line', frames: frames.slice(0, index + 1), hiddenFrames: 0 }),
  );

/** What an answer says of its state alone. */
type StateOnWire = Pick<WireAnswer, 'state' | 'function' | 'functions' | 'sourceLine'>;

/** Stored answers hand out the same states over and over: they are converted once. */
const statesOnWire = new WeakMap<DebuggerState, { readonly program: Program; readonly wire: StateOnWire }>();

function stateOnWire(program: Program, state: DebuggerState): StateOnWire {
  const known = statesOnWire.get(state);
  if (known?.program === program) return known.wire;
  const wire = {
    state: stateToWire(state),
    function: program.functionName(state),
    functions: functionNames(program, state),
    sourceLine: program.lines[currentFrame(state).line - 1] ?? '',
  };
  statesOnWire.set(state, { program, wire });
  return wire;
}

export function answerToWire(session: string, program: Program, answer: Answer): WireAnswer {
  const { probability } = answer;
  return {
    session,
    number: answer.number,
    parent: answer.parent,
    ...(answer.action ? { action: actionToWire(answer.action) } : {}),
    ...stateOnWire(program, answer.state),
    origin: originNumbers[answer.origin],
    probability: {
      event: probability.event,
      line: probability.line,
      locals: Object.fromEntries(probability.locals),
      ...(probability.value === undefined ? {} : { value: probability.value }),
    },
    tokens: { ...answer.counts },
    queueMillis: answer.queueMillis,
    computeMillis: answer.computeMillis,
    preemptions: answer.preemptions,
    horizon: answer.horizon,
    atEnd: answer.atEnd,
    atStart: answer.atStart,
    mode: modeNumbers[answer.mode],
    steps: { ...answer.steps },
    expectedHorizon: answer.expectedHorizon,
  };
}

export function evaluationToWire(
  session: string,
  { outcome, text, origin, counts, ...rest }: Evaluation & { readonly from: number },
): WireEvaluation {
  return { session, ...rest, [outcome]: text, origin: originNumbers[origin], tokens: { ...counts } };
}

export function candidatesToWire(
  session: string,
  program: Program,
  { from, candidates, draws }: CandidateAnswers,
): WireCandidateList {
  return {
    session,
    from,
    candidates: candidates.map(({ answer, probability, consistent, forwardProbability }) => ({
      answer: answerToWire(session, program, answer),
      probability,
      ...(consistent === null ? {} : { consistent }),
      ...(forwardProbability === null ? {} : { forwardProbability }),
    })),
    draws,
  };
}

/** Parts about the frames on the way (popped, pushed) are not for the screen: null. */
export function partToWire(part: DecodedPart): WirePart | null {
  switch (part.kind) {
    case 'event':
      return { event: eventNumbers[part.event], probability: part.probability };
    case 'line':
      return { line: part.line, probability: part.probability };
    case 'local':
      return part.deleted
        ? { deleted: part.name, probability: part.probability }
        : { local: { name: part.name, value: part.value }, probability: part.probability };
    case 'value':
      return { value: part.value, probability: part.probability };
    default:
      return null;
  }
}

/** Longest text of an error: it may quote what the client sent, which may be a megabyte. */
const longestText = 1_000;
const bounded = (text = ''): string => {
  const cut = text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
  // A cut may go through a character; protobuf has no halves.
  return cut.replace(/\p{Surrogate}/gu, '\uFFFD');
};

export function errorToWire(error: ForetraceError): WireError {
  const { expected, actual, line, column, retryAfterMillis } = error.details;
  return {
    code: error.code,
    message: bounded(error.message),
    expected: bounded(expected),
    actual: bounded(actual),
    line: line ?? 0,
    column: column ?? 0,
    retryable: error.retryable,
    retryAfterMillis: retryAfterMillis ?? 0,
  };
}

/** @throws ForetraceError invalid_message */
export function samplingFromWire(wire: WireSampling | undefined | null): Sampling {
  // The schema's floats: JSON brings the same question with more digits.
  const temperature = Math.fround(wire?.temperature ?? 0);
  const given = Math.fround(wire?.topP ?? 0);
  const topP = given === 0 ? 1 : given;
  if (!(temperature >= 0 && temperature <= 10) || !(topP > 0 && topP <= 1)) {
    throw new ForetraceError('invalid_message', 'sampling is out of range', {
      expected: 'temperature from 0 to 10, topP above 0 and at most 1',
      actual: `temperature ${temperature}, topP ${topP}`,
    });
  }
  return { temperature, topP, seed: wire?.seed ?? 0 };
}

function namedBy<Name extends string>(names: ReadonlyMap<number, Name>, wire: number, what: string): Name {
  const found = names.get(wire);
  if (found) return found;
  throw new ForetraceError('invalid_message', `the ${what} is unknown`, {
    expected: [...names].map(([number, name]) => `${number} (${name})`).join(', '),
    actual: String(wire),
  });
}

/** @throws ForetraceError invalid_message */
export const priorityFromWire = (wire: number): Priority => namedBy(priorityNames, wire, 'priority');

/** @throws ForetraceError invalid_message */
export const modeFromWire = (wire: number | null | undefined): Mode =>
  wire === null || wire === undefined ? defaultMode : namedBy(modeNames, wire, 'mode');
