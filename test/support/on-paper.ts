/** Questions of arithmetic as code tokens, and their right answers. */
import type { Found } from '../../src/debugger/language/plan.js';
import { operatorToken, textTokens, tokenText, wordToken } from '../../src/debugger/language/tokens.js';

/** Code tokens of integers, operators and builtins. */
export const codeOf = (text: string): number[] =>
  (text.match(/\*\*|\/\/|[<>]=|[a-z]{3,}|./g) ?? []).flatMap((piece) => {
    if (/^[a-z]{3}/.test(piece)) return [wordToken(piece) as number];
    return piece.length > 1 ? [operatorToken(piece)] : textTokens(piece);
  });
export const textOf = (code: readonly number[]): string =>
  code.map((token) => tokenText(token).replace(/^<\|(?:w:|o:)?(.+)\|>$/, '$1')).join('');

const floor = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;
/** What Python says to two integers. */
export function exact(code: readonly number[]): Found {
  const [, left, operator, right] = /^(-?\d+)(\*|\+|-|\/\/|%)(-?\d+)$/.exec(textOf(code)) ?? [];
  const pair = /^divmod\((\d+),(\d+)\)$/.exec(textOf(code));
  if (pair !== null) {
    const [a, b] = pair.slice(1).map(BigInt) as [bigint, bigint];
    return codeOf(`(${floor(a, b)},${a % b})`);
  }
  const [a, b] = [BigInt(left ?? ''), BigInt(right ?? '')];
  if (operator === '*') return textTokens(`${a * b}`);
  if (operator === '+') return textTokens(`${a + b}`);
  return textTokens(`${operator === '-' ? a - b : operator === '//' ? floor(a, b) : a - floor(a, b) * b}`);
}
