/** What `sorted`, `sort`, `max` and `min` make of items whose keys a function has given: the keys are compared, one question after the other. */
import { greatestFirst, type IsLess } from '../debugger/language/bisections.js';
import type { Round } from '../debugger/language/handed.js';
import { listed } from '../debugger/language/items.js';
import { type Part, partTokens } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { wordTokens } from '../debugger/language/tokens.js';
import type { Asking } from './asking.js';

const [maxWord, minWord, sortedWord, reverseWord, isTrue, isFalse] = wordTokens(
  'max min sorted reverse True False',
) as [number, number, number, number, number, number];

/** The value of the call, of `sort` the list that it leaves; undefined for other calls, and where an argument is not written out. keys: of each item, in their order. */
export async function madeByRound(
  code: readonly number[],
  { kind, part, given }: Round,
  keys: readonly Value[],
  asking: Asking,
): Promise<Value | undefined> {
  const [callee, ...others] = part.parts as [Part, ...Part[]];
  const entries = keys.map((by, at) => ({ by, item: given[at]?.[0] as Value }));
  if (kind !== 'key' || entries.length !== given.length) return undefined;
  const isLess: IsLess = (a, b) => asking.isLess(a, b);
  const name = callee.kind === 'name' ? code[callee.first] : undefined;
  if (name === maxWord || name === minWord) {
    let best = entries[0];
    for (const entry of entries.slice(1)) {
      const [low, high] = name === maxWord ? [best, entry] : [entry, best];
      if (low && high && (await isLess(low.by, high.by))) best = entry;
    }
    return best?.item;
  }
  const isReversed = reversing(code, others);
  if ((name !== sortedWord && callee.kind !== 'attribute') || isReversed === undefined) return undefined;
  const inOrder = await greatestFirst(entries, isReversed ? isLess : (a, b) => isLess(b, a));
  return listed(inOrder.map(({ item }) => item));
}

/** What `reverse` is among the arguments; undefined where that is not written out. */
function reversing(code: readonly number[], given: readonly Part[]): boolean | undefined {
  const found = given.find(({ kind, first }) => kind === 'keyword' && code[first] === reverseWord)?.parts[0];
  if (found === undefined) return false;
  const [token, ...more] = partTokens(code, found);
  if (more.length > 0 || (token !== isTrue && token !== isFalse)) return undefined;
  return token === isTrue;
}
