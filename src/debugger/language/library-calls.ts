/** Calls of functions of the standard library that are carried out by way of comparisons: which one a line has, and its code with what that gives. */
import { type Program, perText } from '../program.js';
import { attributeName } from './attributes.js';
import { withPartAs } from './items.js';
import { isUndecided, type Part } from './parts.js';
import type { Value } from './plan.js';
import { charTokens, isDigitToken, wordToken } from './tokens.js';

/** A call of one of these, all of whose arguments are given by position. */
export interface LibraryCall {
  readonly name: string;
  readonly part: Part;
  readonly list: Part;
  readonly item: Part | undefined;
  /** Whether it changes the list, which is a name then. */
  readonly changesList: boolean;
  /** The call with a `-` before it, as a heap for the greatest item is used, if there is one. */
  readonly negated?: Part | undefined;
}

interface LibraryFunction {
  readonly module: string;
  readonly arguments: number;
  readonly changesList: boolean;
}

const functions: ReadonlyMap<string, LibraryFunction> = new Map(
  [
    ['heapq', true, { heappush: 2, heappop: 1, heapify: 1, heapreplace: 2, heappushpop: 2 }] as const,
    ['bisect', false, { bisect: 2, bisect_left: 2, bisect_right: 2 }] as const,
    ['bisect', true, { insort: 2, insort_left: 2, insort_right: 2 }] as const,
    ['collections', false, { Counter: 1 }] as const,
  ].flatMap(([module, changesList, names]) =>
    Object.entries(names).map(([name, count]) => [name, { module, arguments: count, changesList }] as const),
  ),
);
const [minus, zero] = charTokens('-0');
const none = wordToken('None') as number;
const imports = /^[ \t]*(?:import|from)[ \t].*\b(?:heapq|bisect|collections)\b/m;

/** Whether a program imports such functions. */
export const importsLibrary = perText(({ source }) => imports.test(source));

/** The one such call that surely is made in these parts; undefined where there are none or several. */
export function libraryCall(
  program: Program,
  code: ArrayLike<number>,
  parts: readonly Part[],
): LibraryCall | undefined {
  const found: (LibraryCall & { readonly isSure: boolean })[] = [];
  const visit = (part: Part, isSure: boolean, around?: Part): void => {
    const call = callAt(program, code, part);
    const isNegated = around?.kind === 'unary' && code[around.first] === minus;
    if (call) found.push({ ...call, isSure, negated: isNegated ? around : undefined });
    for (const inner of part.parts) visit(inner, isSure && !isUndecided(part), part);
  };
  for (const part of parts) visit(part, true);
  const [only, ...others] = found;
  return others.length === 0 && only?.isSure ? only : undefined;
}

function callAt(program: Program, code: ArrayLike<number>, part: Part): LibraryCall | undefined {
  const [callee, list, item] = part.parts;
  if (part.kind !== 'call' || callee === undefined || list === undefined) return undefined;
  const name = attributeName(program, code[callee.end - 1] as number);
  const called = functions.get(name);
  if (called === undefined || part.parts.length !== called.arguments + 1) return undefined;
  const isOf = (object: string): boolean => attributeName(program, code[callee.first] as number) === object;
  const isCalled =
    callee.kind === 'attribute'
      ? isOf(called.module) && callee.end === callee.first + 3
      : callee.kind === 'name' && isImported(program, name, called.module);
  const isPlain = ![list, item].some((given) => given?.kind === 'keyword' || given?.kind === 'star');
  if (!isCalled || !isPlain || (called.changesList && list.kind !== 'name')) return undefined;
  return { name, part, list, item, changesList: called.changesList };
}

/** Whether a name is imported from a module, and no function of the program has it. */
export const isImported = ({ source, scopes }: Program, name: string, module: string): boolean =>
  new RegExp(`^[ \\t]*from\\s+${module}\\s+import\\b.*\\b${name}\\b`, 'm').test(source) &&
  !scopes.some((scope) => scope.name === name || scope.names.includes(name));

/** The code tokens with what the call gives in its place (None, where that is undefined). */
export function withGiven(
  code: readonly number[],
  { part, negated }: LibraryCall,
  given: Value | undefined,
): number[] {
  const number = given && negated && isNumber(given) ? opposite(given) : undefined;
  return withPartAs(code, number && negated ? negated : part, number ?? given ?? [none]);
}

const isNumber = ([sign, digit = sign]: Value): boolean =>
  isDigitToken((sign === minus ? digit : sign) as number);

/** The number with the other sign; an integer 0 has none. */
const opposite = (number: Value): Value =>
  number.join() === `${zero}` ? number : number[0] === minus ? number.slice(1) : [minus as number, ...number];
