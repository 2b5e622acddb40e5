/** Which parts of a line are asked for, and how many questions one can need. */
import type { Part, PartKind } from './parts.js';

/** Most code tokens of what is asked. */
const longestWorking = 64;

const asked: ReadonlySet<PartKind> = new Set([
  'binary',
  'unary',
  'not',
  'compare',
  'and',
  'or',
  'ternary',
  'subscript',
  'call',
  'comprehension',
]);

/** Whether there can be a question about a part as it is written. */
export const isShort = ({ first, end }: Part): boolean => end - first <= longestWorking;

/** Whether a part is asked for where it is not told. */
export const isAsked = (part: Part): boolean => asked.has(part.kind) && isShort(part);

/** How many questions a part can need. */
export const questionsOf = ({ kind, parts }: Part): number =>
  parts.reduce((sum, inner) => sum + questionsOf(inner), asked.has(kind) ? 1 : 0);
