/**
 * Texts of values that are put together from what is told, however long: tables of zeros, comprehensions. Such a value may be too long to stand in a line
 * (docs/trace-language.md, section 9), but what a statement leaves is cut anyway.
 */
import type { Program } from '../program.js';
import { attributeName } from './attributes.js';
import { brace } from './displays.js';
import { taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { integerOf } from './literal-values.js';
import { type Part, partTokens } from './parts.js';
import type { Value } from './plan.js';
import { planOf } from './plans.js';
import { charTokens, textTokens, wordTokens } from './tokens.js';
import { toldValue } from './told.js';
import { decodeValue, longestText } from './values.js';

/** Items behind these are beyond the end of a value that is cut: each takes three characters at least. */
const mostShown = Math.ceil(longestText / 3);
/** Most items that are looked at. */
const mostItems = 4096;
const [round, square, star] = charTokens('([*');
const [list, range, float] = wordTokens('list range float') as [number, number, number];
const infinite = new Map(
  ["'inf'", '"inf"', "'-inf'", '"-inf"'].map((text) => [textTokens(text).join(), text.slice(1, -1)]),
);

/** What the names of comprehensions stand for, by slot. */
type Bound = ReadonlyMap<number, Value>;
const none: Bound = new Map();

export interface ToldParts {
  readonly program: Program;
  readonly code: ArrayLike<number>;
  /** What is known of names and attributes; undefined for other parts. */
  readonly known: (part: Part) => Value | null | undefined;
  /** The text of what a name or an attribute stands for that is no literal, or is cut: in what holds it, it is written alike. */
  readonly shown: (part: Part) => string | undefined;
}

/** The text of the value of a part; undefined where something in it has to be asked. */
export function longText(line: ToldParts, part: Part, bound = none): string | undefined {
  const value = worth(line, part, bound);
  if (value !== undefined) {
    const text = decodeValue(line.program, value);
    return typeof text === 'string' ? text : undefined;
  }
  const { kind } = part;
  const isHeld = kind === 'name' || kind === 'attribute';
  if (isHeld && !partTokens(line.code, part).some((token) => bound.has(token))) return line.shown(part);
  if (kind === 'display') return ofDisplay(line, part, bound);
  if (kind === 'binary') return repeated(line, part, bound);
  if (kind === 'comprehension') return comprehended(line, part, bound);
  return kind === 'call' ? called(line, part, bound) : undefined;
}

/** The value of a part that needs no question. */
function worth(line: ToldParts, part: Part, bound: Bound): Value | undefined {
  const { code, known } = line;
  const found = toldValue(code, part, (inner) => {
    const own = inner.kind === 'name' ? bound.get(code[inner.first] as number) : undefined;
    return own ?? known(inner);
  });
  if (found !== undefined || part.kind === 'display' || part.kind === 'comprehension') return found;
  const plan = planOf(code, part, (inner) => worth(line, inner, bound));
  const value = plan?.questions === 0 ? plan.value(() => undefined) : undefined;
  return typeof value === 'object' ? value : undefined;
}

/** The texts of these parts; undefined where one of them is not told. Where one is cut, what holds it is, too, before that. */
function textsOf(line: ToldParts, parts: readonly Part[], bound: Bound): string[] | undefined {
  const texts = parts.map((part) => longText(line, part, bound));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

const asList = (texts: readonly string[]): string => `[${texts.join(', ')}]`;
const asTuple = (texts: readonly string[]): string => `(${texts.join(', ')}${texts.length === 1 ? ',' : ''})`;

function ofDisplay(line: ToldParts, { first, parts }: Part, bound: Bound): string | undefined {
  const opens = line.code[first];
  if (opens === brace || parts.some(({ kind }) => kind === 'star')) return undefined;
  const texts = textsOf(line, parts, bound);
  return texts && (opens === square && parts[0]?.begin !== first ? asList(texts) : asTuple(texts));
}

/** `[0] * n`, `n * (0, 1)`. */
function repeated(line: ToldParts, { parts }: Part, bound: Bound): string | undefined {
  const [left, right] = parts as [Part, Part];
  if (line.code[left.until] !== star) return undefined;
  const [items, count] = left.kind === 'display' ? [left, right] : [right, left];
  const times = integerOf(worth(line, count, bound) ?? []);
  const opens = line.code[items.first];
  if (times === undefined || items.kind !== 'display' || (opens !== square && opens !== round))
    return undefined;
  const texts = textsOf(line, items.parts, bound);
  if (texts === undefined || items.parts.some(({ kind }) => kind === 'star')) return undefined;
  const shown = texts.length === 0 ? 0 : Math.min(Math.max(times, 0), Math.ceil(mostShown / texts.length));
  const all = Array.from({ length: shown }, () => texts).flat();
  return opens === square ? asList(all) : asTuple(all);
}

/** A list or dict comprehension with one `for` and no conditions. */
function comprehended(line: ToldParts, part: Part, bound: Bound): string | undefined {
  const { code } = line;
  const [iterable, ...made] = part.parts as [Part, ...Part[]];
  const isDict = code[part.first] === brace;
  if (made.length !== (isDict ? 2 : 1)) return undefined;
  const target = targetOf(code, part);
  const items = target && itemsOf(line, iterable, bound);
  if (target === undefined || items === undefined) return undefined;
  const rows: string[][] = [];
  // A key may be there again far behind; of a list what is behind is not shown.
  for (const item of isDict ? items : items.slice(0, mostShown)) {
    const names = taken(target, item);
    const texts = names && textsOf(line, made, new Map([...bound, ...names]));
    if (texts === undefined) return undefined;
    rows.push(texts);
  }
  return isDict ? asDict(rows) : asList(rows.flat());
}

/** A dict of keys that are strings or integers, of which texts tell whether they are the same. */
function asDict(rows: readonly string[][]): string | undefined {
  if (!rows.every(([key = '']) => /^(?:-?\d+|(['"]).*\1)$/s.test(key))) return undefined;
  const entries = new Map(rows.map(([key, value]) => [key as string, value as string]));
  return `{${[...entries].map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}

const itemsOf = (line: ToldParts, part: Part, bound: Bound): Value[] | undefined =>
  iterated(line.code, part, (inner) => worth(line, inner, bound), mostItems);

const importsDeque =
  /^\s*(?:from collections import .*\bdeque\b|import .*\bcollections\b|from collections import \*)/m;
const definesDeque = /\b(?:class|def|as) +deque\b|\bdeque *=[^=]/;

/** `deque(xs)`, `deque(xs, maxlen=3)`. */
function deque(line: ToldParts, given: readonly Part[], bound: Bound): string | undefined {
  const { program } = line;
  if (!importsDeque.test(program.source) || definesDeque.test(program.source)) return undefined;
  const [over, longest, ...others] = given;
  const length = longest?.kind === 'keyword' ? longest.parts[0] : longest;
  const most = length && integerOf(worth(line, length, bound) ?? []);
  if (others.length > 0 || over?.kind === 'keyword' || (length && (most === undefined || most < 1)))
    return undefined;
  const items = over ? itemsOf(line, over, bound) : [];
  const texts = items?.slice(-(most ?? mostItems)).map((item) => decodeValue(program, item));
  if (!texts?.every((text) => typeof text === 'string')) return undefined;
  return `deque(${asList(texts)}${most === undefined ? '' : `, maxlen=${most}`})`;
}

/** `range(n)`, `list(range(n))`, `float('inf')`. */
function called(line: ToldParts, part: Part, bound: Bound): string | undefined {
  const { code, program } = line;
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  const [only] = given;
  if (attributeName(program, code[callee.end - 1] as number) === 'deque') return deque(line, given, bound);
  if (callee.kind !== 'name' || only === undefined) return undefined;
  const name = code[callee.first];
  if (name === range) {
    const bounds = given.map((inner) => integerOf(worth(line, inner, bound) ?? []));
    if (!bounds.every((number) => number !== undefined)) return undefined;
    return `range(${(bounds.length === 1 ? [0, ...bounds] : bounds).join(', ')})`;
  }
  if (given.length > 1) return undefined;
  if (name === float) return infinite.get(partTokens(code, only).join());
  const items = name === list ? itemsOf(line, only, bound) : undefined;
  const texts = items?.slice(0, mostShown).map((item) => decodeValue(program, item));
  return texts?.every((text) => typeof text === 'string') ? asList(texts) : undefined;
}
