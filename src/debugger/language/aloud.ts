/** Questions that are answered aloud: in columns as on paper, or position by position. */
import { inColumns } from './columns.js';
import type { Part } from './parts.js';
import { inPositions } from './positions.js';
import { operationOf } from './sums.js';

/** The question for a part of the code, without its first token, that is answered in columns or in positions; undefined for others. */
export function aloud(
  code: ArrayLike<number>,
  part: Part,
  told: (part: Part) => readonly number[] | undefined,
): readonly number[] | undefined {
  const operation = operationOf(code, part, told);
  return (operation && inColumns(operation)) ?? inPositions(code, part, told);
}
