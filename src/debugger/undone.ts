/**
 * What names stood for before a statement that has just run, where what it did can be taken back: what it added is subtracted or cut off, an item that was appended goes,
 * two that changed places do so again.
 */
import { besideOperator } from './language/augmented.js';
import { itemsOf, quotes, withCommas } from './language/displays.js';
import { literalOf } from './language/frame-literals.js';
import { itemAt, withItem } from './language/item-changes.js';
import { integerOf } from './language/literal-values.js';
import { expressionParts, type LineParts, lineParts, type Part, partTokens } from './language/parts.js';
import type { Value } from './language/plan.js';
import { charTokens, operatorToken, slotBase, wordTokens } from './language/tokens.js';
import { toldValue } from './language/told.js';
import { decodeValue, longestText } from './language/values.js';
import type { Program } from './program.js';
import type { Running } from './running.js';

/** By name: what is told without the model. */
type Before = ReadonlyMap<string, string>;
export interface Undone {
  readonly told: Before;
  /** The code of an expression that must be worked out for more, and what its value tells, if it is a literal. */
  readonly asked?: { readonly code: readonly number[]; readonly told: (value: Value) => Before };
}

const nothing: Undone = { told: new Map() };
const [plus, minus, square, squareEnd, single, backslash] = charTokens("+-[]'\\");
const [increase, decrease] = ['+=', '-='].map(operatorToken);
const [append, pop] = wordTokens('append pop');

/** What a statement that is all of a line can be taken back to; `code`: the tokens of its line. */
export function undoneBy(program: Program, running: Running, code: readonly number[]): Undone {
  const line = lineParts(code);
  return line === undefined ? nothing : new Statement(program, running, code, line).undone();
}

class Statement {
  constructor(
    private readonly program: Program,
    private readonly running: Running,
    private readonly code: readonly number[],
    private readonly line: LineParts,
  ) {}

  undone(): Undone {
    const [value, ...others] = this.line.values;
    const [target, ...targets] = this.line.targets;
    const isIncrease = this.code.includes(increase as number);
    if (isIncrease || this.code.includes(decrease as number)) return this.changedBy(isIncrease);
    if (value === undefined || others.length > 0 || targets.length > 0) return nothing;
    if (target === undefined) return this.appended(value);
    return value.kind === 'call' ? this.popped(target, value) : this.exchanged(target, value);
  }

  /** `x += y` and `x -= y`, x a name or an item of one: integers and what is added to strings. */
  private changedBy(isIncrease: boolean): Undone {
    const at = this.code.indexOf((isIncrease ? increase : decrease) as number);
    const [target, change] = [this.code.slice(0, at), this.code.slice(at + 1)];
    const slot = this.code[0] as number;
    const added = expressionParts(change);
    if (at < 1 || added === undefined || change.includes(slot)) return nothing;
    const place = this.placeOf(target);
    const now = place?.value;
    if (place === undefined || now === undefined) return nothing;
    const isText = quotes.includes(now[0] as number);
    if (isText ? !isIncrease : integerOf(now) === undefined) return nothing;
    const before = isText ? change : [...now, isIncrease ? minus : plus, ...besideOperator(change, added)];
    const told = (value: Value): Before => {
      const left = isText ? withoutEnd(now, value) : integerOf(value) === undefined ? undefined : value;
      return this.bound(left && place.replaced(left));
    };
    return { told: new Map(), asked: { code: before, told } };
  }

  /** The value of a name, or of one item of it, and what the name stands for with another one there. */
  private placeOf(
    target: readonly number[],
  ): { value: Value; replaced: (value: Value) => Value | undefined } | undefined {
    const all = this.valueOfName(target[0] as number);
    if (all === undefined) return undefined;
    if (target.length === 1) return { value: all, replaced: (value) => value };
    const part = lineParts(target)?.values[0];
    if (part?.kind !== 'subscript' || part.parts[0]?.kind !== 'name') return undefined;
    const index = this.told(target, part.parts[1] as Part);
    const value = index && itemAt(all, index);
    return index && value && { value, replaced: (other) => withItem(all, index, other) };
  }

  /** `xs.append(y)` */
  private appended({ kind, parts }: Part): Undone {
    const [callee, argument, ...others] = parts;
    const base = callee?.parts[0];
    const isAppend = kind === 'call' && callee?.kind === 'attribute' && this.code[callee.end - 1] === append;
    if (!isAppend || base?.kind !== 'name' || argument === undefined || others.length > 0) return nothing;
    const slot = this.code[base.first] as number;
    const list = this.valueOfName(slot) ?? [];
    const items = list[0] === square ? (itemsOf(list, 0, list.length) ?? []) : [];
    // What is appended may change the list by itself.
    if (items.length === 0 || partTokens(this.code, argument).includes(slot)) return nothing;
    const left = items.slice(0, -1).map(({ first, end }) => list.slice(first, end));
    return { told: this.bound([square, ...withCommas(left), squareEnd], slot) };
  }

  /** `y = xs.pop()` */
  private popped(target: Part, { parts }: Part): Undone {
    const [callee, ...given] = parts;
    const base = callee?.parts[0];
    const isPop = callee?.kind === 'attribute' && this.code[callee.end - 1] === pop && given.length === 0;
    if (!isPop || base?.kind !== 'name' || target.kind !== 'name') return nothing;
    const [slot, item] = [
      this.code[base.first] as number,
      this.valueOfName(this.code[target.first] as number),
    ];
    const list = this.valueOfName(slot);
    const items = list?.[0] === square ? itemsOf(list, 0, list.length) : undefined;
    if (list === undefined || items === undefined || item === undefined || slot === this.code[target.first])
      return nothing;
    const all = [...items.map(({ first, end }) => list.slice(first, end)), item];
    return { told: this.bound([square, ...withCommas(all), squareEnd], slot) };
  }

  /** `a, b = b, a` and `xs[i], xs[j] = xs[j], xs[i]` */
  private exchanged(target: Part, value: Part): Undone {
    const [places, values] = [target, value].map(({ kind, parts }) => (kind === 'display' ? parts : []));
    const [a, b, ...more] = (places ?? []).map((part) => partTokens(this.code, part));
    const [c, d, ...others] = (values ?? []).map((part) => partTokens(this.code, part));
    const isExchange = a && b && a.join() === d?.join() && b.join() === c?.join() && a.join() !== b.join();
    if (!isExchange || more.length + others.length > 0) return nothing;
    const [first, second] = [this.placeOf(a), this.placeOf(b)];
    if (first === undefined || second === undefined) return nothing;
    if (a.length === 1 && b.length === 1)
      return {
        told: new Map([...this.bound(second.value, a[0]), ...this.bound(first.value, b[0])]),
      };
    const part = lineParts(b)?.values[0];
    const index = part?.kind === 'subscript' ? this.told(b, part.parts[1] as Part) : undefined;
    const half = a[0] === b[0] && index ? first.replaced(second.value) : undefined;
    const whole = half && index && withItem(half, index, first.value);
    return { told: this.bound(whole, a[0]) };
  }

  private told(code: readonly number[], part: Part): Value | undefined {
    return toldValue(code, part, ({ kind, first }) =>
      kind === 'name' ? (this.valueOfName(code[first] as number) ?? null) : undefined,
    );
  }

  private valueOfName(slot: number): Value | undefined {
    return literalOf(this.program, this.running.frame, slot);
  }

  private bound(value: Value | undefined, slot = this.code[0]): Before {
    const name = this.program.slotNames[(slot as number) - slotBase] ?? '';
    const text = value && decodeValue(this.program, value);
    const isTold = typeof text === 'string' && text.length <= longestText;
    return new Map(isTold && this.running.scope.names.includes(name) ? [[name, text]] : []);
  }
}

/** A string without what it ends with, where it is surely written with the same quotes without it. */
function withoutEnd(value: Value, end: Value): Value | undefined {
  const [inside, cut] = [value.slice(1, -1), end.slice(1, -1)];
  const left = inside.slice(0, Math.max(inside.length - cut.length, 0));
  const isEnd = inside.slice(left.length).join() === cut.join() && inside.length >= cut.length;
  const isSingle = value[0] === single && end[0] === single && !left.includes(backslash);
  return isEnd && isSingle ? [single, ...left, single] : undefined;
}
