/** Strings that are filled up to a width, by way of their length and what is missing (docs/trace-language.md, section 9). */
import { isText } from './displays.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import { charTokens, positionCount, textTokens, wordTokens } from './tokens.js';

const [ljust, rjust, zfill, length] = wordTokens('ljust rjust zfill len') as [number, number, number, number];
/** The methods, and how many arguments they may have. */
const methods = new Map<number | undefined, readonly number[]>([
  [ljust, [1, 2]],
  [rjust, [1, 2]],
  [zfill, [1]],
]);
const [opening, closing, minus, plus, star] = charTokens('()-+*');
const questions = 4;

/** How a call of `ljust`, `rjust` or `zfill` comes about, to a width that has a position; undefined for other parts. */
export function paddingPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const [callee, ...given] = part.parts;
  if (part.kind !== 'call' || callee?.kind !== 'attribute') return undefined;
  const name = code[callee.end - 1];
  const values = methods.get(name)?.includes(given.length) ? [...callee.parts, ...given].map(told) : [];
  if (values.length === 0 || !values.every((value) => value !== undefined)) return undefined;
  const [value, width, ...pad] = values as [Value, Value, ...Value[]];
  const count = integerOf(width) ?? -1;
  const isSigned = name === zfill && value.length > 2 && (value[1] === plus || value[1] === minus);
  const areTexts = [value, ...pad].every(isText) && pad.every((one) => one.length === 3);
  if (count < 0 || count > positionCount || isSigned || !areTexts) return undefined;
  const filler = pad[0] ?? textTokens(name === zfill ? "'0'" : "' '");
  return { questions, value: (valueFor) => padded(value, width, filler, name === ljust, valueFor) };
}

function padded(value: Value, width: Value, filler: Value, isBehind: boolean, valueFor: ValueFor): Found {
  const size = valueFor([length, opening, ...value, closing]);
  if (typeof size !== 'object') return size;
  const missing = valueFor([...width, minus, ...size]);
  if (typeof missing !== 'object') return missing;
  const count = integerOf(missing);
  if (count === undefined || count <= 0) return count === undefined ? undefined : value;
  const added = count === 1 ? filler : valueFor([...filler, star, ...missing]);
  if (typeof added !== 'object') return added;
  return valueFor(isBehind ? [...value, plus, ...added] : [...added, plus, ...value]);
}
