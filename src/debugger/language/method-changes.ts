/** What methods that change a list, a deque, a dict or a set leave of it, and what they give. */
import { isMapping, isSet, itemsIn, itemsOf } from './displays.js';
import { areAlike, itemAt, listOf, withItem } from './item-changes.js';
import { collected } from './items.js';
import { integerOf } from './literal-values.js';
import type { Value } from './plan.js';
import { charTokens, textTokens, wordTokens } from './tokens.js';

/** `left`: the collection; `given`: what the call gives. */
export interface Changed {
  readonly left: Value;
  readonly given: Value;
}

const [append, extend, insert, pop, remove, clear, add, discard, update] = wordTokens(
  'append extend insert pop remove clear add discard update',
);
const [deque, appendleft, popleft, setdefault] = wordTokens('deque appendleft popleft setdefault');
/** Around the list in `deque([1])`. */
const [opened, closed]: [Value, Value] = [[deque as number, ...textTokens('(')], textTokens(')')];
const [square, squareEnd] = charTokens('[]');
const none: Value = [wordTokens('None')[0] as number];
const noSet: Value = [wordTokens('set')[0] as number, ...textTokens('()')];

/** What a call of the method `name` with these arguments does to a literal; undefined for others, and where it raises or cannot be told. */
export function changedBy(name: number, value: Value, given: readonly Value[]): Changed | undefined {
  if (value[0] === square) return listChangedBy(name, itemsIn(value), given);
  if (value[0] === deque) return dequeChangedBy(name, value.slice(opened.length, -closed.length), given);
  if (name === clear && given.length === 0)
    return isSet(value)
      ? { left: noSet, given: none }
      : isMapping(value)
        ? { left: textTokens('{}'), given: none }
        : undefined;
  const [argument, ...others] = given;
  if (argument === undefined) return undefined;
  if (isMapping(value) && name === setdefault && others.length === 1)
    return withDefault(value, argument, others[0] as Value);
  if (others.length > 0) return undefined;
  if (isMapping(value) && name === update && isMapping(argument)) return updated(value, argument);
  return isSet(value) ? setChangedBy(name, itemsIn(value), argument) : undefined;
}

function listChangedBy(name: number, items: readonly Value[], given: readonly Value[]): Changed | undefined {
  const [first, second] = given;
  const left = (values: readonly Value[], gives = none): Changed => ({ left: listOf(values), given: gives });
  if (given.length === 0 && name === clear) return left([]);
  if (name === pop && given.length < 2) {
    const number = first === undefined ? -1 : integerOf(first);
    const at = number !== undefined && number < 0 ? number + items.length : number;
    const item = at === undefined ? undefined : items[at];
    return (
      item &&
      left(
        items.filter((_, place) => place !== at),
        item,
      )
    );
  }
  if (first === undefined) return undefined;
  if (name === insert && second !== undefined && given.length === 2) {
    const number = integerOf(first);
    if (number === undefined) return undefined;
    const at = Math.max(0, Math.min(number < 0 ? number + items.length : number, items.length));
    return left([...items.slice(0, at), second, ...items.slice(at)]);
  }
  if (given.length > 1) return undefined;
  if (name === append) return left([...items, first]);
  if (name === extend && first[0] === square) return left([...items, ...itemsIn(first)]);
  if (name !== remove || !areAlike([...items, first])) return undefined;
  const at = items.findIndex((item) => item.join() === first.join());
  return at < 0 ? undefined : left(items.filter((_, place) => place !== at));
}

/** list: what is written in the brackets; that of a deque with a greatest length is no list. */
function dequeChangedBy(name: number, list: Value, given: readonly Value[]): Changed | undefined {
  if (list[0] !== square || list.at(-1) !== squareEnd) return undefined;
  const items = itemsIn(list);
  const left = (found: Changed | undefined): Changed | undefined =>
    found && { ...found, left: [...opened, ...found.left, ...closed] };
  if (name === popleft)
    return given.length === 0 ? left(listChangedBy(pop as number, items, [textTokens('0')])) : undefined;
  if (name === appendleft)
    return given.length === 1
      ? left(listChangedBy(insert as number, items, [textTokens('0'), ...given]))
      : undefined;
  const isSame = name === append || name === extend || name === clear || (name === pop && given.length === 0);
  return isSame ? left(listChangedBy(name, items, given)) : undefined;
}

function setChangedBy(name: number, items: readonly Value[], item: Value): Changed | undefined {
  if (!areAlike([...items, item])) return undefined;
  const others = items.filter((other) => other.join() !== item.join());
  const isThere = others.length < items.length;
  if (name === add) return changedTo([...others, item]);
  if (name === discard || (name === remove && isThere)) return changedTo(others);
  return undefined;
}

function changedTo(items: readonly Value[]): Changed | undefined {
  const left = items.length === 0 ? noSet : collected(items);
  return left && { left, given: none };
}

/** A dict that has a key from then on, if it did not have it before. */
function withDefault(value: Value, key: Value, otherwise: Value): Changed | undefined {
  const held = itemAt(value, key);
  if (held !== undefined) return { left: value, given: held };
  const left = withItem(value, key, otherwise);
  return left && { left, given: otherwise };
}

function updated(value: Value, added: Value): Changed | undefined {
  let left: Value | undefined = value;
  for (const { first, colon, end } of itemsOf(added, 0, added.length) ?? [])
    left = left && withItem(left, added.slice(first, colon), added.slice(colon + 1, end));
  return left && { left, given: none };
}
