/** Whether an action can be asked of a state, and whether a state fits its program. */
import { ForetraceError } from '../errors.js';
import { type Action, actionKinds, isReverse, takesLines } from './action.js';
import { gotLimit } from './language/encode.js';
import { linesOfEvent, loopsOf, type Program } from './program.js';
import { type DebuggerState, depth, eventKinds, type Frame, isBeforeEntry } from './state.js';

/** Most frames of a state, hidden ones included; the engine's automaton holds 4096. */
const maximumDepth = 4000;
/** Most characters of one given value: far above what the tracer or the model writes, far below what would fill the memory. */
const maximumValueLength = 65_536;

/** The `return` of the outermost frame, where the entry makes no other call: nothing comes after it. */
export const isAtEnd = (state: DebuggerState, program: Program): boolean =>
  state.event === 'return' && depth(state) === 1 && !program.hasSeveralCalls;

/** The `call` of the outermost frame, where the entry makes no other call: nothing comes before it. */
export const isAtStart = (state: DebuggerState, program: Program): boolean =>
  state.event === 'call' && depth(state) <= 1 && !program.hasSeveralCalls;

/** Throws past_end, past_start, invalid_action or invalid_breakpoint if `action` cannot be asked of `state`. */
export function checkAction(program: Program, state: DebuggerState, action: Action): void {
  if (!actionKinds.includes(action.kind)) {
    throw new ForetraceError('invalid_action', 'The action is unknown.', {
      expected: actionKinds.join(', '),
      actual: String(action.kind),
    });
  }
  if (takesLines(action.kind)) checkLines(program, action);
  else if (action.lines.length > 0) {
    throw new ForetraceError('invalid_action', `${action.kind} takes no lines.`, {
      actual: action.lines.join(', '),
    });
  }
  if (isBeforeEntry(state)) {
    if (action.kind === 'step_into') return;
    if (isReverse(action.kind)) {
      throw new ForetraceError('past_start', 'Nothing comes before the entry.', {
        expected: 'step_into',
        actual: action.kind,
      });
    }
    throw new ForetraceError('invalid_action', 'Before the entry only step_into is possible.', {
      expected: 'step_into',
      actual: action.kind,
    });
  }
  if (!isReverse(action.kind) && isAtEnd(state, program)) {
    throw new ForetraceError(
      'past_end',
      'The current state is the last one of the run; nothing comes after it.',
      { expected: 'a reverse action', actual: action.kind },
    );
  }
  if (isReverse(action.kind) && isAtStart(state, program)) {
    throw new ForetraceError(
      'past_start',
      'The current state is the first one of the run; nothing comes before it.',
      { expected: 'a forward action', actual: action.kind },
    );
  }
}

function checkLines(program: Program, { kind, lines }: Action): void {
  if (lines.length === 0) {
    throw new ForetraceError('invalid_action', `${kind} needs at least one line.`, {
      expected: 'at least one line',
      actual: 'none',
    });
  }
  const executable = new Set(program.executableLines);
  const wrong = lines.find((line) => !executable.has(line));
  if (wrong !== undefined) throw noCode(program, wrong);
  if (lines.some((line, index) => index > 0 && line <= (lines[index - 1] ?? 0))) {
    throw new ForetraceError('invalid_action', 'The lines of a breakpoint set ascend.', {
      actual: lines.join(', '),
    });
  }
}

/** Throws invalid_state unless the state fits the program: lines, names, loop counters, value. */
export function checkState(program: Program, state: DebuggerState): void {
  const fail = (message: string, expected: string, actual: string): never => {
    throw new ForetraceError('invalid_state', message, { expected, actual });
  };
  const { event, frames, hiddenFrames, value } = state;
  if (!eventKinds.includes(event)) fail('The event is unknown.', eventKinds.join(', '), String(event));
  if (frames.length === 0) fail('The state has no frame.', 'at least one frame', 'none');
  const mostHidden = maximumDepth - frames.length;
  if (mostHidden < 0) fail('The stack is too deep.', `at most ${maximumDepth} frames`, String(frames.length));
  if (!Number.isInteger(hiddenFrames) || hiddenFrames < 0 || hiddenFrames > mostHidden) {
    fail('The number of hidden frames is out of range.', `0 to ${mostHidden}`, String(hiddenFrames));
  }
  const hasValue = event === 'return' || event === 'exception';
  if (hasValue !== (value !== undefined))
    fail(
      `A ${event} state has ${hasValue ? 'a' : 'no'} value.`,
      hasValue ? 'a value' : 'no value',
      value ?? 'no value',
    );
  if (value !== undefined && value.length > maximumValueLength)
    fail('The value is too long.', `at most ${maximumValueLength} characters`, String(value.length));
  frames.forEach((frame, index) => {
    const wrong = misfit(program, frame, index === frames.length - 1 ? event : 'paused');
    if (wrong !== undefined)
      fail(`Frame ${index} does not fit the program: ${wrong.what}.`, wrong.expected, wrong.actual);
  });
}

/** What is wrong with a frame. */
function misfit(
  program: Program,
  frame: Frame,
  event: DebuggerState['event'] | 'paused',
): { what: string; expected: string; actual: string } | undefined {
  const { line, locals, its, gots, lineBefore } = frame;
  const onLine = program.scopes.filter((scope) => linesOfEvent(scope, event).includes(line));
  if (onLine.length === 0)
    return { what: `the line of a ${event} frame`, expected: 'a line of a function', actual: String(line) };
  const fitting = onLine.filter((scope) => [...locals.keys()].every((name) => scope.names.includes(name)));
  if (fitting.length === 0) {
    const known = new Set(onLine.flatMap((scope) => scope.names));
    const unknown = [...locals.keys()].filter((name) => !known.has(name));
    return {
      what: 'its locals',
      expected: `names among ${[...known].join(', ')}`,
      actual: unknown.join(', '),
    };
  }
  const loops = fitting.map((scope) => loopsOf(scope, line).length);
  if (!loops.includes(its.length))
    return {
      what: 'its loop counters (its)',
      expected: `${loops.join(' or ')} of them`,
      actual: `${its.length}`,
    };
  const wrong = its.find((count) => !Number.isInteger(count) || count < 0 || count > 999_999_999);
  if (wrong !== undefined)
    return { what: 'a loop counter', expected: '0 to 999999999', actual: String(wrong) };
  const isLine =
    lineBefore === undefined || lineBefore === 0 || fitting.some(({ lines }) => lines.includes(lineBefore));
  if (!isLine)
    return { what: 'the line before', expected: 'a line of the function, or 0', actual: String(lineBefore) };
  if (gots.length > gotLimit)
    return { what: 'its gots', expected: `at most ${gotLimit}`, actual: String(gots.length) };
  const long = [...locals.values(), ...gots].find((text) => text.length > maximumValueLength);
  return long === undefined
    ? undefined
    : {
        what: 'a value',
        expected: `at most ${maximumValueLength} characters`,
        actual: String(long.length),
      };
}

/** The error for a breakpoint on a line where nothing stops. */
export function noCode({ source, whole, executableLines }: Program, line: number): ForetraceError {
  const what = source === whole ? 'a function' : 'a function that the call reaches';
  return new ForetraceError('invalid_breakpoint', `Line ${line} holds no code of ${what}.`, {
    expected: `one of the lines ${executableLines.join(', ')}`,
    actual: String(line),
  });
}
