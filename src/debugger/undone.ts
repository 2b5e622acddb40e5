/**
 * What names stood for before a statement that has just run, where what it did can be taken back: what it added is subtracted or cut off, an item that was appended goes,
 * one that was taken out comes back, two that changed places do so again, and a name that it was the first to bind is unbound.
 */
import { firstBound } from './first-bound.js';
import { showsItself } from './frozen.js';
import { besideOperator } from './language/augmented.js';
import { boundSlots } from './language/bound-slots.js';
import { quotes } from './language/displays.js';
import { literalOf, toldIn } from './language/frame-literals.js';
import { itemAt, withItem } from './language/item-changes.js';
import { joined } from './language/items.js';
import { mayCall } from './language/known-calls.js';
import { integerOf } from './language/literal-values.js';
import { changedBy } from './language/method-changes.js';
import { expressionParts, type LineParts, lineParts, type Part, partTokens } from './language/parts.js';
import type { Value } from './language/plan.js';
import { charTokens, operatorToken, textTokens, wordTokens } from './language/tokens.js';
import { textOf } from './language/told-line.js';
import { lineTokens, nameOfSlot, type Program } from './program.js';
import type { Running } from './running.js';

/** By name, what is told without the model; undefined: unbound. */
type Before = ReadonlyMap<string, string | undefined>;

export interface Undone {
  readonly told: Before;
  /** The code of an expression that must be worked out for more, and what its value tells, if it is a literal. */
  readonly asked?: { readonly code: readonly number[]; readonly told: (value: Value) => Before };
}

const nothing: Undone = { told: new Map() };
const [square, single, backslash] = charTokens("['\\");
const [append, appendleft, insert, pop, popleft] = wordTokens('append appendleft insert pop popleft');
const increase = operatorToken('+=');
/** What takes back what an operator did to an integer. */
const inverses = new Map(
  [
    ['+=', '-'],
    ['-=', '+'],
    ['*=', '//'],
    ['^=', '^'],
    ['<<=', '>>'],
  ].map((pair) => pair.map(operatorToken) as [number, number]),
);
/** The same operators where they stand between two values. */
const assignments = new Map(
  ['+', '-', '*', '^', '<<'].map((text) => [operatorToken(text), operatorToken(`${text}=`)]),
);
/** The index of the first item. */
const zero: Value = textTokens('0');

/** What the statement that is all of a line can be taken back to. */
export function undoneBy(program: Program, running: Running, line: number): Undone {
  const code = [...lineTokens(program, line)];
  const parts = lineParts(code);
  if (parts === undefined) return nothing;
  const statement = new Statement(program, running, code, parts);
  // An object with a repr of its own may look like a number.
  const { told, asked } = showsItself(program) ? statement.undone() : nothing;
  const first = firstBound(program, running, line, statement.names());
  const unbound = first.map((name) => [name, undefined] as const);
  return { told: new Map([...told, ...unbound]), ...(asked && { asked }) };
}

/** The subscript that code tokens are. */
function subscriptOf(code: readonly number[]): Part | undefined {
  const part = expressionParts(code);
  return part?.kind === 'subscript' ? part : undefined;
}

class Statement {
  /** By their code tokens: those that were worked out. */
  private readonly indices = new Map<string, Value>();

  constructor(
    private readonly program: Program,
    private readonly running: Running,
    private readonly code: readonly number[],
    private readonly line: LineParts,
  ) {}

  /** The names that it binds. */
  names(): string[] {
    return boundSlots(this.code, this.line).map((slot) => this.nameOf(slot));
  }

  undone(): Undone {
    const [value, ...others] = this.line.values;
    const [target, ...targets] = this.line.targets;
    const at = this.code.findIndex((token) => inverses.has(token));
    if (at > 0)
      return this.changedBy(this.code.slice(0, at), this.code[at] as number, this.code.slice(at + 1), 'end');
    if (value === undefined || others.length > 0 || targets.length > 0) return nothing;
    if (target === undefined) return this.appended(value);
    if (value.kind === 'binary') return this.computed(target, value);
    return value.kind === 'call' ? this.popped(target, value) : this.exchanged(target, value);
  }

  /** `x = x + y` and `x = y + x`, as `x += y`. */
  private computed(target: Part, { parts }: Part): Undone {
    const [left, right] = parts as [Part, Part];
    const [place, a, b] = [target, left, right].map((part) => partTokens(this.code, part));
    const operator = assignments.get(this.code[left.until] as number);
    if (!place || !a || !b || operator === undefined) return nothing;
    if (a.join() === place.join()) return this.changedBy(place, operator, b, 'end');
    const isSame = b.join() === place.join() && operator === increase;
    return isSame ? this.changedBy(place, operator, a, 'beginning') : nothing;
  }

  /**
   * `x += y` and the like, x a name or an item of one: integers and what is added to strings, where they end or begin. target, change: code tokens of x and y.
   */
  private changedBy(
    target: readonly number[],
    operator: number,
    change: readonly number[],
    where: 'end' | 'beginning',
  ): Undone {
    const isIncrease = operator === increase;
    const added = expressionParts(change);
    if (added === undefined || mayCall(change, added) || change.includes(target[0] as number)) return nothing;
    const place = this.placeOf(target);
    const now = place?.value;
    if (place === undefined || now === undefined) return nothing;
    const isText = quotes.includes(now[0] as number);
    if (isText ? !isIncrease : integerOf(now) === undefined) return nothing;
    const before = isText
      ? change
      : [...now, inverses.get(operator) as number, ...besideOperator(change, added)];
    const told = (value: Value): Before => {
      const left = isText ? without(now, value, where) : integerOf(value) === undefined ? undefined : value;
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
    const index = subscriptOf(target)?.parts[0]?.kind === 'name' ? this.indexOf(target) : undefined;
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
    const list = this.valueOfName(slot);
    // What is appended may change the list by itself.
    const isAlone = !partTokens(this.code, argument).includes(slot) && !mayCall(this.code, argument);
    if (list?.[0] !== square || !isAlone) return nothing;
    return { told: this.bound(changedBy(pop as number, list, [])?.left, slot) };
  }

  /** `y = xs.pop()`, `y = q.popleft()`, `y, z = xs.pop(0)` */
  private popped(target: Part, { parts }: Part): Undone {
    const [callee, index, ...others] = parts;
    const base = callee?.parts[0];
    const method = callee?.kind === 'attribute' ? this.code[callee.end - 1] : undefined;
    const isFirst = index === undefined || partTokens(this.code, index).join() === zero.join();
    const isPop = (method === pop && isFirst) || (method === popleft && index === undefined);
    const item = this.givenTo(target);
    if (!isPop || base?.kind !== 'name' || others.length > 0 || !item) return nothing;
    const slot = this.code[base.first] as number;
    const value = this.valueOfName(slot);
    if (value === undefined || partTokens(this.code, target).includes(slot)) return nothing;
    const [back, given] = index ? [insert, [zero, item]] : [method === popleft ? appendleft : append, [item]];
    return { told: this.bound(changedBy(back as number, value, given)?.left, slot) };
  }

  /** The value that a name, or names with commas between them, were given: of more than one taken to be a tuple. */
  private givenTo({ kind, first, parts }: Part): Value | undefined {
    if (kind === 'name') return this.valueOfName(this.code[first] as number);
    const values =
      kind === 'display' ? parts.map((part) => (part.kind === 'name' ? this.givenTo(part) : undefined)) : [];
    const isWhole = values.length > 1 && values.every((value) => value !== undefined);
    return isWhole ? joined(values) : undefined;
  }

  /** `a, b = b, a` and `xs[i], xs[j] = xs[j], xs[i]` */
  private exchanged(target: Part, value: Part): Undone {
    const [places, values] = [target, value].map(({ kind, parts }) => (kind === 'display' ? parts : []));
    const [a, b, ...more] = (places ?? []).map((part) => partTokens(this.code, part));
    const [c, d, ...others] = (values ?? []).map((part) => partTokens(this.code, part));
    const isExchange = a && b && a.join() === d?.join() && b.join() === c?.join() && a.join() !== b.join();
    if (!isExchange || more.length + others.length > 0) return this.moved(places ?? [], values ?? []);
    const [index, ...indices] = [a, b].flatMap((place) => this.openIndex(place));
    if (index === undefined) return { told: this.backInPlace(a, b) };
    if (indices.length > 0) return nothing;
    const told = (value: Value): Before => {
      this.indices.set(index.join(), value);
      return this.backInPlace(a, b);
    };
    return { told: new Map(), asked: { code: index, told } };
  }

  /** Two names, or two items of one name, that have changed places, as they were. */
  private backInPlace(a: readonly number[], b: readonly number[]): Before {
    const [first, second] = [this.placeOf(a), this.placeOf(b)];
    if (first === undefined || second === undefined) return nothing.told;
    if (a.length === 1 && b.length === 1)
      return new Map([...this.bound(second.value, a[0]), ...this.bound(first.value, b[0])]);
    const index = this.indexOf(b);
    const half = a[0] === b[0] && index ? first.replaced(second.value) : undefined;
    return this.bound(half && index && withItem(half, index, first.value), a[0]);
  }

  /** The code of the index of an item of a name, if it must be worked out. */
  private openIndex(place: readonly number[]): (readonly number[])[] {
    const [base, index] = subscriptOf(place)?.parts ?? [];
    const isOpen = base?.kind === 'name' && index && !this.indexOf(place) && !mayCall(place, index);
    return isOpen ? [partTokens(place, index)] : [];
  }

  private indexOf(place: readonly number[]): Value | undefined {
    const index = subscriptOf(place)?.parts[1];
    return index && (this.told(place, index) ?? this.indices.get(partTokens(place, index).join()));
  }

  /** `a, b = b, a + b`: what was another name's. */
  private moved(places: readonly Part[], values: readonly Part[]): Undone {
    const slots = places.map(({ kind, first }) =>
      kind === 'name' ? (this.code[first] as number) : undefined,
    );
    if (slots.includes(undefined) || new Set(slots).size < values.length || slots.length !== values.length)
      return nothing;
    const found = values.flatMap(({ kind, first }, index) => {
      const slot = this.code[first] as number;
      const now = this.valueOfName(slots[index] as number);
      return kind === 'name' && slots.includes(slot) && now ? [...this.bound(now, slot)] : [];
    });
    return { told: new Map(found) };
  }

  private told(code: readonly number[], part: Part): Value | undefined {
    return toldIn(this.program, this.running.frame, code, part);
  }

  private valueOfName(slot: number): Value | undefined {
    return literalOf(this.program, this.running.frame, slot);
  }

  private nameOf(slot: number): string {
    return nameOfSlot(this.program, slot);
  }

  private bound(value: Value | undefined, slot = this.code[0]): Before {
    const name = this.nameOf(slot as number);
    const text = value && textOf(this.program, value);
    const isTold = text !== undefined && this.running.scope.names.includes(name);
    return new Map(isTold ? [[name, text]] : []);
  }
}

/** A string without what it ends or begins with, where it is surely written with the same quotes without it. */
function without(value: Value, added: Value, where: 'end' | 'beginning'): Value | undefined {
  const [inside, cut] = [value.slice(1, -1), added.slice(1, -1)];
  const size = Math.max(inside.length - cut.length, 0);
  const left = where === 'end' ? inside.slice(0, size) : inside.slice(cut.length);
  const gone = where === 'end' ? inside.slice(size) : inside.slice(0, cut.length);
  const isThere = gone.join() === cut.join() && inside.length >= cut.length;
  const isSingle = value[0] === single && added[0] === single && !left.includes(backslash);
  return isThere && isSingle ? [single, ...left, single] : undefined;
}
