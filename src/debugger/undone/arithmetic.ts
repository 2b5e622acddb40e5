/** Taking back what operators did: `x += y` and what is written otherwise, `divmod`, and digits that were cut off. */
import { surelyPassed } from '../decided-before.js';
import { besideOperator } from '../language/augmented.js';
import { itemsIn, quotes } from '../language/displays.js';
import { expressionParts } from '../language/expression-parts.js';
import { listOf } from '../language/item-changes.js';
import { mayCall } from '../language/known-calls.js';
import { integerOf } from '../language/literal-values.js';
import { type Part, partTokens } from '../language/parts.js';
import type { Value } from '../language/plan.js';
import { charTokens, isDigitToken, operatorToken, wordToken, wordTokens } from '../language/tokens.js';
import { onlyValue } from '../only-statement.js';
import { nameOfSlot } from '../program.js';
import { mayRead } from './places.js';
import { asking, nothing, type Statement, type Undone } from './statement.js';

const [square, single, backslash] = charTokens("['\\");
const divmod = wordToken('divmod');
const choices = new Set<number>(wordTokens('max min'));
const [increase, multiply, divide] = ['+=', '*=', '//='].map(operatorToken) as [number, number, number];
const [plus, times, rest] = ['+', '*', '%'].map(operatorToken) as [number, number, number];
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
  ['+', '-', '*', '^', '<<', '//'].map((text) => [operatorToken(text), operatorToken(`${text}=`)]),
);
/** Operators of which both sides may change places. */
const symmetrical = new Set([increase, multiply]);

/** `x += y` and the like; undefined for other statements. */
export function augmented(statement: Statement): Undone | undefined {
  const { code } = statement;
  const at = code.findIndex((token) => inverses.has(token) || token === divide);
  if (at <= 0) return undefined;
  return changedBy(statement, code.slice(0, at), code[at] as number, code.slice(at + 1), 'end');
}

/** `x = x + y` and `x = y + x`, as `x += y`. */
export function computed(statement: Statement, target: Part, { parts }: Part): Undone {
  const [left, right] = parts as [Part, Part];
  const [place, a, b] = [target, left, right].map((part) => statement.tokens(part));
  const operator = assignments.get(statement.code[left.until] as number);
  if (!place || !a || !b || operator === undefined) return nothing;
  if (a.join() === place.join()) return changedBy(statement, place, operator, b, 'end');
  const isSame = b.join() === place.join() && symmetrical.has(operator);
  return isSame ? changedBy(statement, place, operator, a, 'beginning') : nothing;
}

/**
 * `x += y` and the like, x a name or an item: integers, and what is added to strings and lists, where they end or begin. target, change: code tokens of x
 * and y.
 */
function changedBy(
  statement: Statement,
  target: readonly number[],
  operator: number,
  change: readonly number[],
  where: 'end' | 'beginning',
): Undone {
  const { places } = statement;
  const added = expressionParts(change);
  if (added === undefined || mayCall(change, added) || mayRead(change, target)) return nothing;
  const [index, ...indices] = places.openIndices(target);
  if (indices.length > 0) return nothing;
  const takeBack = (): Undone => {
    const place = places.at(target);
    if (place === undefined) return nothing;
    if (operator === divide) return multipliedBack(statement, target, change);
    if (isCollection(place.value)) {
      const [isList, isAdded] = [place.value[0] === square, operator === increase];
      if (!isAdded && !(isList && operator === multiply)) return nothing;
      const cut = isList ? cutList : cutString;
      const given = places.told(change, added);
      const left = (value: Value): Undone => {
        const found = isAdded ? cut(place.value, value, where) : repeated(place.value, value);
        return statement.bound(place.slot, found && place.replaced(found));
      };
      return given ? left(given) : asking(change, left);
    }
    const inverse = inverses.get(operator);
    if (inverse === undefined || integerOf(place.value) === undefined) return nothing;
    const before = [...place.value, inverse, ...besideOperator(change, added)];
    return asking(before, (value) =>
      statement.had(place, integerOf(value) === undefined ? undefined : value, integerOf(value) === 0),
    );
  };
  if (index === undefined) return takeBack();
  return asking(index, (value) => {
    places.noteIndex(index, value);
    return takeBack();
  });
}

const isCollection = ([begin = -1]: Value): boolean => quotes.includes(begin) || begin === square;

/** A string without what it ends or begins with, where it is surely written with the same quotes without it. */
function cutString(value: Value, added: Value, where: 'end' | 'beginning'): Value | undefined {
  const [inside, gone] = [value.slice(1, -1), added.slice(1, -1)];
  const size = Math.max(inside.length - gone.length, 0);
  const left = where === 'end' ? inside.slice(0, size) : inside.slice(gone.length);
  const found = where === 'end' ? inside.slice(size) : inside.slice(0, gone.length);
  const isThere = found.join() === gone.join() && inside.length >= gone.length;
  const isSingle = value[0] === single && added[0] === single && !left.includes(backslash);
  return isThere && isSingle ? [single, ...left, single] : undefined;
}

/** The same of a list. */
function cutList(value: Value, added: Value, where: 'end' | 'beginning'): Value | undefined {
  const [items, gone] = [itemsIn(value), itemsIn(added)];
  const size = items.length - gone.length;
  const left = where === 'end' ? items.slice(0, Math.max(size, 0)) : items.slice(gone.length);
  const found = where === 'end' ? items.slice(left.length) : items.slice(0, gone.length);
  const isThere = added[0] === square && found.length === gone.length && found.join('|') === gone.join('|');
  return isThere ? listOf(left) : undefined;
}

/** The list that was repeated. */
function repeated(value: Value, count: Value): Value | undefined {
  const [items, times] = [itemsIn(value), integerOf(count)];
  const size = items.length / (times ?? 0);
  const isWhole = times !== undefined && times > 0 && size > 0 && Number.isInteger(size);
  return isWhole && items.every((item, at) => item.join() === items[at % size]?.join())
    ? listOf(items.slice(0, size))
    : undefined;
}

/** `x = max(x, y)` and `x = min(y, x)`: where y is something else, x is what it was. */
export function chosen(statement: Statement, target: Part, { kind, parts }: Part): Undone {
  const [callee, ...given] = parts;
  const { code } = statement;
  const isChoice = kind === 'call' && callee?.kind === 'name' && choices.has(code[callee.first] as number);
  const others = given.filter((part) => statement.tokens(part).join() !== statement.tokens(target).join());
  const [other] = others;
  const place = statement.places.at(statement.tokens(target));
  if (!isChoice || given.length !== 2 || others.length !== 1 || !other || place === undefined) return nothing;
  const tokens = statement.tokens(other);
  if (other.kind === 'keyword' || mayCall(code, other) || mayRead(tokens, statement.tokens(target)))
    return nothing;
  return asking(tokens, (found) =>
    found.join() === place.value.join() ? nothing : statement.bound(place.slot, place.replaced(place.value)),
  );
}

/** `n, r = divmod(n, d)`: n was `n * d + r`. */
export function divided(statement: Statement, target: Part, { kind, parts }: Part): Undone {
  const [callee, dividend, divisor, ...others] = parts;
  const [quotient, remainder, ...more] = target.kind === 'display' ? target.parts : [];
  const { code } = statement;
  if (kind !== 'call' || callee?.kind !== 'name' || code[callee.first] !== divmod) return nothing;
  if (!dividend || !divisor || !quotient || !remainder || others.length + more.length > 0) return nothing;
  const [n, r, from, d] = [quotient, remainder, dividend, divisor].map((one) => statement.tokens(one));
  const isSame = quotient.kind === 'name' && remainder.kind === 'name' && n?.join() === from?.join();
  return isSame && n && r && d ? putBack(statement, n, d, r) : nothing;
}

/** `n //= d` behind `r = n % d`: n was `n * d + r`. */
function multipliedBack(statement: Statement, n: readonly number[], d: readonly number[]): Undone {
  const { program, running } = statement;
  const name = nameOfSlot(program, n[0] as number);
  const passed = surelyPassed(running, statement.at).slice(1);
  const binds = (line: number, bound: string): boolean =>
    running.scope.flow?.lines.get(line)?.effects.binds.has(bound) !== false;
  for (const [index, line] of passed.entries()) {
    const { code, value, target } = onlyValue(program, running.scope, line) ?? {};
    const isCut = code && value && [...n, rest, ...d].join() === partTokens(code, value).join();
    if (isCut && target?.kind === 'name') {
      const slot = code[target.first] as number;
      const r = nameOfSlot(program, slot);
      const isKept = !passed.slice(0, index).some((other) => binds(other, r)) && r !== name;
      return isKept ? putBack(statement, n, d, [slot]) : nothing;
    }
    if (binds(line, name)) break;
  }
  return nothing;
}

/** `n * d + r`, of names and a positive number as they are now. */
function putBack(
  statement: Statement,
  n: readonly number[],
  d: readonly number[],
  r: readonly number[],
): Undone {
  const [now, left] = [n, r].map((tokens) =>
    tokens.length === 1 ? statement.places.valueOf(tokens[0] as number) : undefined,
  );
  if (
    !now ||
    !left ||
    !d.every(isDigitToken) ||
    integerOf(now) === undefined ||
    integerOf(left) === undefined
  )
    return nothing;
  return asking([...now, times, ...d, plus, ...left], (value) =>
    statement.bound(n[0] as number, integerOf(value) === undefined ? undefined : value),
  );
}
