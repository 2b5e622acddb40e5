/** What can be said about brackets, indentation, numbers and names before there is a syntax tree. */
import { isField, type LexicalToken, type Part } from './lexer.js';
import { parameterLists, wrongMark } from './parameter-lists.js';
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

/** Throws invalid_python for what no Python text has. */
export function checkTokens(tokens: readonly LexicalToken[], map: SourceMap): void {
  const nothing = map.text.indexOf('\0');
  if (nothing >= 0) throw problem('source code cannot contain null bytes', map.position(nothing));
  checkBrackets(tokens, map);
  checkIndentation(tokens, map);
  checkInside(tokens, map);
}

/** What holds in the fields of f-strings as well. */
function checkInside(tokens: readonly LexicalToken[], map: SourceMap): void {
  checkWords(tokens, map);
  checkMarks(tokens, map);
  const fields = (parts: readonly Part[]): void => {
    for (const part of parts.filter(isField)) {
      checkInside(part.tokens, map);
      fields(part.spec ?? []);
    }
  };
  for (const { parts } of tokens) fields(parts ?? []);
}

/** Throws invalid_python for brackets that do not match. */
function checkBrackets(tokens: readonly LexicalToken[], map: SourceMap): void {
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
function checkIndentation(tokens: readonly LexicalToken[], map: SourceMap): void {
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
function checkWords(tokens: readonly LexicalToken[], map: SourceMap): void {
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
    } else if (token.kind === 'name') {
      // As it is written: its normal form may be one where it is none.
      const name = map.text.slice(token.start, token.end);
      if (!/^[\p{XIDS}_]\p{XIDC}*$/u.test(name))
        throw problem(`${JSON.stringify(name)} is not a valid identifier`, map.position(token.start));
    } else if (token.kind === 'operator' && token.text === '!') {
      throw problem("invalid syntax near '!'", map.position(token.start));
    }
  }
}

/** Throws invalid_python for a `/` among parameters where there can be none, and for a `;` that ends nothing. */
function checkMarks(tokens: readonly LexicalToken[], map: SourceMap): void {
  for (const list of parameterLists(tokens)) {
    const wrong = wrongMark(tokens, list);
    if (wrong !== undefined) throw problem(wrong.message, map.position(wrong.token.start));
  }
  for (const [index, { text, start }] of tokens.entries()) {
    if (text === ';' && tokens[index - 1]?.text === ';')
      throw problem("invalid syntax near ';'", map.position(start));
  }
}
