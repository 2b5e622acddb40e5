/** What conditions on objects come to: an object of a class that does not say otherwise counts as true, and is not None. */
import { type Program, perText } from '../program.js';
import type { Frame } from '../state.js';
import { classOfObject, hasPlainAttributes, valueAt } from './attributes.js';
import { hasEnumerations, type Member, memberOf } from './enums.js';
import { itemAt } from './item-changes.js';
import { isLiteral, truthOfLiteral } from './literal-values.js';
import { entryOf, tableNamed } from './member-tables.js';
import type { Part } from './parts.js';
import { charTokens, operatorToken, wordTokens } from './tokens.js';
import { decodeValue } from './values.js';

type Value = readonly number[];

const [is, not, none, within] = wordTokens('is not None in') as [number, number, number, number];
const [brace] = charTokens('{');
/** Operators between what is one and the same, and what is not. */
const same = new Set([`${is}`, `${operatorToken('==')}`]);
const denied = new Set([`${is},${not}`, `${operatorToken('!=')}`, `${not},${within}`]);
/** Comparisons with None by their tokens: what they come to for an object. */
const unlikeNone = new Map([
  [`${is}`, false],
  [`${is},${not}`, true],
  [`${operatorToken('==')}`, false],
  [`${operatorToken('!=')}`, true],
]);
/** What makes the truth of an object, or its being equal to None, something that it says itself. */
const ownTruth = /__(?:bool|len|eq|ne)__/;
const hasOwnTruth = perText((text) => ownTruth.test(text.source) || !hasPlainAttributes(text));

/** Whether a condition holds that is about literals and objects which the frame tells; undefined where it is about anything else. `told`: literals. */
export function truthOf(
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  part: Part,
  told: (part: Part) => Value | undefined,
): boolean | undefined {
  return hasOwnTruth(program) ? undefined : new TruthWalk(program, frame, code, told).of(part);
}

class TruthWalk {
  constructor(
    private readonly program: Program,
    private readonly frame: Frame,
    private readonly code: ArrayLike<number>,
    private readonly told: (part: Part) => Value | undefined,
  ) {}

  of(part: Part): boolean | undefined {
    const { kind, parts } = part;
    if (kind === 'and' || kind === 'or') return this.ofSeveral(parts, kind === 'and');
    if (kind === 'compare') return this.besideNone(part) ?? this.besideMembers(part);
    if (kind === 'not') {
      const holds = this.of(parts[0] as Part);
      return holds === undefined ? undefined : !holds;
    }
    const value = this.value(part);
    if (value === undefined) return undefined;
    if (isLiteral(value)) return truthOfLiteral(value);
    return this.isObject(value) || this.member(part)?.isPure || undefined;
  }

  /** Of `and` and `or`: the first that decides, if all before it are told. */
  private ofSeveral(parts: readonly Part[], isAnd: boolean): boolean | undefined {
    for (const part of parts) {
      const holds = this.of(part);
      if (holds !== isAnd) return holds;
    }
    return isAnd;
  }

  private besideNone({ parts }: Part): boolean | undefined {
    const [first, second, ...more] = parts as [Part, Part];
    const isNone = second.end - second.first === 1 && this.code[second.first] === none;
    const value = more.length === 0 && isNone ? this.value(first) : undefined;
    const operator = Array.from(this.code).slice(first.until, second.begin).join();
    return value && this.isObject(value) ? unlikeNone.get(operator) : undefined;
  }

  /** Comparisons of a member of an enumeration with others, or with None. */
  private besideMembers({ parts }: Part): boolean | undefined {
    if (!hasEnumerations(this.program)) return undefined;
    const [first, second, ...more] = parts as [Part, Part];
    const operator = Array.from(this.code).slice(first.until, second.begin).join();
    const isDenied = denied.has(operator);
    const isLooked = operator === `${within}` || operator === `${not},${within}`;
    const isThere = isLooked && more.length === 0 ? this.inTable(first, second) : undefined;
    if (isThere !== undefined) return isThere !== isDenied;
    const member = more.length === 0 ? this.member(first) : undefined;
    if (member === undefined) return undefined;
    if (isLooked) {
      if (second.kind !== 'display' || this.code[second.first] === brace) return undefined;
      const found = second.parts.map((inner) => this.isMember(member, inner));
      if (found.includes(true)) return !isDenied;
      return found.includes(undefined) ? undefined : isDenied;
    }
    const isSame = same.has(operator) || isDenied ? this.isMember(member, second) : undefined;
    return isSame === undefined ? undefined : isSame !== isDenied;
  }

  /** Whether a dict of the module has a key. */
  private inTable(key: Part, part: Part): boolean | undefined {
    const { program, code, frame } = this;
    const table = tableNamed(program, frame, code, part);
    const value = table && this.value(key);
    const text = value && decodeValue(program, value);
    const found = table && typeof text === 'string' ? entryOf(program, table, text) : undefined;
    return found === undefined ? undefined : found !== null;
  }

  private isMember(member: Member, part: Part): boolean | undefined {
    const other = this.member(part);
    if (other?.isPure && member.isPure) return other.owner === member.owner && other.name === member.name;
    const literal = other === undefined && member.isPure ? this.value(part) : undefined;
    return literal !== undefined && isLiteral(literal) ? false : undefined;
  }

  private member(part: Part): Member | undefined {
    const value = this.value(part);
    const text = value === undefined ? undefined : decodeValue(this.program, value);
    return typeof text === 'string' ? memberOf(this.program, text) : undefined;
  }

  private value(part: Part): Value | undefined {
    const literal = this.told(part);
    if (literal !== undefined) return literal;
    if (part.kind === 'subscript') {
      const [base, index] = part.parts as [Part, Part];
      const [held, key] = [this.value(base), this.told(index)];
      return held && key && itemAt(held, key);
    }
    const isRead = part.kind === 'name' || part.kind === 'attribute';
    const found = isRead ? valueAt(this.program, this.code, part.first, this.frame) : undefined;
    return found?.end === part.end ? found.value : undefined;
  }

  private isObject(value: Value): boolean {
    const text = decodeValue(this.program, value);
    return typeof text === 'string' && classOfObject(text) !== undefined;
  }
}
