/** What a told value is: whether it is of a type, and the numbers of characters (docs/trace-language.md, section 9). */
import { isMapping, isSequence, isSet, isText, quotes } from './displays.js';
import { integerOf, truthOfLiteral } from './literal-values.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charOf, charToken, charTokens, isCharToken, textTokens, wordOf, wordTokens } from './tokens.js';

const [round, square, backslash] = charTokens('([\\');
const [isinstance, ord, chr] = wordTokens('isinstance ord chr') as [number, number, number];
const [isTrue, isFalse, none] = wordTokens('True False None') as [number, number, number];
const [int, float, str, bool, list, tuple, dict, set] = wordTokens('int float str bool list tuple dict set');
/** Most characters of a number with a point that is written as it is read. */
const longestFloat = 16;
const types: ReadonlySet<number | undefined> = new Set([int, float, str, bool, list, tuple, dict, set]);

/** `isinstance(x, int)`, `ord('a')`, `chr(97)`, `int('12')`, `int('101', 2)`: the value that is told says it. */
export function kindPlan(code: ArrayLike<number>, { kind, parts }: Part, told: Told): Plan | undefined {
  const [callee, given, asked, ...more] = kind === 'call' ? parts : [];
  if (callee?.kind !== 'name' || given === undefined || more.length > 0) return undefined;
  const name = code[callee.first] as number;
  const value = told(given);
  if (value === undefined) return undefined;
  const found = asked ? ofTwo(code, name, value, asked, told) : converted(name, value);
  return found && { questions: 0, value: () => found };
}

function ofTwo(
  code: ArrayLike<number>,
  name: number,
  value: Value,
  asked: Part,
  told: Told,
): Value | undefined {
  if (name === isinstance) return isOf(code, value, asked);
  return name === int ? inBase(value, told(asked)) : undefined;
}

/** `int('101', 2)`: the digits of a text, in base two to 36. */
function inBase(value: Value, base: Value | undefined): Value | undefined {
  const inside = isText(value) ? value.slice(1, -1) : [];
  const text = inside.every(isCharToken) ? inside.map(charOf).join('') : '';
  const number = base && integerOf(base);
  if (number === undefined || number < 2 || number > 36 || !/^-?[0-9a-zA-Z]{1,64}$/.test(text))
    return undefined;
  const digits = [...text.replace('-', '')].map((digit) => Number.parseInt(digit, 36));
  if (digits.some((digit) => digit >= number)) return undefined;
  const size = digits.reduce((sum, digit) => sum * BigInt(number) + BigInt(digit), 0n);
  return textTokens(String(text.startsWith('-') ? -size : size));
}

/** Whether a value is of a type, or of one of a tuple of types; undefined for other types than those. */
function isOf(code: ArrayLike<number>, value: Value, asked: Part): Value | undefined {
  const parts = asked.kind === 'display' ? asked.parts : [asked];
  const wanted = parts.map(({ kind, first }) => (kind === 'name' ? code[first] : undefined));
  const own = typesOf(value);
  if (own === undefined || !wanted.every((type) => types.has(type))) return undefined;
  return [wanted.some((type) => own.includes(type)) ? isTrue : isFalse];
}

/** The types that a literal is of. */
function typesOf(value: Value): readonly (number | undefined)[] | undefined {
  const [first] = value as [number];
  if (value.length === 1 && (first === isTrue || first === isFalse)) return [bool, int];
  if (value.length === 1 && first === none) return [];
  if (quotes.includes(first)) return [str];
  if (first === square) return [list];
  if (first === round) return isSequence(value) ? [tuple] : undefined;
  if (isMapping(value)) return [dict];
  if (isSet(value)) return [set];
  const text = value.every(isCharToken) ? value.map(charOf).join('') : '';
  if (/^-?\d+$/.test(text)) return [int];
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) ? [float] : undefined;
}

/** The name of the type of a literal; undefined for other types than those. */
export function typeName(value: Value): string | undefined {
  if (value.length === 1 && value[0] === none) return 'NoneType';
  const type = typesOf(value)?.[0];
  return type === undefined ? undefined : wordOf(type);
}

/** What a value is as an `int`, a `float`, a `str` or a `bool`, as the number of a character or the character of a number. */
export function converted(name: number, value: Value): Value | undefined {
  if (name === bool) return [truthOfLiteral(value) ? isTrue : isFalse];
  if (name !== int && name !== float && name !== str) return character(name, value);
  const type = typesOf(value)?.[0];
  const spelled = isText(value) ? value.slice(1, -1) : value;
  const text = spelled.every(isCharToken) ? spelled.map(charOf).join('') : undefined;
  if (text === undefined || (type !== int && type !== float && type !== str)) return undefined;
  if (name === str) return type === str ? (isText(value) ? value : undefined) : textTokens(`'${text}'`);
  const [, sign = '', digits, rest] = /^([+-]?)(\d{1,15})(\.\d{1,15})?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const whole = digits.replace(/^0+(?=\d)/, '');
  const minusSign = sign === '-' ? sign : '';
  if (name === int) {
    if (rest !== undefined && type === str) return undefined;
    return textTokens(`${whole === '0' ? '' : minusSign}${whole}`);
  }
  const fraction = rest?.replace(/(\.\d+?)0+$/, '$1') ?? '.0';
  const isShort = whole.length + fraction.length <= longestFloat && !/^0\.0000/.test(`${whole}${fraction}`);
  return isShort ? textTokens(`${minusSign}${whole}${fraction}`) : undefined;
}

/** The number of a character, or the character of a number, of those that have tokens. */
function character(name: number, value: Value): Value | undefined {
  if (name === ord) {
    const [, only] = value as [number, number];
    return isText(value) && value.length === 3 ? textTokens(String(charOf(only).charCodeAt(0))) : undefined;
  }
  const number = name === chr ? integerOf(value) : undefined;
  if (number === undefined || number < 0) return undefined;
  const token = charToken(String.fromCharCode(number));
  if (!isCharToken(token) || token === backslash) return undefined;
  const quote = quotes[Number(token === quotes[0])] as number;
  return [quote, token, quote];
}
