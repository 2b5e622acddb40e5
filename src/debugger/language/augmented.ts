/** `x += y` as the assignment `x = x + y` that it stands for, where x has no list or the like that would be changed in place (docs/trace-language.md, section 9). */
import { expressionParts } from './expression-parts.js';
import { isMutable, mutableDepth } from './literal-values.js';
import type { Part, PartKind } from './parts.js';
import { charTokens, operatorToken } from './tokens.js';

const [equals, opening, closing, open, close] = charTokens('=[]()');
const operators = new Map(
  '+ - * ** / // % & | ^ << >>'.split(' ').map((text) => [operatorToken(`${text}=`), operatorToken(text)]),
);
/** Kinds of expressions that need no brackets beside an operator. */
const bare: ReadonlySet<PartKind> = new Set(['constant', 'name', 'call', 'subscript', 'attribute']);

/**
 * The code tokens of a line that reckons with a name or an attribute, or a subscript of one, and keeps what comes of it there, as an assignment; other
 * lines as they are. value: that of the name or attribute which the line begins with, if it is a literal; named: where that ends.
 */
export function asAssignment(
  code: readonly number[],
  { value, end: named }: { readonly value: readonly number[] | undefined; readonly end: number },
): readonly number[] {
  if (value === undefined) return code;
  let [end, subscripts] = [named, 0];
  for (; code[end] === opening; subscripts += 1) end = closingOf(code, end) + 1;
  const operator = operators.get(code[end] as number);
  const [target, right] = [code.slice(0, end), code.slice(end + 1)];
  const isChanged = subscripts > 0 ? mutableDepth(value) > subscripts : isMutable(value);
  const added = operator === undefined || isChanged ? undefined : expressionParts(right);
  if (operator === undefined || added === undefined) return code;
  return [...target, equals, ...target, operator, ...besideOperator(right, added)];
}

/** The code of an expression beside an operator: in brackets where these are needed. */
export const besideOperator = (code: readonly number[], { kind }: Part): readonly number[] =>
  bare.has(kind) ? code : [open, ...code, close];

/** Where the square bracket closes that opens at `at`; the end of the code where it does not. */
export function closingOf(code: ArrayLike<number>, at: number): number {
  let depth = 0;
  for (let index = at; index < code.length; index += 1) {
    depth += Number(code[index] === opening) - Number(code[index] === closing);
    if (depth === 0) return index;
  }
  return code.length;
}
