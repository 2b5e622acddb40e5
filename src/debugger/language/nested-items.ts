/** Items of lists, dicts and `defaultdict`s in each other: which one several indices lead to, and what is left with another one there. */
import { nameOfSlot, type Program } from '../program.js';
import { itemAt, withItem, withoutItem } from './item-changes.js';
import { type Changed, changedBy } from './method-changes.js';
import type { Value } from './plan.js';
import { wordToken } from './tokens.js';
import { decodeValue, encodeValue } from './values.js';

const written = /^defaultdict\((<class '(\w+)'>|<function [\w.<>]+>), (\{.*\})\)$/s;
const ordered = /^OrderedDict\((\{.*\})?\)$/s;
const [defaultdict, orderedDict] = ['defaultdict', 'OrderedDict'].map(wordToken);
const none = wordToken('None') as number;
/** What a `defaultdict` makes for a missing key, by its factory. */
const made = new Map(
  Object.entries({
    int: '0',
    float: '0.0',
    str: "''",
    list: '[]',
    dict: '{}',
    set: 'set()',
    tuple: '()',
    bool: 'False',
  }),
);

/** A dict with the `defaultdict` or `OrderedDict` around it taken off. */
interface Opened {
  readonly dict: Value;
  readonly missing: Value | undefined;
  closed(dict: Value): Value | undefined;
}

/** The dict of a `defaultdict` or an `OrderedDict`; undefined for other values. */
export const dictOf = (program: Program, value: Value): Value | undefined => opened(program, value)?.dict;

function opened(program: Program, value: Value): Opened | undefined {
  if (value[0] === orderedDict) return openedOrdered(program, value);
  const text = value[0] === defaultdict ? decodeValue(program, value) : undefined;
  const [, factory, type = '', inside] = (typeof text === 'string' && written.exec(text)) || [];
  if (inside === undefined) return undefined;
  // What a function of the program makes is not told.
  const missing = made.get(type);
  return {
    dict: encodeValue(program, inside),
    missing: missing === undefined ? undefined : encodeValue(program, missing),
    closed: (dict) => {
      const left = decodeValue(program, dict);
      return typeof left === 'string' ? encodeValue(program, `defaultdict(${factory}, ${left})`) : undefined;
    },
  };
}

function openedOrdered(program: Program, value: Value): Opened | undefined {
  const text = decodeValue(program, value);
  const found = typeof text === 'string' ? ordered.exec(text) : null;
  if (found === null) return undefined;
  return {
    dict: encodeValue(program, found[1] ?? '{}'),
    missing: undefined,
    closed: (dict) => {
      const left = decodeValue(program, dict);
      return typeof left === 'string'
        ? encodeValue(program, left === '{}' ? 'OrderedDict()' : `OrderedDict(${left})`)
        : undefined;
    },
  };
}

/** `d.move_to_end(key)`. */
function movedToEnd(outer: Opened, [key, ...others]: readonly Value[]): Changed | undefined {
  const item = key && others.length === 0 ? itemAt(outer.dict, key) : undefined;
  const rest = key && item && withoutItem(outer.dict, key);
  const moved = rest && withItem(rest, key, item);
  const left = moved && outer.closed(moved);
  return left && { left, given: [none] };
}

/** The value without the item of a key. */
export function withoutItemIn(program: Program, value: Value, key: Value): Value | undefined {
  const outer = opened(program, value);
  const left = withoutItem(outer?.dict ?? value, key);
  return left && outer ? outer.closed(left) : left;
}

/** What a method that changes it leaves of a collection, the dict in a `defaultdict` or an `OrderedDict` too, and what it gives. */
export function changedIn(
  program: Program,
  method: number,
  value: Value,
  given: readonly Value[],
): Changed | undefined {
  const outer = opened(program, value);
  if (outer === undefined) return changedBy(method, value, given);
  if (nameOfSlot(program, method) === 'move_to_end')
    return value[0] === orderedDict ? movedToEnd(outer, given) : undefined;
  const inner = changedBy(method, outer.dict, given);
  const left = inner && outer.closed(inner.left);
  return inner && left && { ...inner, left };
}

/** The item that indices lead to, one behind the other; of a `defaultdict` what it makes where there is none. undefined where it cannot be told. */
export function itemIn(
  program: Program,
  value: Value,
  [index, ...rest]: readonly Value[],
): Value | undefined {
  if (index === undefined) return value;
  const outer = opened(program, value);
  const item = outer ? (itemAt(outer.dict, index) ?? outer.missing) : itemAt(value, index);
  return item && itemIn(program, item, rest);
}

/** Whether a `defaultdict` makes what a key leads to, for it has no such key. */
export function lacks(program: Program, value: Value, key: Value): boolean {
  const outer = opened(program, value);
  return outer?.missing !== undefined && itemAt(outer.dict, key) === undefined;
}

/** The value with another item there; a dict has a new one behind its others. */
export function withItemIn(
  program: Program,
  value: Value,
  [index, ...rest]: readonly Value[],
  item: Value,
): Value | undefined {
  if (index === undefined) return item;
  const outer = opened(program, value);
  const inner = rest.length > 0 ? itemIn(program, value, [index]) : item;
  const left = inner && withItemIn(program, inner, rest, item);
  const changed = left && withItem(outer?.dict ?? value, index, left);
  return changed && outer ? outer.closed(changed) : changed;
}
