/** What can be said about brackets, indentation, numbers and names before there is a syntax tree. */
import type { LexicalToken } from './lexer.js';
import { problem, type SourceMap } from './source-error.js';

const partners = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

export const keywords: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Throws invalid_python for brackets that do not match. */
export function checkBrackets(tokens: readonly LexicalToken[], map: SourceMap): void {
  const open: LexicalToken[] = [];
  for (const token of tokens) {
    if (token.kind !== 'operator') continue;
    if ('([{'.includes(token.text)) open.push(token);
    const partner = partners.get(token.text);
    if (partner === undefined) continue;
    const last = open.pop();
    if (last === undefined) throw problem(`unmatched '${token.text}'`, map.position(token.start));
    if (last.text !== partner) {
      throw problem(
        `closing '${token.text}' does not match opening '${last.text}'`,
        map.position(token.start),
      );
    }
  }
  const last = open.at(-1);
  if (last !== undefined) throw problem(`'${last.text}' was never closed`, map.position(last.start));
}

/** Throws invalid_python where a block is missing its indentation, or a line has one it should not have. */
export function checkIndentation(tokens: readonly LexicalToken[], map: SourceMap): void {
  let header: LexicalToken | undefined;
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    if (previous?.logical === token.logical) continue;
    const wanted = previous?.kind === 'operator' && previous.text === ':';
    const rise = token.level - (previous?.level ?? 0);
    if (wanted && rise <= 0) {
      throw problem(
        `expected an indented block after the '${header?.text}' line ${header?.line}`,
        map.position(token.start),
      );
    }
    if (!wanted && rise > 0) throw problem('unexpected indent', map.position(token.start));
    header = token;
  }
  const last = tokens.at(-1);
  if (last?.kind === 'operator' && last.text === ':') {
    throw problem(
      `expected an indented block after the '${header?.text}' line ${header?.line}`,
      map.position(last.end),
    );
  }
}

/** Throws invalid_python for numbers and names that the lexer takes and Python does not. */
export function checkWords(tokens: readonly LexicalToken[], map: SourceMap): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.kind === 'number') {
      if (/^0[0-9_]*[1-9][0-9_]*$/.test(token.text)) {
        throw problem(
          'leading zeros in decimal integer literals are not permitted',
          map.position(token.start),
        );
      }
      const touches =
        next !== undefined && next.start === token.end && (next.kind === 'name' || next.kind === 'number');
      if (touches && !keywords.has(next.text))
        throw problem('invalid number literal', map.position(token.start));
    } else if (token.kind === 'name' && !/^[\p{XIDS}_]\p{XIDC}*$/u.test(token.text)) {
      throw problem(`${JSON.stringify(token.text)} is not a valid identifier`, map.position(token.start));
    } else if (token.kind === 'operator' && token.text === '!') {
      throw problem("invalid syntax near '!'", map.position(token.start));
    }
  }
}
