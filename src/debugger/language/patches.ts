/**
 * Patches: a value told by what changed in it since the state before (docs/trace-language.md, section 6). `xs[3] = 7` changes one item of a long list,
 * `word += 'x'` adds to a string: the rest need not be spelled again.
 */
import type { Program } from '../program.js';
import { brace, display, itemsOf, quotes, same, withCommas } from './displays.js';
import { charToken, operatorToken, special, textTokens } from './tokens.js';
import { cutMark, decodeValue, encodeValue, longestText } from './values.js';

type Tokens = readonly number[];

/** Adds an item to a list or set, or characters to a string, behind what is there. */
export const addition = operatorToken('+=');

/** One change of a value. */
export interface Patch {
  /** The item in the item ... that changes, by the tokens of its indices or keys. */
  readonly path: readonly Tokens[];
  /** `special.value`: the item's new value is the operand; `addition`: the operand is added; `special.del`: the item is removed. */
  readonly operation: number;
  readonly operand: Tokens;
}

/** Most patches of one value. */
export const mostPatches = 8;
/** Most items one in the other. */
export const deepestPatch = 3;
/** Most items of one value that a writer tells by patches when they are replaced. */
const mostReplaced = 2;
const colon = charToken(':');
const bracket = charToken('[');
const closings = new Map([bracket, brace].map((open, at) => [open, charToken(']}'.charAt(at))]));
const last = textTokens('-1');

const tokensOf = ({ path, operation, operand }: Patch): number[] => [
  ...path.flatMap((key) => [special.it, ...key]),
  operation,
  ...operand,
];

/**
 * What stands behind the slot of a name that had the value `before` (undefined: none) and has `after`: patches where they are shorter than the value,
 * else the value.
 */
export function encodeChange(program: Program, before: string | undefined, after: string): number[] {
  const value = encodeValue(program, after);
  if (before === undefined) return value;
  const found = difference(encodeValue(program, before), value, deepestPatch, mostReplaced);
  const tokens = found?.flatMap(tokensOf);
  if (found === undefined || tokens === undefined || tokens.length >= value.length) return value;
  const isExact =
    found.every((patch) => isWritten(program, patch)) && patched(program, before, found) === after;
  return isExact ? tokens : value;
}

/** Whether its keys and its operand are values, so that they are read back. */
const isWritten = (program: Program, { path, operation, operand }: Patch): boolean =>
  [...path, ...(operation === special.del ? [] : [operand])].every(
    (part) => typeof decodeValue(program, part) === 'string',
  );

/**
 * The value after the patches, in their order. One that does not fit the value (no such item, nothing that can be added to) changes nothing, and of a name
 * without a value there is nothing to patch: undefined.
 */
export function patched(
  program: Program,
  before: string | undefined,
  patches: readonly Patch[],
): string | undefined {
  if (before === undefined) return undefined;
  let [value, text] = [encodeValue(program, before), before];
  for (const patch of patches) {
    const changed = applied(program, value, patch);
    const made = changed === undefined ? undefined : decodeValue(program, changed);
    if (changed !== undefined && typeof made === 'string') [value, text] = [changed, made];
  }
  const characters = Array.from(text);
  if (characters.length <= Math.max(longestText, Array.from(before).length)) return text;
  return `${characters.slice(0, longestText - 1).join('')}${cutMark}`;
}

/** A list, dict or set. */
interface Opened {
  /** The tokens up to its first item, and behind its last. */
  readonly head: Tokens;
  readonly tail: Tokens;
  /** The tokens of its items, a dict's with their keys. */
  readonly items: readonly Tokens[];
  /** What names each item: its number, its key, or in a set itself. */
  readonly keys: readonly Tokens[];
  readonly kind: 'list' | 'dict' | 'set';
}

const isWhole = (value: Tokens): boolean =>
  value.length > 0 && value[0] !== special.raw && !value.includes(special.cut);

/** The list, dict or set that a value is, or is written with; undefined for others. */
function opened(value: Tokens): Opened | undefined {
  const [first, end] = display(value, 0, value.length);
  const begins = value[first];
  if (begins === undefined || value[end - 1] !== closings.get(begins)) return undefined;
  const places = itemsOf(value, first, end) ?? [];
  const items = places.map((item) => value.slice(item.first, item.end));
  const kind = begins === bracket ? 'list' : places.some((item) => item.colon < 0) ? 'set' : 'dict';
  const keys = places.map((item, at) => {
    if (kind === 'list') return textTokens(String(at));
    return value.slice(item.first, item.colon < 0 ? item.end : item.colon);
  });
  return { head: value.slice(0, first + 1), tail: value.slice(end - 1), items, keys, kind };
}

/** The value of an item, without its key. */
const worth = ({ items, keys, kind }: Opened, at: number): Tokens =>
  (items[at] as Tokens).slice(kind === 'dict' ? (keys[at] as Tokens).length + 1 : 0);

/** The tokens of the same with other items. */
const having = ({ head, tail }: Opened, items: readonly Tokens[]): number[] => [
  ...head,
  ...withCommas(items),
  ...tail,
];

// What changed between two values.

/** At most `most` patches that lead from one value to the other, as far as their kinds allow. */
function difference(before: Tokens, after: Tokens, depth: number, most: number): Patch[] | undefined {
  if (depth === 0 || !isWhole(before) || !isWhole(after)) return undefined;
  const quote = before[0] as number;
  if (quotes.includes(quote)) {
    const added = after.slice(before.length - 1, -1);
    const isLonger =
      before.length > 2 && added.length > 0 && same(after.slice(0, before.length - 1), before.slice(0, -1));
    return isLonger ? [{ path: [], operation: addition, operand: [quote, ...added, quote] }] : undefined;
  }
  const [old, now] = [opened(before), opened(after)];
  if (old === undefined || now === undefined || !same(old.head, now.head) || !same(old.tail, now.tail))
    return undefined;
  const hasSameKeys =
    old.keys.length === now.keys.length && old.keys.every((key, at) => same(key, now.keys[at] as Tokens));
  if (hasSameKeys && old.kind !== 'set') return replaced(old, now, depth, most);
  return added(old, now) ?? removed(old, now);
}

function replaced(old: Opened, now: Opened, depth: number, most: number): Patch[] | undefined {
  const places = [...old.items.keys()].filter(
    (at) => !same(old.items[at] as Tokens, now.items[at] as Tokens),
  );
  if (places.length === 0 || places.length > most) return undefined;
  return places.map((at) => {
    const key = now.keys[at] as Tokens;
    const whole: Patch = { path: [key], operation: special.value, operand: worth(now, at) };
    const [inside, ...more] = difference(worth(old, at), worth(now, at), depth - 1, 1) ?? [];
    const part = inside === undefined || more.length > 0 ? whole : { ...inside, path: [key, ...inside.path] };
    return tokensOf(part).length < tokensOf(whole).length ? part : whole;
  });
}

function added(old: Opened, now: Opened): Patch[] | undefined {
  const more = now.items.length - old.items.length;
  const most = old.items.length > 0 ? mostPatches : 1; // more behind nothing is another value rather than one that grew
  if (more < 1 || more > most) return undefined;
  const adding = (operand: Tokens): Patch => ({ path: [], operation: addition, operand });
  if (now.kind === 'set') {
    const found = now.items.filter((item) => !old.items.some((other) => same(item, other)));
    return found.length === more ? found.map(adding) : undefined;
  }
  if (!old.items.every((item, at) => same(item, now.items[at] as Tokens))) return undefined;
  return Array.from({ length: more }, (_, index) => {
    const at = old.items.length + index;
    const operand = worth(now, at);
    return now.kind === 'list'
      ? adding(operand)
      : { path: [now.keys[at] as Tokens], operation: special.value, operand };
  });
}

function removed(old: Opened, now: Opened): Patch[] | undefined {
  if (old.items.length !== now.items.length + 1) return undefined;
  const differs = (at: number): boolean => !same(old.items[at] as Tokens, now.items[at] as Tokens);
  let at = [...now.items.keys()].find(differs) ?? now.items.length;
  if (at === now.items.length && old.kind === 'list')
    return [{ path: [last], operation: special.del, operand: [] }];
  const isLike = (one: number, other: number): boolean =>
    same(old.items[one] as Tokens, old.items[other] as Tokens);
  while (at > 0 && isLike(at - 1, at)) at -= 1; // of several that are equal, the first
  const isRest = old.items.toSpliced(at, 1).every((item, place) => same(item, now.items[place] as Tokens));
  return isRest ? [{ path: [old.keys[at] as Tokens], operation: special.del, operand: [] }] : undefined;
}

// What a patch makes of a value.

/** The tokens of the value with the patch; undefined where it does not fit. */
function applied(program: Program, value: Tokens, patch: Patch): number[] | undefined {
  if (!isWhole(value)) return undefined;
  const [key, ...rest] = patch.path;
  if (key === undefined)
    return patch.operation === addition ? withAdded(program, value, patch.operand) : undefined;
  const whole = opened(value);
  if (whole === undefined) return undefined;
  const { items, keys, kind } = whole;
  const isLast = rest.length === 0;
  const replaces = isLast && patch.operation === special.value;
  const at = kind === 'list' && same(key, last) ? items.length - 1 : keys.findIndex((one) => same(one, key));
  if (at < 0)
    return replaces && kind === 'dict'
      ? having(whole, [...items, [...key, colon, ...patch.operand]])
      : undefined;
  const isLastItem = items.length === 1 && (kind === 'set' || (kind === 'dict' && whole.head.length > 1));
  if (isLast && patch.operation === special.del && isLastItem) return undefined; // `set()` and `Counter()` are written without braces
  if (isLast && patch.operation === special.del) return having(whole, items.toSpliced(at, 1));
  if (kind === 'set') return undefined;
  const inside = replaces ? patch.operand : applied(program, worth(whole, at), { ...patch, path: rest });
  if (inside === undefined) return undefined;
  const named = kind === 'dict' ? [...(keys[at] as Tokens), colon] : [];
  return having(whole, items.with(at, [...named, ...inside]));
}

/** A string with the characters of another, a list with one more item, a set with it in its place. */
function withAdded(program: Program, value: Tokens, operand: Tokens): number[] | undefined {
  const quote = value[0] as number;
  if (quotes.includes(quote)) {
    const fits = operand.length > 1 && operand[0] === quote && operand.at(-1) === quote;
    return fits ? [...value.slice(0, -1), ...operand.slice(1)] : undefined;
  }
  const whole = opened(value);
  if (whole === undefined || whole.kind === 'dict') return undefined;
  if (whole.kind === 'list') return having(whole, [...whole.items, operand]);
  if (whole.items.some((item) => same(item, operand))) return undefined;
  const texts = new Map(
    [...whole.items, operand].map((item) => [
      item,
      Array.from(textOf(program, item), (char) => char.codePointAt(0) as number),
    ]),
  );
  return having(
    whole,
    [...texts.keys()].sort((a, b) => compared(texts.get(a) as Tokens, texts.get(b) as Tokens)),
  );
}

function textOf(program: Program, item: Tokens): string {
  const text = decodeValue(program, item);
  return typeof text === 'string' ? text : '';
}

/** Which of two texts comes first, by code points. */
function compared(a: Tokens, b: Tokens): number {
  const at = a.findIndex((point, index) => point !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] as number) - (b[at] ?? -1);
}
