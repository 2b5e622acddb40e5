/** What a statement assigns to or changes: names, attributes of names, and items of what these stand for. */
import { attributeOf, hasPlainAttributes, isWrittenOnce, withAttribute } from '../language/attributes.js';
import { valueOfName } from '../language/constants.js';
import { brace, display, isMapping, itemsIn, itemsOf } from '../language/displays.js';
import { expressionParts } from '../language/expression-parts.js';
import { literalOf, toldIn } from '../language/frame-literals.js';
import { itemAt, withItem, withoutItem } from '../language/item-changes.js';
import { mayCall } from '../language/known-calls.js';
import { isLiteral, isMutable } from '../language/literal-values.js';
import { type Part, partTokens } from '../language/parts.js';
import type { Value } from '../language/plan.js';
import { charToken, isDigitToken, operatorToken, wordToken } from '../language/tokens.js';
import type { Program } from '../program.js';
import type { Running } from '../running.js';

const dot = charToken('.');
const zero = charToken('0');
const signs = new Set(['+', '-'].map(operatorToken));
const defaultdict = wordToken('defaultdict');

/** Whether code reads what other code names, or may: the name that this begins with, by itself or with the same attribute. */
export function reads(code: Value, [name, behind, attribute]: Value): boolean {
  const isAttribute = behind === dot;
  return code.some(
    (token, at) =>
      token === name &&
      code[at - 1] !== dot &&
      (!isAttribute || code[at + 1] !== dot || code[at + 2] === attribute),
  );
}

/** Whether code reads the place that other code names, or may: not if it looks beside it, as `dp[i - 1]` does of `dp[i]`. */
export function mayRead(code: Value, place: Value): boolean {
  const [part, own] = [code, place].map((tokens) => expressionParts(tokens));
  if (part === undefined || own?.kind !== 'subscript') return reads(code, place);
  const beside = subscripts(part).filter((other) => isBeside(indicesIn(code, other), indicesIn(place, own)));
  const roots = new Set(beside.map(({ first }) => first));
  return reads(
    code.filter((_, at) => !roots.has(at)),
    place,
  );
}

/** The subscripts in a part that are no bases of others. */
const subscripts = (part: Part): Part[] => [
  ...(part.kind === 'subscript' ? [part] : []),
  ...part.parts.flatMap((inner, index) =>
    part.kind === 'subscript' && index === 0 ? subscripts(inner).slice(1) : subscripts(inner),
  ),
];

/** The name and the indices behind it. */
function indicesIn(code: Value, { kind, parts, first, end }: Part): Value[] {
  const [base, index] = kind === 'subscript' ? parts : [];
  return base && index
    ? [...indicesIn(code, base), partTokens(code, index)]
    : [partTokens(code, { first, end })];
}

/** Whether one of these leads elsewhere than the other behind the same indices: a number is added to it, or taken off. */
function isBeside(one: readonly Value[], other: readonly Value[]): boolean {
  const at = one.findIndex((index, level) => index.join() !== other[level]?.join());
  const [a, b] = [one[at], other[at]];
  return at > 0 && a !== undefined && b !== undefined && (isShifted(a, b) || isShifted(b, a));
}

function isShifted(shifted: Value, index: Value): boolean {
  const [sign, ...digits] = shifted.slice(index.length);
  const isSum = sign !== undefined && signs.has(sign) && digits.length > 0 && digits.every(isDigitToken);
  return isSum && digits[0] !== zero && index.every((token, at) => token === shifted[at]);
}

/** A name or an attribute of one, or an item of what it stands for. */
export interface Place {
  readonly slot: number;
  /** What stands there now. */
  readonly value: Value;
  /** Of an item, its index in what is around it. */
  readonly index?: Value;
  /** What the name stands for with another value there. */
  readonly replaced: (value: Value) => Value | undefined;
  /** What it stands for without the item, if looking the item up may have put it there. */
  readonly absent?: Value | undefined;
}

/** A place that has items. */
interface Around extends Place {
  /** Whether looking an item up puts it there. */
  readonly makesItems?: boolean;
}

/** The places of a frame. */
export class Places {
  /** By their code tokens: indices that were worked out. */
  private readonly indices = new Map<string, Value>();

  constructor(
    private readonly program: Program,
    private readonly running: Running,
  ) {}

  /** The place that code tokens name; undefined where its value cannot be told, or another item may be the same list, dict or set. */
  at(code: readonly number[]): Place | undefined {
    const part = expressionParts(code);
    return part && this.ofPart(code, part);
  }

  private ofPart(code: readonly number[], part: Part): Around | undefined {
    if (part.kind === 'name') {
      const slot = code[part.first] as number;
      const value = this.valueOf(slot);
      return value && { slot, value, replaced: (other) => other };
    }
    if (part.kind === 'attribute') return this.ofAttribute(code, part);
    const [base, index] = part.kind === 'subscript' ? part.parts : [];
    const around = base && (this.ofDefaults(code, base) ?? this.ofPart(code, base));
    const where = around && index && this.indexOf(code, index);
    // An index that is read off what it leads into may have been another one.
    if (!where || reads(partTokens(code, index), partTokens(code, base))) return undefined;
    const value = itemAt(around.value, where);
    if (value === undefined || (isMutable(value) && !isOnlyOne(around.value, value))) return undefined;
    const replaced = (other: Value): Value | undefined => {
      const all = withItem(around.value, where, other);
      return all && around.replaced(all);
    };
    const isLast =
      around.value[0] === brace && itemsIn(around.value).at(-1)?.join().startsWith(`${where.join()},`);
    const left = isLast && around.makesItems ? withoutItem(around.value, where) : undefined;
    return { slot: around.slot, value, index: where, replaced, absent: left && around.replaced(left) };
  }

  /** The dict in the `defaultdict` that a name stands for: it has an item for each key that was looked up. */
  private ofDefaults(code: readonly number[], { kind, first }: Part): Around | undefined {
    const slot = code[first] as number;
    const value = kind === 'name' ? valueOfName(this.program, this.running.frame, slot) : undefined;
    if (value === undefined || value[0] !== defaultdict) return undefined;
    const [begin, end] = display(value, 0, value.length);
    const dict = value.slice(begin, end);
    const replaced = (other: Value): Value => [...value.slice(0, begin), ...other, ...value.slice(end)];
    return isMapping(dict) && isLiteral(dict) ? { slot, value: dict, replaced, makesItems: true } : undefined;
  }

  private ofAttribute(code: readonly number[], { end, parts: [base] }: Part): Place | undefined {
    const slot = base?.kind === 'name' ? (code[base.first] as number) : undefined;
    if (slot === undefined || !hasPlainAttributes(this.program)) return undefined;
    const name = code[end - 1] as number;
    const object = valueOfName(this.program, this.running.frame, slot);
    const value = object && attributeOf(this.program, object, name);
    if (object === undefined || value === undefined || !isLiteral(value)) return undefined;
    if (isMutable(value) && !isWrittenOnce(object, value)) return undefined;
    return { slot, value, replaced: (other) => withAttribute(this.program, object, name, other) };
  }

  /** What the name of a slot stands for, if that is a literal. */
  valueOf(slot: number): Value | undefined {
    return literalOf(this.program, this.running.frame, slot);
  }

  /** What a part of code comes to, where it is told. */
  told(code: readonly number[], part: Part): Value | undefined {
    return toldIn(this.program, this.running.frame, code, part);
  }

  /** An index that is told or was worked out. */
  indexOf(code: readonly number[], index: Part): Value | undefined {
    return this.told(code, index) ?? this.indices.get(partTokens(code, index).join());
  }

  /** Code tokens of the indices of a place that must be worked out. */
  openIndices(code: readonly number[]): (readonly number[])[] {
    const open = (part: Part): (readonly number[])[] => {
      const [base, index] = part.kind === 'subscript' ? part.parts : [];
      if (base === undefined || index === undefined) return [];
      const isOwn = reads(partTokens(code, index), partTokens(code, base));
      const isOpen = this.indexOf(code, index) === undefined && !mayCall(code, index) && !isOwn;
      return [...open(base), ...(isOpen ? [partTokens(code, index)] : [])];
    };
    const part = expressionParts(code);
    return part ? open(part) : [];
  }

  /** Notes what an open index came to. */
  noteIndex(code: readonly number[], value: Value): void {
    this.indices.set(code.join(), value);
  }
}

/** Whether a collection has an item once: what is changed in one of two that look alike may be changed in both. */
function isOnlyOne(all: Value, item: Value): boolean {
  const found = itemsOf(all, 0, all.length)?.filter(
    ({ first, colon, end }) => all.slice(colon < 0 ? first : colon + 1, end).join() === item.join(),
  );
  return found?.length === 1;
}
