/** The constants of an expression as parts: numbers, strings with the f-strings among them, `True` and its like. */
import type { CodeCursor } from './code-cursor.js';
import type { Part, PartKind } from './parts.js';
import { charToken, charTokens, codeTokens, isDigitToken, special } from './tokens.js';

const constants = new Set(codeTokens('True False None ...'));
const [dot, plus, minus, zero, backslash] = charTokens('.+-0\\');
const [a, e, x, z] = charTokens('aexz');
const quotes = new Set([charToken("'"), charToken('"')]);
const isLetter = (token: number): boolean => token >= a && token <= z;

/** The constant that stands here; undefined where none does. */
export function literalPart(code: CodeCursor): Part | undefined {
  const first = code.at;
  const token = code.peek();
  if (quotes.has(token) || token === special.bytes || token === special.fstring) return strings(code);
  if (isDigitToken(token) || (token === dot && isDigitToken(code.peek(1)))) {
    passNumber(code);
    return code.part('constant', first);
  }
  return code.takes(constants) ? code.part('constant', first) : undefined;
}

function passNumber(code: CodeCursor): void {
  const isHexadecimal = code.peek() === zero && code.peek(1) === x;
  let hasDot = false;
  for (; ; code.pass()) {
    const token = code.peek();
    const isSign =
      (token === plus || token === minus) &&
      !isHexadecimal &&
      code.peek(-1) === e &&
      isDigitToken(code.peek(1));
    const isDot: boolean = token === dot && !hasDot && !isHexadecimal;
    if (!isDigitToken(token) && !isLetter(token) && !isDot && !isSign) return;
    hasDot ||= isDot;
  }
}

/** Strings that stand side by side are one. */
function strings(code: CodeCursor): Part {
  const first = code.at;
  let kind: PartKind = 'constant';
  for (;;) {
    const token = code.peek();
    if (token === special.fstring) {
      kind = 'text';
      passFstring(code);
    } else if (quotes.has(token) || token === special.bytes) {
      if (token === special.bytes) code.pass();
      passQuoted(code);
    } else return code.part(kind, first);
  }
}

function passFstring(code: CodeCursor): void {
  let depth = 0;
  do {
    if (code.isAtEnd) code.fail();
    if (code.peek() === special.fstring) depth += 1;
    else if (code.peek() === special.fend) depth -= 1;
    code.pass();
  } while (depth > 0);
}

function passQuoted(code: CodeCursor): void {
  const quote = code.peek();
  if (!quotes.has(quote)) code.fail();
  code.pass();
  while (!code.takes(quote)) {
    if (code.isAtEnd) code.fail();
    code.pass(code.peek() === backslash ? 2 : 1);
  }
}
