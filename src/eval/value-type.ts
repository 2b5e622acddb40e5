/** The Python type of a value, read off its canonical repr. Pure. */
import { cutMark } from '../debugger/language/values.js';

export const valueTypes = [
  'int',
  'float',
  'bool',
  'str',
  'bytes',
  'list',
  'tuple',
  'dict',
  'set',
  'None',
  'object',
  'other',
] as const;
export type ValueType = (typeof valueTypes)[number];

const words: Readonly<Record<string, ValueType>> = {
  None: 'None',
  True: 'bool',
  False: 'bool',
  inf: 'float',
  '-inf': 'float',
  nan: 'float',
  'set()': 'set',
  Ellipsis: 'other',
  NotImplemented: 'other',
};

const patterns: readonly (readonly [RegExp, ValueType])[] = [
  [/^-?\d+$/, 'int'],
  [/^-?\d+(\.\d+)?(e[+-]?\d+)?$/, 'float'],
  [/^['"]/, 'str'],
  [/^b['"]/, 'bytes'],
  [/^\[/, 'list'],
  [/^frozenset\(/, 'set'],
  // A complex number with a real part stands in brackets.
  [/^\(-?[\d.]+(e[+-]?\d+)?[+-][\d.]+(e[+-]?\d+)?j\)$/, 'other'],
  [/^\(/, 'tuple'],
  [/^</, 'object'],
  [/^[^\W\d][\w.]*\(/, 'object'],
];

/**
 * `object` is everything whose repr is `<...>` or looks like a call: instances, classes, functions, deque(...), exceptions;
 * `other` what is none of the types (complex, Ellipsis) or was cut before its type shows.
 */
export function valueType(repr: string): ValueType {
  const known = Object.hasOwn(words, repr) ? words[repr] : undefined;
  if (known) return known;
  if (repr.startsWith('{')) return bracesType(repr);
  const text = repr.endsWith(cutMark) && /^-?\d/.test(repr) ? repr.slice(0, -cutMark.length) : repr;
  return patterns.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}

/** `{}` and what has a colon after its first element is a dict; a repr cut inside the first element may be either. */
function bracesType(repr: string): ValueType {
  if (repr === '{}') return 'dict';
  let nesting = 0;
  for (let at = 1; at < repr.length; at++) {
    const character = repr[at] as string;
    if (character === "'" || character === '"') at = endOfString(repr, at);
    else if ('([{<'.includes(character)) nesting += 1;
    else if (nesting > 0 && ')]}>'.includes(character)) nesting -= 1;
    else if (nesting === 0 && character === ':') return 'dict';
    else if (nesting === 0 && (character === ',' || character === '}')) return 'set';
  }
  return 'other';
}

/** Offset of the quote that closes the string opened at `start`, or the last offset. */
function endOfString(repr: string, start: number): number {
  for (let at = start + 1; at < repr.length; at++) {
    if (repr[at] === '\\') at += 1;
    else if (repr[at] === repr[start]) return at;
  }
  return repr.length;
}
