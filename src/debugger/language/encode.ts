/** Keyframes, actions and deltas as tokens (docs/trace-language.md, sections 5 and 6). */
import { ForetraceError } from '../../errors.js';
import { type Action, isReverse, takesLines } from '../action.js';
import { lineTokenOf, type Program } from '../program.js';
import { currentFrame, type DebuggerState, depth, type Frame } from '../state.js';
import { encodeHere, withValues } from './here.js';
import { encodeChange } from './patches.js';
import { actionToken, eventToken, special, textTokens } from './tokens.js';
import { encodeValue } from './values.js';

/** Frames a keyframe shows, the current one included; the outermost are dropped. */
export const stackLimit = 24;
/** Values of calls a frame keeps, the latest. */
export const gotLimit = 16;

/**
 * The keyframe of a state; null is the state before the entry. Throws invalid_state if the state names something the program does not have,
 * hidden_arguments if nothing is known before the entry.
 */
export function encodeKeyframe(program: Program, state: DebuggerState | null): readonly number[] {
  if (state === null) {
    if (program.hidesArguments) throw hiddenArguments(program);
    return [special.keyframe];
  }
  const known = keyframes.get(state);
  if (known?.program === program) return known.tokens;
  const tokens = writtenKeyframe(program, state);
  keyframes.set(state, { program, tokens });
  return tokens;
}

/** A state is asked about several times, and never changes. */
const keyframes = new WeakMap<DebuggerState, { program: Program; tokens: readonly number[] }>();

function writtenKeyframe(program: Program, state: DebuggerState): number[] {
  const out = [special.keyframe];
  const frames = state.frames.slice(-stackLimit);
  const current = frames.pop();
  if (current === undefined) return out;
  for (const frame of frames) {
    out.push(special.frame);
    writeFrame(program, frame, frame.locals, out);
  }
  out.push(eventToken(state.event));
  writeFrame(program, current, current.locals, out);
  writeValue(program, state, out);
  return out;
}

export const hiddenArguments = (program: Program): ForetraceError =>
  new ForetraceError('hidden_arguments', 'The entry hides its arguments: what it calls with is unknown.', {
    expected: 'a start state, or a call with its arguments',
    actual: program.call,
  });

/** An action; each of its lines stands for its code line. Throws invalid_action. */
export function encodeAction(program: Program, action: Action): number[] {
  const lines = [...new Set(action.lines.map((line) => lineTokenOf(program, line)))].sort((a, b) => a - b);
  if (takesLines(action.kind) !== lines.length > 0) {
    const expected = takesLines(action.kind) ? 'at least one line' : 'no lines';
    throw new ForetraceError('invalid_action', `${action.kind} takes ${expected}.`, {
      expected,
      actual: `${lines.length} lines`,
    });
  }
  return [actionToken(action.kind), ...lines];
}

/** What the model is asked: program, keyframe, the line about to run (for a forward action) with what was worked out of it, action. */
export function encodePrompt(
  program: Program,
  state: DebuggerState | null,
  action: Action,
  worked?: ArrayLike<number>,
): Int32Array {
  const here = state === null || isReverse(action.kind) ? [] : encodeHere(program, state, worked);
  return joined(program, encodeKeyframe(program, state), [...here, ...encodeAction(program, action)]);
}

/**
 * What the model is asked for the value of an expression: program, keyframe, expression (the tokens `encodeExpression` gives, perhaps with what was worked
 * out of it) with the values of its names.
 */
export const encodeEvaluation = (
  program: Program,
  state: DebuggerState,
  expression: readonly number[],
): Int32Array =>
  encodeAsked(program, state, [special.evaluate, ...withValues(program, expression, currentFrame(state))]);

/** An answer to an expression, without its end. */
export const encodeAnswer = (
  program: Program,
  { outcome, text }: { readonly outcome: 'value' | 'exception'; readonly text: string },
): number[] => [outcome === 'value' ? special.value : eventToken('exception'), ...encodeValue(program, text)];

/** A question as it is written behind program and keyframe. */
export const encodeAsked = (
  program: Program,
  state: DebuggerState | null,
  asked: readonly number[],
): Int32Array => joined(program, encodeKeyframe(program, state), asked);

function joined(program: Program, keyframe: readonly number[], asked: readonly number[]): Int32Array {
  const prompt = new Int32Array(program.tokens.length + keyframe.length + asked.length);
  prompt.set(program.tokens);
  prompt.set(keyframe, program.tokens.length);
  prompt.set(asked, program.tokens.length + keyframe.length);
  return prompt;
}

/**
 * The delta from one state to another. `common`: how many frames, from the outermost, stay on the stack all the way
 * between the two (a generator that left and came back has not stayed). `holds`: what the condition on the line about to run came to.
 */
export function encodeDelta(
  program: Program,
  before: DebuggerState,
  after: DebuggerState,
  common: number,
  holds?: boolean,
): number[] {
  const out: number[] = holds === undefined ? [] : [holds ? special.holds : special.fails];
  for (let left = depth(before) - common; left > 0; left -= 1) out.push(special.pop);
  const hidden = Math.max(before.hiddenFrames, depth(before) - stackLimit);
  const base = common > hidden ? before.frames[common - 1 - before.hiddenFrames]?.locals : undefined;
  const empty: ReadonlyMap<string, string> = new Map();
  for (let level = Math.max(common - 1, 0); level < depth(after); level += 1) {
    const frame = after.frames[level - after.hiddenFrames];
    if (frame === undefined) throw new ForetraceError('invalid_state', 'A frame that changed is hidden.');
    out.push(level === depth(after) - 1 ? eventToken(after.event) : special.push);
    const known = level === common - 1 ? (base ?? empty) : empty;
    writeFrame(program, frame, changes(known, frame.locals), out, known);
  }
  writeValue(program, after, out);
  out.push(special.end);
  return out;
}

function changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Map<string, string | undefined> {
  const out = new Map<string, string | undefined>();
  for (const [name, value] of after) if (before.get(name) !== value) out.set(name, value);
  for (const name of before.keys()) if (!after.has(name)) out.set(name, undefined);
  return out;
}

/** `before`: what the locals are changes of; without it they are written in full. */
function writeFrame(
  program: Program,
  frame: Frame,
  locals: ReadonlyMap<string, string | undefined>,
  out: number[],
  before?: ReadonlyMap<string, string>,
): void {
  out.push(lineTokenOf(program, frame.line));
  for (const count of frame.its) out.push(special.it, ...textTokens(String(count)));
  for (const [slot, name, value] of inSlotOrder(program, locals)) {
    out.push(slot);
    if (value === undefined) out.push(special.del);
    else for (const token of encodeChange(program, before?.get(name), value)) out.push(token);
  }
  for (const value of frame.gots.slice(-gotLimit)) {
    out.push(special.got);
    for (const token of encodeValue(program, value)) out.push(token);
  }
}

function inSlotOrder<T>(
  program: Program,
  locals: ReadonlyMap<string, T>,
): [slot: number, name: string, value: T][] {
  const out: [number, string, T][] = [];
  for (const [name, value] of locals) {
    const slot = program.slots.get(name);
    if (slot === undefined) {
      throw new ForetraceError('invalid_state', `The program has no name ${JSON.stringify(name)}.`, {
        expected: 'a name of the program',
        actual: name,
      });
    }
    out.push([slot, name, value]);
  }
  return out.sort(([a], [b]) => a - b);
}

function writeValue(program: Program, { event, value }: DebuggerState, out: number[]): void {
  if (event !== 'return' && event !== 'exception') return;
  if (value === undefined) throw new ForetraceError('invalid_state', `A ${event} state has a value.`);
  out.push(special.value);
  for (const token of encodeValue(program, value)) out.push(token);
}
