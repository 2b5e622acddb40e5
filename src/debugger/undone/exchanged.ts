/** Taking back assignments to several places at once: what changed places, and what moved from one name to another. */
import { withItem } from '../language/item-changes.js';
import { integerOf } from '../language/literal-values.js';
import type { Part } from '../language/parts.js';
import { operatorToken } from '../language/tokens.js';
import { asking, type Before, nothing, type Statement, type Undone } from './statement.js';

const [plus, minus] = [operatorToken('+'), operatorToken('-')];

/** `a, b = b, a` and `xs[i], xs[j] = xs[j], xs[i]` */
export function exchanged(statement: Statement, target: Part, value: Part): Undone {
  const { places: known } = statement;
  const [places, values] = [target, value].map(({ kind, parts }) => (kind === 'display' ? parts : []));
  const [a, b, ...more] = (places ?? []).map((part) => statement.tokens(part));
  const [c, d, ...others] = (values ?? []).map((part) => statement.tokens(part));
  const isExchange = a && b && a.join() === d?.join() && b.join() === c?.join() && a.join() !== b.join();
  if (!isExchange || more.length + others.length > 0) return moved(statement, places ?? [], values ?? []);
  const [index, ...indices] = [a, b].flatMap((place) => known.openIndices(place));
  if (index === undefined) return backInPlace(statement, a, b);
  if (indices.length > 0) return nothing;
  return asking(index, (found) => {
    known.noteIndex(index, found);
    return backInPlace(statement, a, b);
  });
}

/** Two names, or two items of one list, that have changed places, as they were. */
function backInPlace(statement: Statement, a: readonly number[], b: readonly number[]): Undone {
  const [first, second] = [statement.places.at(a), statement.places.at(b)];
  if (first === undefined || second === undefined) return nothing;
  if (a.length === 1 && b.length === 1)
    return {
      told: new Map([
        ...statement.bound(first.slot, second.value).told,
        ...statement.bound(second.slot, first.value).told,
      ]),
    };
  const half = first.slot === second.slot ? first.replaced(second.value) : undefined;
  const index = half && second.index;
  return index ? statement.bound(first.slot, withItem(half, index, first.value)) : nothing;
}

/** `a, b = b, a + b`: what was another name's, and what was added to it. */
function moved(statement: Statement, places: readonly Part[], values: readonly Part[]): Undone {
  const { code, places: known } = statement;
  const slots = places.map(({ kind, first }) => (kind === 'name' ? (code[first] as number) : undefined));
  if (slots.includes(undefined) || new Set(slots).size < values.length || slots.length !== values.length)
    return nothing;
  const now = new Map(slots.map((slot) => [slot as number, known.valueOf(slot as number)]));
  /** By name, where its value stands now. */
  const kept = new Map(
    values.flatMap(({ kind, first }, index) => {
      const slot = code[first] as number;
      return kind === 'name' && now.has(slot) ? [[slot, slots[index] as number] as const] : [];
    }),
  );
  const told: Before = new Map(
    [...kept].flatMap(([slot, holder]) => [...statement.bound(slot, now.get(holder)).told]),
  );
  const sum = values.findIndex(
    ({ kind, parts }) => kind === 'binary' && code[parts[0]?.until ?? -1] === plus,
  );
  const added = values[sum]?.parts.map((part) => statement.tokens(part)) ?? [];
  const lost = added.find(
    ([slot, ...others]) => others.length === 0 && now.has(slot as number) && !kept.has(slot as number),
  );
  const other = added.find((tokens) => tokens !== lost);
  const holder = other?.length === 1 ? kept.get(other[0] as number) : undefined;
  const [whole, part] = [now.get(slots[sum] as number), holder === undefined ? undefined : now.get(holder)];
  if (!lost || !whole || !part || integerOf(whole) === undefined || integerOf(part) === undefined)
    return { told };
  return {
    told,
    asked: {
      code: [...whole, minus, ...part],
      follows: (value) =>
        integerOf(value) === undefined ? nothing : statement.bound(lost[0] as number, value),
    },
  };
}
