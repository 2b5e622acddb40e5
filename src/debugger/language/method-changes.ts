/** What methods that change a list, a deque, a dict or a set leave of it, and what they give. */
import { display, isMapping, isSequence, isSet, itemsIn, itemsOf } from './displays.js';
import { areAlike, itemAt, listOf, withItem, withoutItem } from './item-changes.js';
import { collected } from './items.js';
import { integerOf } from './literal-values.js';
import type { Value } from './plan.js';
import { charToken, charTokens, textTokens, wordTokens } from './tokens.js';

/** `left`: the collection; `given`: what the call gives. */
export interface Changed {
  readonly left: Value;
  readonly given: Value;
}

const [append, extend, insert, pop, remove, clear, add, discard, update] = wordTokens(
  'append extend insert pop remove clear add discard update',
);
const [deque, appendleft, popleft, rotate, setdefault] = wordTokens(
  'deque appendleft popleft rotate setdefault',
);
/** Around the list in `deque([1])`. */
const [opened, closed]: [Value, Value] = [[deque as number, ...textTokens('(')], textTokens(')')];
const [square] = charTokens('[');
const equals = charToken('=');
const none: Value = [wordTokens('None')[0] as number];
const noSet: Value = [wordTokens('set')[0] as number, ...textTokens('()')];

/** What a call of the method `name` with these arguments does to a literal; undefined for others, and where it raises or cannot be told. */
export function changedBy(name: number, value: Value, given: readonly Value[]): Changed | undefined {
  if (value[0] === square) return listChangedBy(name, itemsIn(value), given);
  if (value[0] === deque) return dequeChangedBy(name, value, given);
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
  if (isMapping(value) && name === pop && others.length < 2) return popped(value, argument, others[0]);
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
  if (name === extend && isSequence(first)) return left([...items, ...itemsIn(first)]);
  if (name !== remove || !areAlike([...items, first])) return undefined;
  const at = items.findIndex((item) => item.join() === first.join());
  return at < 0 ? undefined : left(items.filter((_, place) => place !== at));
}

/** A deque, perhaps with a greatest length: what is too many goes at the other end. */
function dequeChangedBy(name: number, value: Value, given: readonly Value[]): Changed | undefined {
  const [first, end] = display(value, 0, value.length);
  const list = value.slice(first, end);
  const behind = value.slice(end);
  const limit = longestOf(behind);
  if (list[0] !== square || limit === undefined) return undefined;
  const items = itemsIn(list);
  const left = (found: Changed | undefined, isFromRight = false): Changed | undefined => {
    const all = found && itemsIn(found.left);
    const kept = isFromRight ? all?.slice(0, limit) : all?.slice(Math.max(0, all.length - limit));
    return found && kept && { ...found, left: [...opened, ...listOf(kept), ...behind] };
  };
  const [argument = textTokens('1'), ...others] = given;
  if (name === popleft)
    return given.length === 0 ? left(listChangedBy(pop as number, items, [textTokens('0')])) : undefined;
  if (name === appendleft)
    return given.length === 1
      ? left(listChangedBy(insert as number, items, [textTokens('0'), ...given]), true)
      : undefined;
  if (name === rotate && others.length === 0) return left(rotated(items, integerOf(argument)));
  const isSame = name === append || name === extend || name === clear || (name === pop && given.length === 0);
  return isSame ? left(listChangedBy(name, items, given)) : undefined;
}

/** The greatest length of a deque, by what is written behind its items: `, maxlen=3)`. */
function longestOf(behind: Value): number | undefined {
  if (behind.join() === closed.join()) return Number.POSITIVE_INFINITY;
  return integerOf(behind.slice(behind.indexOf(equals) + 1, -1));
}

function rotated(items: readonly Value[], steps: number | undefined): Changed | undefined {
  if (steps === undefined) return undefined;
  const at = items.length === 0 ? 0 : ((steps % items.length) + items.length) % items.length;
  return {
    left: listOf([...items.slice(items.length - at), ...items.slice(0, items.length - at)]),
    given: none,
  };
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

/** A dict without a key; the other value is given where it does not have it. */
function popped(value: Value, key: Value, otherwise: Value | undefined): Changed | undefined {
  const held = itemAt(value, key);
  if (held !== undefined) {
    const left = withoutItem(value, key);
    return left && { left, given: held };
  }
  const keys = itemsOf(value, 0, value.length)?.map(({ first, colon }) => value.slice(first, colon)) ?? [];
  return otherwise && areAlike([...keys, key]) ? { left: value, given: otherwise } : undefined;
}

function updated(value: Value, added: Value): Changed | undefined {
  let left: Value | undefined = value;
  for (const { first, colon, end } of itemsOf(added, 0, added.length) ?? [])
    left = left && withItem(left, added.slice(first, colon), added.slice(colon + 1, end));
  return left && { left, given: none };
}
