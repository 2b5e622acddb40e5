/** Closed questions: expressions in which values stand for all names. They come to the same in every state of every program. */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { valueAt } from './attributes.js';
import { inPlace } from './items.js';
import { marked, marks, subscripts } from './marks.js';
import { charTokens, isSlotToken, special, wordTokens } from './tokens.js';

const [dot, equals] = charTokens('.=');
/** What binds names of its own, and what shows values in its own way. */
const binding: ReadonlySet<number> = new Set([...wordTokens('for lambda'), special.fstring]);

/**
 * The code of an expression with the values that its names have in a frame in their place, marked as in a here line (docs/trace-language.md, section 6); undefined where names are left.
 * What it calls must be builtins or their methods.
 */
export function closed(program: Program, code: ArrayLike<number>, frame: Frame): number[] | undefined {
  const out: number[] = [];
  for (let at = 0, end = 1; at < code.length; at = end, end += 1) {
    const token = code[at] as number;
    if (binding.has(token)) return undefined;
    if (!isSlotToken(token)) {
      out.push(token);
      continue;
    }
    const named = valueAt(program, code, at, frame);
    end = named.end;
    // Names of attributes and of arguments stand for no value.
    if (named.value?.some(isSlotToken) !== false || code[at - 1] === dot || code[end] === equals)
      return undefined;
    const places = marks(named.value, subscripts(program, code, end - 1, frame), undefined);
    out.push(...inPlace(marked(named.value, places), code[end]));
  }
  return out;
}
