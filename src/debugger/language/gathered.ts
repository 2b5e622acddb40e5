/** Sets that are made of other collections, by way of asking of each item whether it is in one (docs/trace-language.md, section 9). */
import { isSet, itemsIn } from './displays.js';
import { collected, itemsInOrder, listed } from './items.js';
import type { Part } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import { charTokens, special, textTokens, wordTokens } from './tokens.js';

const [set, inWord] = wordTokens('set in') as [number, number];
const noSet = [set, ...textTokens('()')];
const methodNames = 'union intersection difference symmetric_difference';
const [union, intersection, , symmetric] = wordTokens(methodNames);
/** Operators of two sets, and the methods that do the same. */
const operators = new Map<number | undefined, number>(
  wordTokens(methodNames).map((name, index) => [charTokens('|&-^')[index], name]),
);
const methods: ReadonlySet<number | undefined> = new Set(operators.values());

const unique = (items: readonly Value[]): Value[] => [
  ...new Map(items.map((item) => [item.join(), item])).values(),
];

/** How a set of the items of a list, tuple or string comes about, or of those of two sets; undefined for other parts. */
export function gatheringPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const { kind, first, parts } = part;
  if (kind === 'call' && parts[0]?.kind === 'name' && code[first] === set && parts.length === 2) {
    const value = told(parts[1] as Part);
    const items = value === undefined || isSet(value) ? [] : (itemsInOrder(value) ?? []);
    const isMade = items.length > 1 && collected(unique(items)) !== undefined;
    return isMade
      ? { questions: items.length - 1, value: (valueFor) => distinct(items, valueFor) }
      : undefined;
  }
  const found = ofTwo(code, part);
  const values = found?.sets.map(told) ?? [];
  if (found === undefined || !values.every((value) => value !== undefined && isSet(value))) return undefined;
  const [ofFirst = [], ofSecond = []] = (values as Value[]).map(itemsIn);
  if (ofFirst.length === 0 || ofSecond.length === 0) return undefined;
  if (collected(unique([...ofFirst, ...ofSecond])) === undefined) return undefined;
  const { name } = found;
  const questions = (name === union ? 0 : ofFirst.length) + (comesIn(name) ? ofSecond.length : 0);
  return { questions, value: (valueFor) => combined(name, ofFirst, ofSecond, valueFor) };
}

/** Whether a method takes in what is in the second set alone. */
const comesIn = (name: number): boolean => name === union || name === symmetric;

/** The name of the method, the set that it belongs to and its argument, of an operator of two sets too. */
function ofTwo(
  code: ArrayLike<number>,
  { kind, parts }: Part,
): { readonly name: number; readonly sets: readonly Part[] } | undefined {
  if (kind === 'binary') {
    const name = operators.get(code[parts[0]?.until as number]);
    return name === undefined ? undefined : { name, sets: parts };
  }
  const [callee, argument, ...others] = parts;
  if (kind !== 'call' || callee?.kind !== 'attribute' || argument === undefined || others.length > 0)
    return undefined;
  const name = code[callee.end - 1] as number;
  return methods.has(name) ? { name, sets: [...callee.parts, argument] } : undefined;
}

/** The set of items, each of which is looked for among those before it. */
function distinct([first, ...others]: readonly Value[], valueFor: ValueFor): Found {
  const kept = [first as Value];
  for (const item of others) {
    const isThere = isIn(item, listed(kept), valueFor);
    if (typeof isThere !== 'boolean') return isThere;
    if (!isThere) kept.push(item);
  }
  return collected(kept);
}

function combined(
  name: number,
  ofFirst: readonly Value[],
  ofSecond: readonly Value[],
  valueFor: ValueFor,
): Found {
  const [first, second] = [collected(ofFirst) ?? [], collected(ofSecond) ?? []];
  const kept = name === union ? ofFirst.map((item) => ({ item, is: true as const })) : [];
  // All of them before the first is needed, so that they are asked together.
  const asked = [
    ...(name === union
      ? []
      : ofFirst.map((item) => ({ item, stays: name === intersection, is: isIn(item, second, valueFor) }))),
    ...(comesIn(name)
      ? ofSecond.map((item) => ({ item, stays: false, is: isIn(item, first, valueFor) }))
      : []),
  ];
  if (asked.some(({ is }) => is === undefined)) return undefined;
  if (asked.some(({ is }) => is === 'waits')) return 'waits';
  const items = [...kept, ...asked.filter(({ is, stays }) => is === stays)].map(({ item }) => item);
  return items.length === 0 ? noSet : collected(items);
}

function isIn(item: Value, collection: Value, valueFor: ValueFor): boolean | 'waits' | undefined {
  const found = valueFor([...item, inWord, ...collection]);
  return typeof found === 'object' ? found.length === 1 && found[0] === special.holds : found;
}
