/**
 * Answers that need no question: the grammar of a step leaves one event on one line, and all that may stand behind it is told. Whatever the model wrote would be
 * read as the same state.
 */
import type { GrammarData, QuestionGrammar } from './language/grammar.js';
import { type KnownAt, type KnownParts, namesAt, staysAt, valueAt } from './language/known-parts.js';
import { eventOf, isLineToken, special } from './language/tokens.js';
import { answeredLines, lineOfToken, loopsOf, type Program, type Scope } from './program.js';
import { scopeOf } from './running.js';
import type { DebuggerState, Frame } from './state.js';

/**
 * `expected`, where it is the answer to a step into or over: `<|end|>` is its last token. undefined where the model has a say in what it comes to.
 * `grammar` and `known`: those of the question.
 */
export function toldAnswer(
  program: Program,
  state: DebuggerState | null,
  { data, start }: QuestionGrammar,
  known: KnownParts,
  expected: readonly number[] | undefined,
): readonly number[] | undefined {
  if (state === null || expected?.at(-1) !== special.end) return undefined;
  const isLeft = state.event === 'return';
  const frame = state.frames.at(isLeft ? -2 : -1);
  const scope = frame && scopeOf(program, frame, isLeft ? 'paused' : state.event);
  const heads = expected.filter(isHead);
  if (frame === undefined || scope === undefined || !isOnlyWay(data, start.state, heads)) return undefined;
  const places = placesOf(program, heads);
  const isTold = places.every((at) =>
    at.number === 1 ? goesOnTold(scope, frame, known, at) : beginsTold(program, known, at),
  );
  return isTold ? expected : undefined;
}

/** Whether a token says where a step leads, and nothing of values. */
const isHead = (token: number): boolean =>
  isLineToken(token) || eventOf(token) !== undefined || structural.has(token);

const structural = new Set([special.holds, special.fails, special.pop, special.push]);

/** Whether the automaton takes these tokens, what stands between them left out, and has no other way. */
function isOnlyWay(data: GrammarData, start: number, heads: readonly number[]): boolean {
  let state = start;
  /** Where it goes on behind a frame that is pushed. */
  let behind = -1;
  for (const [index, token] of heads.entries()) {
    const edge = data.edgeStart[state] as number;
    const isOnly = data.edgeStart[state + 1] === edge + 1 && data.edgeToken[edge] === token;
    if (!isOnly) return false;
    if (token === special.push) behind = data.edgeReturn[edge] as number;
    const isBelow = isLineToken(token) && index + 1 < heads.length;
    state = isBelow ? behind : (data.edgeNext[edge] as number);
    if (state < 0) return false;
  }
  return true;
}

/** The frames that an answer tells of. */
function placesOf(program: Program, heads: readonly number[]): KnownAt[] {
  return heads.flatMap((token, index) => {
    const line = isLineToken(token) ? lineOfToken(program, token) : undefined;
    if (line === undefined) return [];
    const number = heads.slice(0, index).filter(isLineToken).length + 1;
    return [{ number, event: eventOf(heads[index - 1] as number), line }];
  });
}

const areTold = (names: readonly string[], known: KnownParts, at: KnownAt): boolean => {
  const told = namesAt(known, at);
  return names.every((name) => told.has(name) || staysAt(known, at, name));
};

/** Whether all is told of the frame that goes on. Its counters follow from those before (counters.ts). */
function goesOnTold(scope: Scope, frame: Frame, known: KnownParts, at: KnownAt): boolean {
  const { event } = at;
  const hasValue = event === 'return' || event === 'exception';
  if (hasValue && valueAt(known, at, frame.line) === undefined) return false;
  return (event === 'line' || known.tellsGots === true) && areTold(scope.names, known, at);
}

/** Whether a call on this line begins: it is that of no generator that goes on. */
const begins = ({ isGenerator, firstLine, lines, name }: Scope, line: number): boolean =>
  !isGenerator || (line === firstLine && !lines.includes(line) && !name.startsWith('<'));

/** Whether all is told of a frame that begins. */
function beginsTold(program: Program, known: KnownParts, at: KnownAt): boolean {
  const scopes = program.scopes.filter((scope) => answeredLines(scope, 'call').includes(at.line));
  return (
    at.event === 'call' &&
    scopes.every(
      (scope) =>
        begins(scope, at.line) &&
        loopsOf(scope, at.line).length === 0 &&
        areTold(scope.namesAtCall, known, at),
    )
  );
}
