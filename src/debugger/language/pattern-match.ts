/** Whether a value that is told matches a pattern of `case`, and what the names in that are bound to (The Python Language Reference, section 8.6.4). */
import type { Program } from '../program.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { brace, isMapping, isSequence, itemsIn, itemsOf, same, withCommas } from './displays.js';
import { listed } from './items.js';
import { typeName } from './kinds.js';
import type { Pattern } from './patterns.js';
import type { Value } from './plan.js';
import { charOf, charToken, isCharToken, wordTokens } from './tokens.js';
import { isWhole } from './told-values.js';

/** What names are bound to, by slot; false: nothing matches; undefined where that is not told. */
export type Matched = ReadonlyMap<number, Value> | false | undefined;

const [isNone, isTrue, isFalse] = wordTokens('None True False') as [number, number, number];
const singletons = new Set([isNone, isTrue, isFalse]);
const braceEnd = charToken('}');
/** Classes of builtins that take what is of them as a whole; the values of others are none of them. */
const builtins = new Set(['int', 'float', 'bool', 'str', 'list', 'tuple', 'dict', 'set']);
const numbers = new Set(['int', 'float', 'bool']);
/** Most characters of numbers that are compared. */
const longestNumber = 15;
const nothingBound: Matched = new Map();

/** What comes of trying a pattern on a value, which runs no code of the program where that is told. */
export function matched(program: Program, pattern: Pattern, value: Value): Matched {
  if (derivesFromBuiltins(program)) return undefined;
  return tried(program, pattern, value);
}

function tried(program: Program, pattern: Pattern, value: Value): Matched {
  if (pattern.kind === 'any')
    return pattern.slot === undefined ? nothingBound : new Map([[pattern.slot, value]]);
  if (pattern.kind === 'as') {
    const found = tried(program, pattern.part, value);
    return found && new Map([...found, [pattern.slot, value]]);
  }
  if (pattern.kind === 'or') {
    for (const part of pattern.parts) {
      const found = tried(program, part, value);
      if (found !== false) return found;
    }
    return false;
  }
  if (pattern.kind === 'open' || !isWhole(value)) return undefined;
  if (pattern.kind === 'literal') return outcome(equals(pattern.value, value));
  const type = typeName(value);
  if (pattern.kind === 'class') return ofClass(program, pattern, value, type);
  if (pattern.kind === 'sequence')
    return isSequence(value) ? inSequence(program, pattern, itemsIn(value)) : unlessOpen(type);
  return isMapping(value) ? inMapping(program, pattern, value) : unlessOpen(type);
}

const outcome = (holds: boolean | undefined): Matched => (holds === true ? nothingBound : holds);

/** What comes of a value of another kind than what a pattern takes. */
const unlessOpen = (type: string | undefined): Matched => (type === undefined ? undefined : false);

/** What comes of trying patterns one after the other, up to the first that does not match or is not told. */
function inTurn(program: Program, parts: readonly Pattern[], values: readonly Value[]): Matched {
  const bound = new Map<number, Value>();
  for (const [at, part] of parts.entries()) {
    const found = tried(program, part, values[at] as Value);
    if (!found) return found;
    for (const [slot, value] of found) bound.set(slot, value);
  }
  return bound;
}

function inSequence(
  program: Program,
  { parts, star }: Extract<Pattern, { kind: 'sequence' }>,
  items: readonly Value[],
): Matched {
  if (star < 0) return items.length === parts.length && inTurn(program, parts, items);
  const behind = items.length - (parts.length - star - 1);
  if (behind < star) return false;
  const given = [...items.slice(0, star), listed(items.slice(star, behind)), ...items.slice(behind)];
  return inTurn(program, parts, given);
}

function inMapping(
  program: Program,
  { keys, parts, rest }: Extract<Pattern, { kind: 'mapping' }>,
  value: Value,
): Matched {
  const entries = (itemsOf(value, 0, value.length) ?? []).map(({ first, colon, end }) => ({
    text: value.slice(first, end),
    key: value.slice(first, colon),
    held: value.slice(colon + 1, end),
    isTaken: false,
  }));
  // What has fewer entries than there are keys is not looked into.
  if (entries.length < keys.length) return false;
  const values: Value[] = [];
  for (const key of keys) {
    const alike = entries.map((entry) => equals(key, entry.key));
    if (alike.includes(undefined)) return undefined;
    const found = entries[alike.indexOf(true)];
    if (found === undefined) return false;
    found.isTaken = true;
    values.push(found.held);
  }
  const bound = inTurn(program, parts, values);
  if (!bound || rest === undefined) return bound;
  const left = entries.filter(({ isTaken }) => !isTaken).map(({ text }) => text);
  return new Map([...bound, [rest, [brace, ...withCommas(left), braceEnd]]]);
}

function ofClass(
  program: Program,
  { name, given, named }: Extract<Pattern, { kind: 'class' }>,
  value: Value,
  type: string | undefined,
): Matched {
  if (!builtins.has(name) || program.bound.has(name) || type === undefined) return undefined;
  if (type !== name && !(name === 'int' && type === 'bool')) return false;
  const [part, ...more] = given;
  if (more.length > 0 || named.length > 0) return undefined;
  return part ? tried(program, part, value) : nothingBound;
}

/** Whether a value equals a literal, or of `None` and truth values is it; undefined where that is not told. */
function equals(literal: Value, value: Value): boolean | undefined {
  const [first = -1] = literal;
  if (literal.length === 1 && singletons.has(first)) return same(literal, value);
  const [type, other] = [typeName(literal), typeName(value)];
  if (type === undefined || other === undefined) return undefined;
  if (numbers.has(type) && numbers.has(other)) {
    const [a, b] = [numberOf(literal), numberOf(value)];
    return a === undefined || b === undefined ? (same(literal, value) ? true : undefined) : a === b;
  }
  return type === other && same(literal, value);
}

/** The number that a value is, if that is exactly one of JavaScript. */
function numberOf(value: Value): number | undefined {
  const [first] = value;
  if (first === isTrue || first === isFalse) return Number(first === isTrue);
  const text = value.every(isCharToken) ? value.map(charOf).join('') : '';
  return /^-?[\d.]+$/.test(text) && text.length <= longestNumber ? Number(text) : undefined;
}
