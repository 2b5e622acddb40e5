/**
 * Frames of generator expressions whose element stands on one line: what such a frame does next is told by its statement and by the frame that waits for it in the
 * same, in which the first iterable is read.
 */
import { isAskedOn } from './asked-on.js';
import { leavesAllAsItIs } from './harmless.js';
import { calls, mayCall, takesAll, takesOne, withMethods } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import { servedAs } from './language/read-as.js';
import { wordToken } from './language/tokens.js';
import { linesOfEvent, lineTokens, type Program, type Scope } from './program.js';
import { fits, type Running } from './running.js';
import { currentFrame, type DebuggerState, depth, type Frame } from './state.js';
import { placeOfLine, statementLines, statementTokens } from './whole-statement.js';

const [forWord, keyWord] = ['for', 'key'].map(wordToken);
const returnWord = wordToken('return') as number;
/** The name of the scopes of generator expressions. */
const expression = '<genexpr>';
const loops = new Set(['comprehension', 'generator', 'lambda']);

export interface GeneratorFrame {
  readonly own: Running;
  /** Waits for it in the same statement: the frame of a function, or of a generator expression around it. */
  readonly caller: Running;
  /** The function that the statement stands in. */
  readonly root: Running;
  /** The generator expression around it, of which `caller` is the frame. */
  readonly outer: GeneratorFrame | undefined;
  /** Code tokens of the statement; within another generator expression, `return` and what that makes. */
  readonly code: readonly number[];
  readonly part: Part;
  /** The call of a builtin that takes one item, or all of them unless the first few decide. */
  readonly consumer: Part | undefined;
  /** Whether the statement makes it once, and calls nothing besides what its passes call, but what changes nothing. */
  readonly isAlone: boolean;
  /** The lines of the statement. */
  readonly lines: ReadonlySet<number>;
  /** Whether the statement may call functions of the program. */
  readonly calls: boolean;
  /** Whether what it calls may change lists and their like. */
  readonly isStale: boolean;
  /** Whether the frame waits for something that it has called. */
  readonly isPaused: boolean;
}

/** The frame of a generator expression with one or two `for` that a state is in, if no other function is possible and it can be told which one of its line it is. */
export function generatorFrame(
  program: Program,
  state: DebuggerState,
  isPaused = false,
): GeneratorFrame | undefined {
  const [below, frame] = state.frames.slice(-2);
  if (below === undefined || frame === undefined) return undefined;
  const scope = expressionOn(program, frame, below);
  const parent = scope?.parent === undefined ? undefined : program.scopes[scope.parent];
  if (scope === undefined || parent === undefined) return undefined;
  const caller = { frame: below, scope: parent };
  const statement =
    parent.name === expression
      ? statementWithin(program, state)
      : statementAround(program, caller, frame.line);
  if (statement === undefined) return undefined;
  const { code, lines, isHere, root, outer } = statement;
  const isLoop = code[0] === forWord;
  const parts = expressionsOf(code);
  const found = parts?.flatMap((inner) => ways(inner)).filter((way) => isHere(elementOf(way.at(-1))));
  // Those in the element of another one have frames of their own below them.
  const [way, ...others] = (found ?? []).filter((one) =>
    one.slice(0, -1).every(({ kind }) => kind !== 'generator'),
  );
  if (parts === undefined || way === undefined || others.length > 0) return undefined;
  const [part, above] = way.toReversed() as [Part, Part?];
  const consumer = above?.kind === 'call' && isTaken(code, above, part) ? above : undefined;
  // The body of a loop may change what the expression goes over, unless all is taken at once.
  if (isLoop && consumer === undefined) return undefined;
  return {
    own: { frame, scope },
    caller,
    root,
    outer,
    code,
    part,
    consumer,
    isAlone:
      !isLoop && !callsBeside(code, parts, part) && way.slice(0, -1).every(({ kind }) => !loops.has(kind)),
    lines,
    calls: parts.some((inner) => mayCall(code, inner)),
    isStale: callsMore(code, parts, way) && !leavesAllAsItIs(program, root.scope, root.frame.line),
    isPaused,
  };
}

/** Whether something is called that may change something, but for what is called with what the last of these parts gives: that comes behind it. */
const callsMore = (code: readonly number[], parts: readonly Part[], way: readonly Part[]): boolean =>
  parts.some((part) => {
    const isAround = way.includes(part) && part !== way.at(-1) && part.kind === 'call';
    if (!isAround) return way.includes(part) ? inside(code, part, way) : mayCall(code, part);
    return callsMore(code, part.parts, way);
  });

/** Whether something is called that may change something, in another place than in this part. */
const callsBeside = (code: readonly number[], parts: readonly Part[], part: Part): boolean =>
  parts.some((other) => other !== part && (calls(code, other) || callsBeside(code, other.parts, part)));

const inside = (code: readonly number[], part: Part, way: readonly Part[]): boolean =>
  part === way.at(-1) ? mayCall(code, part) : callsMore(code, part.parts, way);

/** The same of the caller of a function that returns to it. */
export const pausedGenerator = (program: Program, state: DebuggerState): GeneratorFrame | undefined =>
  state.frames.length > 2 && state.event === 'return'
    ? generatorFrame(program, { ...state, frames: state.frames.slice(0, -1) }, true)
    : undefined;

/** Where what is made by a generator expression begins. */
const elementOf = (part: Part | undefined): number =>
  Math.min(...(part?.parts ?? []).map(({ begin }) => begin));

/** Whether a call takes the items of a generator expression that it is given. */
function isTaken(code: readonly number[], { parts }: Part, part: Part): boolean {
  const callee = parts[0] as Part;
  const hasKey = parts.some(({ kind, first }) => kind === 'keyword' && code[first] === keyWord);
  return (
    callee !== part && !hasKey && (takesAll(code, callee) || (takesOne(code, callee) && parts[1] === part))
  );
}

/** The statement in which a frame waits. */
interface Statement {
  readonly root: Running;
  readonly outer?: GeneratorFrame;
  readonly code: readonly number[];
  readonly lines: ReadonlySet<number>;
  /** Whether a token of the code is on the line that was asked about. */
  readonly isHere: (at: number) => boolean;
}

function statementAround(program: Program, running: Running, line: number): Statement | undefined {
  const own = statementLines(running);
  if (!own.has(line)) return undefined;
  if (own.size === 1) {
    return {
      code: servedAs(program, running.frame, lineTokens(program, line)),
      lines: own,
      isHere: () => true,
      root: running,
    };
  }
  const { first, end } = placeOfLine(program, running, line);
  const code = withMethods(program, statementTokens(program, running));
  return { code, lines: own, isHere: (at) => first <= at && at < end, root: running };
}

/** The same where that frame is one of a generator expression itself: what it makes. */
function statementWithin(program: Program, state: DebuggerState): Statement | undefined {
  const outer = generatorFrame(program, { ...state, frames: state.frames.slice(0, -1) }, true);
  const element = outer?.part.parts[1];
  if (outer === undefined || element === undefined) return undefined;
  const code = [returnWord, ...outer.code.slice(element.begin, element.until)];
  return { code, lines: outer.lines, isHere: () => true, root: outer.root, outer };
}

/** The one generator expression whose frame this can be. */
function expressionOn(program: Program, frame: Frame, below: Frame): Scope | undefined {
  const isOn = ({ name, lines }: Scope): boolean => name === expression && lines.includes(frame.line);
  const found = program.scopes.filter((scope) => isOn(scope) && fits(scope, frame));
  const called = found.filter((scope) => {
    const parent = scope.parent === undefined ? undefined : program.scopes[scope.parent];
    return parent !== undefined && fits(parent, below);
  });
  const [scope, ...others] = called;
  const isOther = program.scopes.some((other) => !isOn(other) && fits(other, frame));
  const isRead = scope?.clauses === 1 || scope?.clauses === 2;
  const isOnElement = scope?.callLines.at(-1) === frame.line;
  return isRead && others.length === 0 && isOnElement && !isOther ? scope : undefined;
}

/** The expressions of a statement; undefined where it is not read. */
function expressionsOf(code: readonly number[]): readonly Part[] | undefined {
  const line = lineParts(code);
  return line && [...line.values, ...line.inner];
}

/** The generator expressions in a part, each behind the parts it is in. */
const ways = (part: Part): Part[][] => [
  ...(part.kind === 'generator' ? [[part]] : []),
  ...part.parts.flatMap((inner) => ways(inner).map((way) => [part, ...way])),
];

/** Whether the frame has not had an item yet. */
export const isFresh = ({ namesAtCall }: Scope, { locals }: Frame): boolean =>
  [...locals.keys()].every((name) => namesAtCall.includes(name));

/** Whether the frame of a generator expression has just been called for the first time. */
export function isFirstPass(program: Program, state: DebuggerState): boolean {
  const frame = currentFrame(state);
  const isOf = (scope: Scope): boolean =>
    linesOfEvent(scope, 'call').includes(frame.line) && fits(scope, frame);
  const scopes = state.event === 'call' ? program.scopes.filter(isOf) : [];
  return scopes.length > 0 && scopes.every((scope) => scope.name === '<genexpr>' && isFresh(scope, frame));
}

/** The frame of a generator that gives an item and is called again, in the two states that a step leads from one to the other. */
export function sameGenerator(
  program: Program,
  before: DebuggerState,
  after: DebuggerState,
  reverse: boolean,
): { readonly old: Frame; readonly frame: Frame } | undefined {
  const [first, last] = reverse ? [after, before] : [before, after];
  const isAgain = first.event === 'return' && last.event === 'call' && depth(before) === depth(after);
  const frame = currentFrame(after);
  const top = before.frames.at(-1);
  if (isAgain && !reverse && top?.line === frame.line && isAskedOn(program, before.frames, 'return'))
    return { old: top, frame };
  const { own } = (isAgain && generatorFrame(program, before)) || {};
  const isSame =
    own?.frame.line === frame.line && !isFresh(own.scope, frame) && !isFresh(own.scope, own.frame);
  return own && isSame ? { old: own.frame, frame } : undefined;
}
