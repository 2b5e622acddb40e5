/** Parameter lists read off lexical tokens, where the grammar knows less than Python does: `/`, commas at the end, `*args: *Ts`. */
import type { LexicalToken } from './lexer.js';

/** The parameters of a `def` or `lambda`: indexes of the tokens of each, without the commas between them. */
export interface ParameterList {
  readonly isLambda: boolean;
  readonly parameters: readonly (readonly number[])[];
}

const opening = '([{';
const closing = ')]}';

/** All parameter lists of a text, also those inside others. */
export function parameterLists(tokens: readonly LexicalToken[]): ParameterList[] {
  const found: ParameterList[] = [];
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'name') return;
    if (text === 'lambda') found.push({ isLambda: true, parameters: split(tokens, index + 1, ':') });
    if (text === 'def' && tokens[index + 2]?.text === '(')
      found.push({ isLambda: false, parameters: split(tokens, index + 3, ')') });
  });
  return found;
}

/** The parts between commas from `from` to the `end` that belongs to the list; a lambda that is a default has commas and a colon of its own. */
function split(tokens: readonly LexicalToken[], from: number, end: string): number[][] {
  const parts: number[][] = [[]];
  let depth = 0;
  let lambdas = 0;
  for (let index = from; index < tokens.length && depth >= 0; index += 1) {
    const { kind, text } = tokens[index] as LexicalToken;
    const isOutside = depth === 0 && lambdas === 0;
    if (isOutside && text === end) break;
    if (isOutside && text === ',') {
      parts.push([]);
      continue;
    }
    if (depth === 0 && text === 'lambda') lambdas += 1;
    else if (depth === 0 && text === ':' && lambdas > 0) lambdas -= 1;
    if (kind === 'operator' && opening.includes(text)) depth += 1;
    if (kind === 'operator' && closing.includes(text)) depth -= 1;
    parts.at(-1)?.push(index);
  }
  return parts;
}

/** What is wrong with the `/` of a list, and at which token. */
export function wrongMark(
  tokens: readonly LexicalToken[],
  { parameters }: ParameterList,
): { readonly token: LexicalToken; readonly message: string } | undefined {
  const firsts = parameters.map(([first]) => tokens[first ?? -1]);
  const at = firsts.findLastIndex((token) => token?.text === '/');
  const token = firsts[at];
  if (token === undefined) return undefined;
  const before = firsts.slice(0, at).map((first) => first?.text ?? '');
  if (at === 0 || parameters[at]?.length !== 1) return { token, message: "invalid syntax near '/'" };
  if (before.includes('/')) return { token, message: '/ may appear only once' };
  if (before.some((text) => text.startsWith('*'))) return { token, message: '/ must be ahead of *' };
  return undefined;
}
