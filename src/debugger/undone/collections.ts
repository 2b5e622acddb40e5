/** Taking back what was put into collections and taken out of them. */
import { isMapping, itemsIn, itemsOf } from '../language/displays.js';
import { expressionParts } from '../language/expression-parts.js';
import { listOf, withoutItem } from '../language/item-changes.js';
import { joined } from '../language/items.js';
import { mayCall } from '../language/known-calls.js';
import { changedBy } from '../language/method-changes.js';
import { type Part, partTokens } from '../language/parts.js';
import type { Value } from '../language/plan.js';
import { charToken, operatorToken, textTokens, wordToken, wordTokens } from '../language/tokens.js';
import { reads } from './places.js';
import { asking, isNewKey, nothing, type Statement, type Undone } from './statement.js';

const square = charToken('[');
const [append, appendleft, extend, insert, pop, popleft] = wordTokens(
  'append appendleft extend insert pop popleft',
) as [number, number, number, number, number, number];
const get = wordToken('get');
const [plus, minus] = [operatorToken('+'), operatorToken('-')];
/** The index of the first item. */
const zero: Value = textTokens('0');
const noItems: Value = textTokens('[]');
/** `xs.append(y)`, `q.appendleft(y)`, `xs.insert(0, y)` and `xs.extend(ys)`, xs a name or an item of what one stands for. */
export function putIn(statement: Statement, { kind, parts }: Part): Undone {
  const { code, places } = statement;
  const [callee, ...given] = parts;
  const base = callee?.kind === 'attribute' ? callee.parts[0] : undefined;
  const place = kind === 'call' && base ? places.at(statement.tokens(base)) : undefined;
  const [first, second] = given;
  if (place === undefined || callee === undefined || first === undefined) return nothing;
  // What is put in may change the list by itself.
  const put = (part: Part): readonly number[] => statement.tokens(part);
  const isAlone = given.every((part) => !reads(put(part), put(base as Part)) && !mayCall(code, part));
  const [back, ...index] = takingOut(code[callee.end - 1] as number) ?? [];
  const isIn = isAlone && given.length === 1 + index.length;
  const taken = (value: Value | undefined): Undone =>
    statement.had(place, value, value?.join() === noItems.join());
  if (isIn && back !== undefined) {
    const isThere = index.every((at) => statement.tokens(first).join() === at.join());
    return isThere ? taken(changedBy(back, place.value, index)?.left) : nothing;
  }
  const isExtended = isAlone && second === undefined && code[callee.end - 1] === extend;
  if (!isExtended || place.value[0] !== square) return nothing;
  const left = (items: Value): Undone =>
    items[0] === square ? taken(withoutLast(place.value, itemsIn(items).length)) : nothing;
  const items = places.told(code, first);
  return items ? left(items) : asking(statement.tokens(first), left);
}

/** The method that takes out what another one puts in, and its arguments. */
function takingOut(method: number): [number, ...Value[]] | undefined {
  if (method === append) return [pop];
  if (method === appendleft) return [popleft];
  return method === insert ? [pop, zero] : undefined;
}

/** A list without so many items at its end; undefined if it has fewer. */
function withoutLast(list: Value, count: number): Value | undefined {
  const items = itemsIn(list);
  return items.length < count ? undefined : listOf(items.slice(0, items.length - count));
}

/** `y = xs.pop()`, `y = q.popleft()`, `y, z = xs.pop(0)` */
export function popped(statement: Statement, target: Part, { parts }: Part): Undone {
  const { code, places } = statement;
  const [callee, index, ...others] = parts;
  const base = callee?.parts[0];
  const method = callee?.kind === 'attribute' ? code[callee.end - 1] : undefined;
  const isFirst = index === undefined || statement.tokens(index).join() === zero.join();
  const isPop = (method === pop && isFirst) || (method === popleft && index === undefined);
  const item = givenTo(statement, target);
  if (!isPop || base?.kind !== 'name' || others.length > 0 || !item) return nothing;
  const slot = code[base.first] as number;
  const value = places.valueOf(slot);
  if (value === undefined || statement.tokens(target).includes(slot)) return nothing;
  const [back, given] = index ? [insert, [zero, item]] : [method === popleft ? appendleft : append, [item]];
  return statement.bound(slot, changedBy(back, value, given)?.left);
}

/** The value that a name, or names with commas between them, were given: of more than one taken to be a tuple. */
function givenTo(statement: Statement, { kind, first, parts }: Part): Value | undefined {
  if (kind === 'name') return statement.places.valueOf(statement.code[first] as number);
  const values =
    kind === 'display'
      ? parts.map((part) => (part.kind === 'name' ? givenTo(statement, part) : undefined))
      : [];
  const isWhole = values.length > 1 && values.every((value) => value !== undefined);
  return isWhole ? joined(values) : undefined;
}

/** `d[k] = y` where k is the last key: it was put there; of `d[k] = d.get(k, z) + y` if that came to y. */
export function keyed(statement: Statement, target: Part, value: Part): Undone {
  const { code, places } = statement;
  const [base, key] = target.kind === 'subscript' ? target.parts : [];
  const dict = base && places.at(statement.tokens(base));
  const index = key && places.indexOf(code, key);
  // What is assigned may change the dict by itself.
  if (!dict || !index || !isMapping(dict.value) || mayCall(code, value)) return nothing;
  const last = itemsOf(dict.value, 0, dict.value.length)?.at(-1);
  const isLast = last && dict.value.slice(last.first, last.colon).join() === index.join();
  const left = isLast ? withoutItem(dict.value, index) : undefined;
  const absent = { ...statement.bound(dict.slot, left && dict.replaced(left)), logProbability: isNewKey };
  const counted = countedFrom(statement, target, value);
  if (counted === undefined) return isLast ? absent : nothing;
  const place = places.at(statement.tokens(target));
  if (place === undefined) return nothing;
  return asking([...place.value, minus, ...counted.change], (before) =>
    isLast && before.join() === counted.start.join()
      ? absent
      : statement.bound(place.slot, place.replaced(before)),
  );
}

/** `d.get(k, z) + y` of `d[k]`: z, and code tokens of y. */
function countedFrom(
  statement: Statement,
  target: Part,
  { kind, parts }: Part,
): { start: Value; change: readonly number[] } | undefined {
  const { code } = statement;
  const [call, change] = kind === 'binary' ? parts : [];
  const [callee, key, start, ...others] = call?.kind === 'call' ? call.parts : [];
  const [base, index] = target.parts;
  if (!call || !change || !callee || !key || !start || !base || !index || others.length > 0) return undefined;
  const isSum = code[call.until] === plus && code[callee.end - 1] === get && callee.kind === 'attribute';
  const isSame =
    statement.tokens(callee.parts[0] as Part).join() === statement.tokens(base).join() &&
    statement.tokens(key).join() === statement.tokens(index).join();
  const added = statement.tokens(change);
  const parted = expressionParts(added);
  const isPlain = parted !== undefined && ['constant', 'name'].includes(parted.kind);
  return isSum && isSame && isPlain ? { start: partTokens(code, start), change: added } : undefined;
}
