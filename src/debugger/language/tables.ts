/**
 * Looking into constants of the module that are too long for a line to show, or hold what could be changed: the text tells what stands in them (docs/trace-language.md,
 * section 9).
 */
import { brace, isMapping, isSequence, itemsOf } from './displays.js';
import { areAlike, itemAt, listOf } from './item-changes.js';
import type { Part } from './parts.js';
import type { Told, Value } from './plan.js';
import { charToken, textTokens, wordTokens } from './tokens.js';

type Kind = 'item' | 'in' | 'not in' | 'get' | 'index' | 'find' | 'len';

/** A part that looks into a value. */
export interface Look {
  readonly kind: Kind;
  readonly table: Part;
  /** What is looked for, and what there is otherwise. */
  readonly given: readonly Part[];
}

/** A part that looks into such a constant, or into an item of it. */
export interface Lookup {
  readonly kind: Kind;
  readonly table: number | Lookup;
  readonly given: readonly Part[];
}

const round = charToken('(');
const [isTrue, isFalse, none, inWord, not] = wordTokens('True False None in not') as [
  number,
  number,
  number,
  number,
  number,
];
const [get, index, find, len] = wordTokens('get index find len') as [number, number, number, number];

/** Whether it can be told what stands where in a value: in a list or tuple, and by keys that are all integers or all strings. */
export const isTable = (value: Value): boolean =>
  isSequence(value) || (value[0] === brace && areAlike(keysOf(value)));

/** Tables by slot. */
export type Tables = ReadonlyMap<number, Value>;

/** What a part looks for, and in what, if it does. */
export function lookOf(code: ArrayLike<number>, part: Part): Look | undefined {
  const [first, second, ...more] = part.parts;
  if (first === undefined || second === undefined) return undefined;
  if (part.kind === 'subscript' && second.kind !== 'slice')
    return { kind: 'item', table: first, given: [second] };
  if (part.kind === 'compare' && more.length === 0) {
    const between = Array.from({ length: second.begin - first.until }, (_, at) => code[first.until + at]);
    const kind = ({ [`${inWord}`]: 'in', [`${not},${inWord}`]: 'not in' } as const)[between.join()];
    return kind && { kind, table: second, given: [first] };
  }
  if (part.kind !== 'call') return undefined;
  const name = code[first.end - 1];
  const isAlone = more.length === 0;
  if (first.kind === 'name')
    return name === len && isAlone ? { kind: 'len', table: second, given: [] } : undefined;
  const [object] = first.parts;
  if (first.kind !== 'attribute' || object === undefined) return undefined;
  if (name === get && more.length < 2) return { kind: 'get', table: object, given: part.parts.slice(1) };
  if (!isAlone || (name !== index && name !== find)) return undefined;
  return { kind: name === index ? 'index' : 'find', table: object, given: [second] };
}

/** What a part looks for in a table, if it does. */
export function lookupOf(code: ArrayLike<number>, part: Part, tables: Tables): Lookup | undefined {
  const look = lookOf(code, part);
  // Only texts have a `find`, and a text is no table.
  const table = look && look.kind !== 'find' ? tableOf(code, look.table, tables) : undefined;
  return look === undefined || table === undefined ? undefined : { ...look, table };
}

function tableOf(code: ArrayLike<number>, part: Part, tables: Tables): number | Lookup | undefined {
  const slot = code[part.first] as number;
  if (part.kind === 'name') return tables.has(slot) ? slot : undefined;
  return part.kind === 'subscript' ? lookupOf(code, part, tables) : undefined;
}

/** The slot of the table that is looked into. */
export const slotOf = ({ table }: Lookup): number => (typeof table === 'number' ? table : slotOf(table));

/** What a lookup comes to; undefined where it raises, and where it is not told. */
export function lookedUp(
  { kind, table: from, given }: Lookup,
  tables: Tables,
  told: Told,
): Value | undefined {
  const table = typeof from === 'number' ? tables.get(from) : lookedUp(from, tables, told);
  return table && found({ kind, given }, table, told);
}

/** What is found in a table; undefined where looking for it raises, and where it is not told. */
export function found(
  { kind, given }: Pick<Look, 'kind' | 'given'>,
  table: Value,
  told: Told,
): Value | undefined {
  if (!isTable(table) || kind === 'find') return undefined;
  const [wanted, otherwise] = given;
  const key = wanted && told(wanted);
  const isDict = isMapping(table);
  const keys = keysOf(table);
  if (kind === 'len') return textTokens(String(keys.length));
  if (key === undefined) return undefined;
  if (kind === 'item' && !isDict) return itemAt(table[0] === round ? listOf(keys) : table, key);
  if (!areAlike([...keys, key])) return undefined;
  const place = keys.findIndex((other) => other.join() === key.join());
  if (kind === 'in' || kind === 'not in') return [place >= 0 === (kind === 'in') ? isTrue : isFalse];
  if (kind === 'index')
    return isDict || place < 0 || !isSequence(table) ? undefined : textTokens(String(place));
  if (!isDict) return undefined;
  if (kind === 'item' || place >= 0) return itemAt(table, key);
  return otherwise ? told(otherwise) : [none];
}

/** The keys of a dict, the items of other displays. */
const keysOf = (table: Value): readonly Value[] =>
  (itemsOf(table, 0, table.length) ?? []).map(({ first, colon, end }) =>
    table.slice(first, colon < 0 ? end : colon),
  );
