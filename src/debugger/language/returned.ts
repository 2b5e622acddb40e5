/**
 * A caller's line with the values that its calls gave in their place: behind a `return` the state has them all, in the order of the calls. Only where the
 * text tells which call gave which.
 */
import { isImmutable } from '../frozen.js';
import type { Program, Scope } from '../program.js';
import { type Running, runningFrame } from '../running.js';
import type { DebuggerState, Frame } from '../state.js';
import { statementLines, statementTokens, tokensOnLine } from '../whole-statement.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { gotLimit } from './encode.js';
import { callsIn, type Entered, givenByRound, nextInRound, type Round } from './handed.js';
import { goingOn } from './here.js';
import { inPlace, spliced, withPartAs } from './items.js';
import { type LineCall, type LineCalls, lineCalls } from './line-calls.js';
import { lineParts } from './line-parts.js';
import { isLiteral } from './literal-values.js';
import { isConstructor } from './methods.js';
import { withItems } from './opened.js';
import type { Part } from './parts.js';
import { servedAs } from './read-as.js';
import { wordToken } from './tokens.js';
import { encodeValue } from './values.js';

const forWord = wordToken('for');
const none = wordToken('None') as number;

/** A caller's line behind one of its calls. */
export interface ReturnedLine {
  /** Its code tokens, with the values in place of the calls if they are literals. */
  readonly code: readonly number[];
  /** Canonical repr of what the line computes, where that is what the last call gave. */
  readonly value?: string;
  /** What is entered next; the line is not at its last call. */
  readonly next?: LineCall | Entered;
  /** Whether the values of all calls before that stand in the code, so that it is what the code enters first. */
  readonly isReplaced?: boolean;
  /** Otherwise, or where what it gave is no literal, the call that has returned just now, and the canonical repr of what it gave. */
  readonly given?: { readonly part: Part; readonly text: string };
  /** What a builtin has called with all that it has, and the values that gave: nothing more is entered, though what it makes of them is not told. */
  readonly over?: { readonly round: Round; readonly values: readonly (readonly number[])[] };
}

/**
 * The line of the caller behind a `return`, its calls so far replaced; undefined for other states, where the calls cannot be told, and where a value that is
 * needed is no literal. `worked`: the code tokens of the line, where some of its expressions were worked out.
 */
export function returnedLine(
  program: Program,
  state: DebuggerState,
  worked?: readonly number[],
): ReturnedLine | undefined {
  const { event, value: last = '' } = state;
  const frame = event === 'return' ? goingOn(state) : undefined;
  if (frame === undefined) return undefined;
  const texts = [...frame.gots, last];
  if (texts.length > gotLimit) return undefined;
  const running = runningFrame(program, state);
  if (running && statementLines(running).size > 1) return behindAll(program, state, running, texts);
  const code = withItems(program, frame, worked ?? tokensOnLine(program, frame, running));
  return behindCalls(program, state, frame, code, texts);
}

/** The same of a statement on several lines, where all its calls are among those that gave `texts`. */
function behindAll(
  program: Program,
  state: DebuggerState,
  running: Running,
  texts: readonly string[],
): ReturnedLine | undefined {
  const { frame } = running;
  const code = withItems(program, frame, servedAs(program, frame, statementTokens(program, running)));
  const found = callsOf(program, frame, code);
  const isAll = found?.isWhole === true && found.calls.length === texts.length;
  return isAll ? behindCalls(program, state, frame, code, texts) : undefined;
}

/** `code` behind calls that gave `texts`, the last of which returns. */
export function behindCalls(
  program: Program,
  state: DebuggerState,
  frame: Frame,
  code: readonly number[],
  texts: readonly string[],
): ReturnedLine | undefined {
  const found = callsOf(program, frame, code);
  if (found === undefined) return undefined;
  if (texts.length === 0) {
    const next = found.calls[0] ?? found.entered;
    return next ? { code, next, isReplaced: true } : found.isWhole ? { code } : undefined;
  }
  const calls = found.calls.slice(0, texts.length);
  if (calls.length === 0)
    return found.entered && behindRound(program, state, frame, code, found.entered, texts);
  const isLast = calls.length === texts.length;
  const last = calls.at(-1) as LineCall;
  const text = isLast ? givenByLast(last, texts.at(-1) as string, state) : undefined;
  if (isLast && text === undefined) return undefined;
  const isEnd = isLast && found.isWhole && found.calls.length === calls.length;
  if (isEnd && code[0] !== forWord && last.part === found.computed) return { code, value: text as string };
  const earlier = givenBefore(isLast ? calls.slice(0, -1) : calls, texts);
  // A list that a call gave may be one that a later call has changed.
  const kept = earlier?.every(isImmutable) ? earlier : undefined;
  const values = kept && literalsOf(program, text === undefined ? kept : [...kept, text]);
  const replaced = values && withValuesOf(calls, values, code);
  // Which calls come next may depend on what these gave.
  const further = replaced && behindCalls(program, state, frame, replaced, texts.slice(calls.length));
  if (further !== undefined) return further;
  if (!isLast) return undefined;
  const given = { part: last.part, text: text as string };
  const next = found.calls[texts.length];
  if (next) return { code, next, isReplaced: false, given };
  return isEnd && calls.length === 1 ? { code, given } : undefined;
}

/** The same where a builtin has called what it was handed. */
function behindRound(
  program: Program,
  state: DebuggerState,
  frame: Frame,
  code: readonly number[],
  entered: Entered,
  texts: readonly string[],
): ReturnedLine | undefined {
  const { round } = entered;
  const left = state.frames.at(-1)?.line ?? 0;
  if (round === undefined || !entered.callee.lines.includes(left)) return undefined;
  const own = texts.slice(0, callsIn(round));
  const values = literalsOf(program, own);
  if (values === undefined) return undefined;
  if (own.length < callsIn(round))
    return { code, next: nextInRound(entered, round, values), isReplaced: false };
  const value = own.every(isImmutable) ? givenByRound(round, values) : undefined;
  const withValue = (tokens: readonly number[]): number[] => withPartAs(code, round.part, tokens);
  if (value) return behindCalls(program, state, frame, withValue(value), texts.slice(own.length));
  const found = texts.length === own.length ? callsOf(program, frame, withValue([none])) : undefined;
  const isOver = found?.isWhole === true && found.calls.length === 0;
  return isOver ? { code, over: { round, values } } : undefined;
}

/** The tokens of values, if they are literals and no objects that are written as such. */
function literalsOf(program: Program, texts: readonly string[]): number[][] | undefined {
  const values = texts.map((text) => encodeValue(program, text));
  return values.every(isLiteral) && !derivesFromBuiltins(program) ? values : undefined;
}

/** What the call that returns gives; a class the object that its `__init__` was given. */
const givenByLast = (call: LineCall, text: string, state: DebuggerState): string | undefined =>
  isConstructor(call.callee) ? objectOf(state, call.callee) : givenAs(call, text);

/** What calls before it gave. An object that was made is not there any more. */
function givenBefore(calls: readonly LineCall[], texts: readonly string[]): string[] | undefined {
  const given = calls.map((call, at) =>
    isConstructor(call.callee) ? undefined : givenAs(call, texts[at] as string),
  );
  return given.every((text) => text !== undefined) ? given : undefined;
}

const negations = new Map([
  ['True', 'False'],
  ['False', 'True'],
]);

/** What the part of a call comes to once that has given a value; undefined where that is not told. */
function givenAs({ operands, unlike }: LineCall, text: string): string | undefined {
  if (unlike === 'unseen' || (operands && text === 'NotImplemented')) return undefined;
  if (unlike === undefined) return text;
  const negation = negations.get(text);
  return unlike === 'negation' ? negation : negation && text;
}

/** What the `__init__` that returns leaves of its object, under the name that it has all along. */
function objectOf({ frames }: DebuggerState, { positional, keptParameters }: Scope): string | undefined {
  const [name] = positional;
  return name !== undefined && keptParameters.has(name) ? frames.at(-1)?.locals.get(name) : undefined;
}

/** The calls of a line, and the part whose value it shows. */
function callsOf(
  program: Program,
  frame: Frame,
  code: readonly number[],
): (LineCalls & { readonly computed: Part | undefined }) | undefined {
  // What a loop goes over is made before its first pass.
  const line = code[0] === forWord && frame.its.at(-1) !== 0 ? undefined : lineParts(code);
  const [computed] = line?.values ?? [];
  return line && { ...lineCalls(program, frame, code, [...line.values, ...line.inner]), computed };
}

/** Code tokens with values in place of the first calls, one for each value. */
function withValuesOf(
  calls: readonly LineCall[],
  values: readonly number[][],
  code: readonly number[],
): number[] {
  const places = new Map(
    values.map((value, index) => {
      const { begin, until } = (calls[index] as LineCall).part;
      return [begin, { until, tokens: inPlace(value, code[until]) }];
    }),
  );
  return spliced(code, 0, code.length, (at) => places.get(at));
}
