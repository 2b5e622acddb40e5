/** What a statement leaves, where its line tells it once it has been worked out: nothing is left to predict of `x = 3` but what comes next. */
import { isImmutable } from '../frozen.js';
import { lineTokens, type Program, type Scope } from '../program.js';
import type { Running } from '../running.js';
import { statementTokens } from '../whole-statement.js';
import { attributeName } from './attributes.js';
import { dataClassesOf } from './data-classes.js';
import { emptyMadeBy } from './empty-collections.js';
import { expressionParts } from './expression-parts.js';
import { changesNothing, mayCall } from './known-calls.js';
import { type LineParts, lineParts } from './line-parts.js';
import { truthOfLiteral } from './literal-values.js';
import { truthOf } from './object-truth.js';
import type { Part } from './parts.js';
import { isPlainBase, placeOf, withDefaultIn } from './places.js';
import { looksBack } from './target-order.js';
import { wordToken, wordTokens } from './tokens.js';
import { ToldLine } from './told-line.js';

/** Canonical reprs of what a statement leaves, as far as they are told. */
export interface Results {
  /** By name. */
  readonly assigned: ReadonlyMap<string, string>;
  /** Names that stay what they are, though the statement changes objects. */
  readonly stays?: ReadonlyMap<string, string>;
  readonly returned?: string;
  /** The exception. */
  readonly raised?: string | undefined;
  /** What a condition comes to. */
  readonly holds?: boolean;
  /** Lines on which the statement goes on: on one of these it has left nothing yet. */
  readonly within?: ReadonlySet<number>;
}

export const noResults: Results = { assigned: new Map() };

const [returnWord, yieldWord, forWord, del] = wordTokens('return yield for del');
const cleanups = new Set<number | undefined>(wordTokens('finally with'));
const conditionWords = new Set(['if', 'elif', 'while'].map(wordToken));

/**
 * What a line of code tokens, with these parts, leaves that begins in the frame. `isStale`: something was called since the values of the frame were seen, or may yet be, and
 * may have changed lists and their like. `computed`: canonical repr of what the line computes, or of a part of it, where it is known.
 */
export function resultsOf(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  line: LineParts,
  isStale: boolean,
  computed?: string | { readonly part: Part; readonly text: string },
): Results {
  // What a loop goes over is made before its first pass.
  if (code[0] === forWord && running.frame.its.at(-1) !== 0) return noResults;
  const changing = changingCall(code, line);
  const [value] = line.values;
  const top = typeof computed === 'string' ? value && { part: value, text: computed } : computed;
  const before = new ToldLine(program, running, code, isStale, top);
  const isTold = (part: Part): boolean => before.text(part) !== undefined;
  const calls = changesMore(code, line, changing, isTold) && !makesData(program, code, line);
  const told = calls ? new ToldLine(program, running, code, true, top) : before;
  const text = value && told.text(value);
  if (code[0] === returnWord || code[0] === yieldWord) {
    const returned = code.length === 1 ? 'None' : text;
    return returned === undefined ? noResults : { ...noResults, returned };
  }
  if (conditionWords.has(code[0] as number)) {
    const tokens = value && told.tokens(value);
    if (tokens !== undefined) return { ...noResults, holds: truthOfLiteral(tokens) };
    const isSeen = value !== undefined && !isStale && !calls;
    const holds = isSeen
      ? truthOf(program, running.frame, code, value, (part) => told.tokens(part))
      : undefined;
    return holds === undefined ? noResults : { ...noResults, holds };
  }
  const assigned = new Map<string, string>();
  if (line.targets.some(stores) && assignsInTurn(program, running)) return noResults;
  const items = value && told.items(line.targets, value);
  if (items) return { assigned: new Map(items) };
  const changed = changing ? told.changed(changing, line.targets[0]) : [];
  if (changing && changed.length > 0) {
    const object = told.changing(changing);
    return { assigned: new Map(changed), ...(object && { stays: told.others([object]) }) };
  }
  if (value !== undefined) {
    const found = line.targets.flatMap((target) => told.assigned(target, value));
    // What is stored into an object changes it by all its names.
    const isShared = line.targets.length > 1 || line.targets[0]?.kind === 'display';
    const bound =
      isShared && line.targets.some(stores) ? found.filter(([, text]) => isImmutable(text)) : found;
    for (const [name, left] of [...bound, ...told.attributes(line.targets, value)]) assigned.set(name, left);
  }
  return { assigned };
}

/**
 * The same for a function that ends on this line, which is a statement of its own: without a `return` it gives None, unless something comes between a `return`
 * and the end of the function (`finally`, `with`).
 */
export function endingWith(
  results: Results,
  program: Program,
  { scope }: Running,
  code: ArrayLike<number>,
): Results {
  const isFunction = !scope.isGenerator && !scope.name.startsWith('<');
  const returns = Array.from(code).includes(returnWord as number);
  if (!isFunction || returns || hasCleanup(program, scope)) return results;
  return { ...results, returned: 'None' };
}

/** Whether something comes between a `return`, or an exception, and the end of a function. */
export function hasCleanup(program: Program, { firstLine, lastLine }: Scope): boolean {
  const lines = program.codeLines.filter((line) => firstLine <= line && line <= lastLine);
  return lines.some((line) => lineTokens(program, line).some((token) => cleanups.has(token)));
}

/** What `del xs[i]` leaves, if the index is told. */
export function deletedBy(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  isStale: boolean,
): Results {
  const deleted = code[0] === del ? Array.from(code).slice(1) : [];
  const target = expressionParts(deleted);
  if (target === undefined || mayCall(deleted, target)) return noResults;
  const told = new ToldLine(program, running, deleted, isStale);
  return { assigned: new Map(told.deleted(target)) };
}

/** Whether a statement changes nothing before it ends, whatever comes of its parts. */
export const changesLast = (code: ArrayLike<number>, line: LineParts): boolean =>
  !changesMore(code, line, changingCall(code, line));

/** Whether a line calls what may change more than the method of a list or the like that it calls. */
const changesMore = (
  code: ArrayLike<number>,
  { values, inner }: LineParts,
  changing: Part | undefined,
  isTold?: (text: Part) => boolean,
): boolean =>
  [...values, ...inner].some((part) =>
    part === changing
      ? part.parts.slice(1).some((given) => mayCall(code, given, isTold))
      : mayCall(code, part, isTold),
  );

/** Whether all that a line calls is a data class that its value is one of, or makes an empty collection. */
function makesData(program: Program, code: ArrayLike<number>, { values, inner }: LineParts): boolean {
  const [value, ...others] = values;
  const [callee, ...given] = value?.kind === 'call' ? value.parts : [];
  const name = callee?.kind === 'name' ? attributeName(program, code[callee.first] as number) : '';
  if (value && emptyMadeBy(program, code, value) !== undefined && others.length + inner.length === 0)
    return true;
  const isMade = dataClassesOf(program).has(name);
  return isMade && ![...others, ...inner, ...given].some((part) => mayCall(code, part));
}

/** Whether the statement assigns where it looks next. As it is written: what was worked out of it may stand in the line in place of what it looks at. */
function assignsInTurn(program: Program, running: Running): boolean {
  const code = statementTokens(program, running);
  const { targets = [] } = lineParts(code) ?? {};
  return looksBack(code, targets);
}

/** Whether targets of this kind are made of others. */
const isGroup = (kind: Part['kind']): boolean => kind === 'display' || kind === 'star';

/** Whether attributes or items are among what is assigned to. */
const stores = ({ kind, parts }: Part): boolean =>
  kind === 'attribute' || kind === 'subscript' || (isGroup(kind) && parts.some(stores));

/** `xs.append(y)`, `y = xs.pop()` and `a, b = q.popleft()`: the call of a method of a name that is a statement by itself, or whose value names are given. */
function changingCall(code: ArrayLike<number>, { values, inner, targets }: LineParts): Part | undefined {
  const [value, ...others] = values;
  const [target, ...more] = targets;
  const callee = value?.kind === 'call' ? value.parts[0] : undefined;
  const isGiven = target === undefined || target.kind === 'name' || target.kind === 'display';
  const isAlone = others.length + inner.length + more.length === 0 && isGiven;
  const base = callee?.kind === 'attribute' ? (callee.parts[0] as Part) : undefined;
  const isOfName =
    base !== undefined &&
    callee &&
    (isPlainBase(base) || placeOf(base) !== undefined || withDefaultIn(code, base) !== undefined);
  return isAlone && isOfName && !changesNothing(code, callee) ? value : undefined;
}
