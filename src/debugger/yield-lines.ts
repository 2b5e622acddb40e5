/** Lines with `yield` that are statements of their own: what they give, and what gives the items of a `yield from`. */
import { attributeName } from './language/attributes.js';
import { callablesOf, functionNamed, isBuiltinMethod } from './language/callables.js';
import { lineCalls } from './language/line-calls.js';
import { lineParts } from './language/line-parts.js';
import { isDecorated, isMethod } from './language/methods.js';
import type { Part } from './language/parts.js';
import { servedAs } from './language/read-as.js';
import { isGeneratorFunction } from './language/suspending.js';
import { charTokens, isSlotToken, wordTokens } from './language/tokens.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import type { Running } from './running.js';
import { statementLines } from './whole-statement.js';

const [yieldWord, fromWord, list, set] = wordTokens('yield from list set') as [
  number,
  number,
  number,
  number,
];
const [opening, closing, equals] = charTokens('()=');

/** A line `yield x`, `yield from x`, or one that assigns what comes of it to a name. */
export interface YieldLine {
  /** Whether it gives what something else gives. */
  readonly isFrom: boolean;
  /** Code tokens of what it gives; of a `yield from` those of a call that asks it for its items. */
  readonly code: readonly number[];
  /** What it gives, or gives on; undefined: None. */
  readonly part: Part | undefined;
  /** The name that it assigns to. */
  readonly target: string | undefined;
}

/** The line of a generator function on which a frame stands, if it is such a one and nothing else. */
export function yieldLine(program: Program, running: Running): YieldLine | undefined {
  const { frame, scope } = running;
  if (!isGeneratorFunction(scope) || !scope.flow?.lines.has(frame.line)) return undefined;
  if (statementLines(running).size !== 1) return undefined;
  const written = servedAs(program, frame, lineTokens(program, frame.line));
  const isAssigned = isSlotToken(written[0] as number) && written[1] === equals;
  const own = written.slice(isAssigned ? 2 : 0);
  const target = isAssigned ? nameOfSlot(program, written[0] as number) : undefined;
  if (own[0] !== yieldWord) return undefined;
  if (own.length === 1) return { isFrom: false, code: [], part: undefined, target };
  const isFrom = own[1] === fromWord;
  // Other than a list, a set asks for no length.
  const asks = callablesOf(program).hasSpecialMethods ? set : list;
  const code = isFrom ? [asks, opening, ...own.slice(2), closing] : own.slice(1);
  const [value, ...others] = lineParts(code)?.values ?? [];
  const part = isFrom ? value?.parts[1] : value;
  return part === undefined || others.length > 0 ? undefined : { isFrom, code, part, target };
}

/** Whether a frame gives on what a generator gives that runs right above it. */
export function givesOn(program: Program, running: Running, inner: Scope): boolean {
  const line = yieldLine(program, running);
  const call = line?.isFrom ? line.part : undefined;
  if (line === undefined || call?.kind !== 'call' || !isGeneratorFunction(inner)) return false;
  const [callee, ...given] = call.parts as [Part, ...Part[]];
  if (!makes(program, running, line.code, callee, inner)) return false;
  // Otherwise it may be what the call is given that runs.
  const before = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
  const { calls, isWhole } = lineCalls(program, running.frame, line.code, before);
  return isWhole && calls.length === 0;
}

/** Whether calls of a callee make the generator, if they make one of the program. */
export function makes(
  program: Program,
  { frame }: Running,
  code: readonly number[],
  { kind, first, end }: Part,
  inner: Scope,
): boolean {
  if (kind === 'name') return functionNamed(program, frame, code[first] as number) === inner;
  const name = kind === 'attribute' ? attributeName(program, code[end - 1] as number) : '';
  const isOwn = name === inner.name && isMethod(inner) && !isDecorated(program, inner);
  return isOwn && !isBuiltinMethod(name);
}
