/** What the `defaultdict`s of a frame hold: what stands in them is told as of a table of the module, what is missing is not (docs/trace-language.md, section 9). */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { isLiteral } from './literal-values.js';
import { isTable, type Tables } from './tables.js';
import { encodeValue } from './values.js';

const written = /^defaultdict\(<class '\w+'>, (\{.*\})\)$/s;

/** Their dicts, of those that are literals, by the slots of the names that they are bound to. */
export function defaultDicts(program: Program, { locals }: Frame): Tables {
  const found = new Map<number, readonly number[]>();
  for (const [name, text] of locals) {
    const inside = text.startsWith('defaultdict(') ? written.exec(text)?.[1] : undefined;
    const slot = program.slots.get(name);
    const value = inside === undefined ? undefined : encodeValue(program, inside);
    if (slot !== undefined && value && isLiteral(value) && isTable(value)) found.set(slot, value);
  }
  return found;
}
