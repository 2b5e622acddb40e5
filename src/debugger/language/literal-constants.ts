/** The values of constants in code as values are written: `0xff` is 255, `1e3` is 1000.0, two strings side by side are one (docs/trace-language.md, section 9). */
import { numberText } from '../literals.js';
import { withSign } from './digits.js';
import { isText, quotes } from './displays.js';
import { isPlain } from './items.js';
import { charOf, charToken, isCharToken, isDigitToken, textTokens } from './tokens.js';

type Value = readonly number[];

const [dot, backslash, plus, minus] = ['.', '\\', '+', '-'].map(charToken);
/** Most tokens of a number. */
const longestNumber = 40;

/** The value of a constant; undefined where it is not told: of bytes, imaginary numbers, and strings side by side with escapes in them. */
export function constantValue(constant: Value): Value | undefined {
  if (isPlain(constant)) return constant;
  const [first = -1, second = -1] = constant;
  if (first === plus)
    return isDigitToken(second) || second === dot ? constantValue(constant.slice(1)) : undefined;
  if (first === minus) return negative(constant.slice(1));
  if (isDigitToken(first) || first === dot) return numberValue(constant);
  return quotes.includes(first) ? textValue(constant) : undefined;
}

function negative(constant: Value): Value | undefined {
  const isNumber = isDigitToken(constant[0]) || constant[0] === dot;
  return withSign(true, isNumber ? numberValue(constant) : undefined) as Value | undefined;
}

function numberValue(constant: Value): Value | undefined {
  if (constant.length > longestNumber || !constant.every(isCharToken)) return undefined;
  const text = numberText(constant.map(charOf).join(''));
  return text === undefined ? undefined : textTokens(text);
}

/** Strings in code are written as values are, each by itself. */
function textValue(constant: Value): Value | undefined {
  const texts: Value[] = [];
  for (let at = 0; at < constant.length; ) {
    const quote = constant[at] as number;
    let end = at + 1;
    while (end < constant.length && constant[end] !== quote) end += constant[end] === backslash ? 2 : 1;
    if (!quotes.includes(quote) || end >= constant.length) return undefined;
    texts.push(constant.slice(at, end + 1));
    at = end + 1;
  }
  if (texts.length < 2) return texts[0];
  if (!texts.every(isText)) return undefined;
  return [quotes[0] as number, ...texts.flatMap((text) => text.slice(1, -1)), quotes[0] as number];
}
