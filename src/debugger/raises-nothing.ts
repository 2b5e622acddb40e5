/** Lines that surely have raised nothing, as far as their text and the values behind them tell: whether a function that gave None returned, or was left by an exception. */
import { valueOfPart } from './language/attributes.js';
import { callablesOf } from './language/callables.js';
import { isMapping, isSequence, isText, itemsIn } from './language/displays.js';
import { toldIn } from './language/frame-literals.js';
import { type LineParts, lineParts } from './language/line-parts.js';
import { integerOf, isMutable } from './language/literal-values.js';
import { isPlainStore } from './language/object-owners.js';
import { type Part, partTokens } from './language/parts.js';
import { servedAs } from './language/read-as.js';
import { hasCleanup } from './language/results.js';
import {
  charToken,
  charTokens,
  isDigitToken,
  isSlotToken,
  operatorToken,
  wordTokens,
} from './language/tokens.js';
import { nameOfSlot, type Program } from './program.js';
import { type Running, scopeOf } from './running.js';
import type { DebuggerState } from './state.js';
import { statementTokens } from './whole-statement.js';

const [minus, dot, brace, square] = charTokens('-.{[');
const [forWord, inWord, append] = wordTokens('for in append');
/** What may raise although an attribute is there. */
const ownStores = /__(?:setattr|set|slots|dict)__|\bsetattr\b|\bfrozen\b|\bnamedtuple\b/i;
/** Functions whose value raises nothing while it is gone over. */
const listing = new Set(wordTokens('range list sorted tuple'));
const [range] = listing;
const heads = new Set(wordTokens('if elif while'));
const identity: ReadonlySet<string> = new Set(['is', 'is not'].map((words) => wordTokens(words).join()));
const orders: ReadonlySet<string> = new Set(
  ['<', '>', '<=', '>=', '==', '!='].map((operator) => `${operatorToken(operator)}`),
);
const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*'].map((operator) => `${charToken(operator)}`));
/** Kinds of expressions whose truth runs nothing, if they run nothing themselves. */
const decided = new Set<Part['kind']>(['not', 'compare', 'and', 'or', 'display', 'binary']);

/** Whether the function that has just returned surely was left by no exception. */
export function hasReturned(program: Program, state: DebuggerState): boolean {
  if (state.value !== 'None') return true;
  const frame = state.frames.at(-1);
  const scope = frame && scopeOf(program, frame, 'return');
  return frame !== undefined && scope?.isGenerator === false && endsQuietly(program, { frame, scope });
}

/** Whether a frame that has given None on a line without `yield` surely was left by no exception. */
export function endsQuietly(program: Program, running: Running): boolean {
  const { frame, scope } = running;
  // Behind a cleanup the frame stands on the line of that.
  if (hasCleanup(program, scope)) return false;
  const flow = scope.flow?.lines.get(frame.line);
  if (flow?.own.size !== 1) return false;
  return flow.isQuiet || new Statement(program, running).isSafe();
}

/** The statement on which a frame has returned. */
class Statement {
  private readonly code: readonly number[];

  constructor(
    private readonly program: Program,
    private readonly running: Running,
  ) {
    this.code = servedAs(program, running.frame, statementTokens(program, running));
  }

  isSafe(): boolean {
    const line = lineParts(this.code);
    if (line === undefined) return false;
    const { values, targets, inner } = line;
    // Indices of what is assigned to; those of other lines are something else.
    if (inner.length > 0 && (targets.length === 0 || !inner.every((part) => this.isPlain(part))))
      return false;
    // Items that are taken apart may have others in them than there are names.
    if (this.code[0] === forWord)
      return this.code[2] === inWord && values.every((part) => this.isListed(part));
    if (heads.has(this.code[0] as number)) return values.every((part) => this.decides(part));
    if (targets.length === 0 && values.every((part) => this.isAppending(part))) return true;
    return values.every((part) => this.isPlain(part)) && this.stores(line);
  }

  private told(part: Part): readonly number[] | undefined {
    return toldIn(this.program, this.running.frame, this.code, part);
  }

  /** Whether evaluating a part runs nothing that could raise. */
  private isPlain(part: Part): boolean {
    const { kind, first, parts } = part;
    if (this.told(part) !== undefined) return true;
    if (kind === 'name') return this.isBound(first);
    if (kind === 'attribute') return this.isHeld(part);
    if (kind === 'display') return this.code[first] !== brace && parts.every((inner) => this.isPlain(inner));
    if (kind === 'not' || kind === 'and' || kind === 'or') return parts.every((inner) => this.decides(inner));
    if (kind === 'ternary')
      return this.decides(parts[0] as Part) && parts.slice(1).every((inner) => this.isPlain(inner));
    if (kind === 'compare') return this.compares(parts);
    return kind === 'binary' && this.adds(parts);
  }

  /** Whether neither a part nor to ask for its truth runs anything that could raise. */
  private decides(part: Part): boolean {
    return this.told(part) !== undefined || (decided.has(part.kind) && this.isPlain(part));
  }

  private isBound(at: number): boolean {
    const { frame, scope } = this.running;
    const token = this.code[at] as number;
    if (!isSlotToken(token)) return false;
    const name = nameOfSlot(this.program, token);
    if (frame.locals.has(name)) return true;
    return !scope.names.includes(name) && callablesOf(this.program).plain.has(token);
  }

  /** Whether an object has the attribute that it was given, which a property is none of. */
  private isStored(target: Part): boolean {
    return target.kind === 'attribute' && this.isHeld(target) && !ownStores.test(this.program.source);
  }

  /** Whether an item is assigned that a list has, or that has a place in a dict. */
  private isPut({ kind, parts }: Part): boolean {
    const [base, index] = kind === 'subscript' ? parts.map((part) => this.told(part)) : [];
    if (base === undefined || index === undefined) return false;
    if (isMapping(base)) return !isMutable(index);
    const at = base[0] === square ? integerOf(index) : undefined;
    const count = itemsIn(base).length;
    return at !== undefined && -count <= at && at < count;
  }

  private isHeld(part: Part): boolean {
    return valueOfPart(this.program, this.code, part, this.running.frame) !== undefined;
  }

  private compares([left, right, ...others]: readonly Part[]): boolean {
    if (left === undefined || right === undefined || others.length > 0) return false;
    const operator = this.between(left, right);
    if (identity.has(operator)) return this.isPlain(left) && this.isPlain(right);
    return orders.has(operator) && this.areAlike(left, right);
  }

  private adds([left, right, ...others]: readonly Part[]): boolean {
    if (left === undefined || right === undefined || others.length > 0) return false;
    return arithmetic.has(this.between(left, right)) && this.areAlike(left, right);
  }

  /** Whether all are numbers, which any such operator takes. */
  private areAlike(...parts: readonly Part[]): boolean {
    return parts.every((part) => isNumber(this.told(part)));
  }

  private between({ until }: Part, { begin }: Part): string {
    return partTokens(this.code, { first: until, end: begin }).join();
  }

  /** Whether a loop has gone over a part without raising anything. */
  private isListed(part: Part): boolean {
    const value = this.told(part);
    if (value !== undefined) return isText(value) || isSequence(value);
    const [callee, ...given] = part.kind === 'call' ? part.parts : [];
    if (callee?.kind !== 'name' || !listing.has(this.code[callee.first] as number)) return false;
    // It was made before the first pass.
    const hasPassed = (this.running.frame.its.at(-1) ?? 0) > 0;
    const [bound = []] = given.length === 1 ? given.map((inner) => this.told(inner)) : [];
    return hasPassed || (this.code[callee.first] === range && integerOf(bound) !== undefined);
  }

  /** `x.append(y)` of a list. */
  private isAppending({ kind, parts }: Part): boolean {
    const [callee, item, ...others] = parts;
    if (kind !== 'call' || callee?.kind !== 'attribute' || item === undefined || others.length > 0)
      return false;
    const isList = this.told(callee.parts[0] as Part)?.[0] === square;
    return isList && this.code[callee.end - 1] === append && this.isPlain(item);
  }

  /** Whether all targets take what they are assigned. */
  private stores({ targets, values: [value] }: LineParts): boolean {
    const { program, running } = this;
    const line = { program, frame: running.frame, code: this.code, told: (part: Part) => this.told(part) };
    const takes = (target: Part): boolean =>
      target.kind === 'name' || isPlainStore(line, target) || this.isStored(target) || this.isPut(target);
    return targets.every((target) => {
      if (target.kind !== 'display') return takes(target);
      const isAsLong = value?.kind === 'display' && value.parts.length === target.parts.length;
      return isAsLong && target.parts.every(takes);
    });
  }
}

/** Whether a value is a number that is no complex one. */
function isNumber(value: readonly number[] | undefined): boolean {
  const digits = value?.[0] === minus ? value.slice(1) : (value ?? []);
  return digits.length > 0 && digits.every((token) => isDigitToken(token) || token === dot);
}
