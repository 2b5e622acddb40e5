/** What is put together from what is told: items one behind the other (docs/trace-language.md, section 9). */
import { isText, itemsIn } from './displays.js';
import { joined, listed, withItems } from './items.js';
import { iterated } from './iterated.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charTokens, wordTokens } from './tokens.js';

const [plus, star] = charTokens('+*');
const [list, tuple, join] = wordTokens('list tuple join') as [number, number, number];
/** Most items of what is put together, and most characters of a string. */
const mostItems = 96;

/** `xs + ys`, `'ab' * 3`, `list(zip(xs, ys))`, `', '.join(names)`: what only puts items together that are told needs no question. */
export function arrangingPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const value = part.kind === 'call' ? ofCall(code, part, told) : ofOperation(code, part, told);
  return value && { questions: 0, value: () => value };
}

function ofOperation(code: ArrayLike<number>, { kind, parts }: Part, told: Told): Value | undefined {
  const [first, second] = parts;
  if (kind !== 'binary' || first === undefined || second === undefined || parts.length > 2) return undefined;
  const [left, right] = [told(first), told(second)];
  if (left === undefined || right === undefined) return undefined;
  const operator = code[first.until];
  if (operator === plus) {
    const areAlike = left[0] === right[0] && isText(left) === isText(right);
    const items = [...itemsIn(left), ...itemsIn(right)];
    return areAlike && items.length <= mostItems ? withItems(left, items) : undefined;
  }
  if (operator !== star) return undefined;
  const times = integerOf(right) ?? integerOf(left);
  const value = integerOf(left) === undefined ? left : right;
  const items = itemsIn(value);
  if (times === undefined || times * items.length > mostItems) return undefined;
  const repeated = items.length === 0 ? [] : Array.from({ length: Math.max(times, 0) }, () => items).flat();
  return withItems(value, repeated);
}

function ofCall(code: ArrayLike<number>, { first, parts }: Part, told: Told): Value | undefined {
  const [callee, given, ...more] = parts;
  if (callee === undefined || given === undefined || more.length > 0) return undefined;
  const isMade = callee.kind === 'name' && (code[first] === list || code[first] === tuple);
  const isJoined = callee.kind === 'attribute' && code[callee.end - 1] === join;
  const items = isMade || isJoined ? iterated(code, given, told, mostItems) : undefined;
  if (items === undefined) return undefined;
  if (isMade) return code[first] === list ? listed(items) : joined(items);
  const between = told(callee.parts[0] as Part);
  if (between === undefined || ![between, ...items].every(isText)) return undefined;
  const inside = (text: Value): Value => text.slice(1, -1);
  const pieces = items.flatMap((item, at) => (at === 0 ? [inside(item)] : [inside(between), inside(item)]));
  return withItems(between, pieces);
}
