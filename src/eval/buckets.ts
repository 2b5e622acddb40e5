/** Classes of numbers by their lower bounds. Pure. */

export interface Bucket {
  readonly from: number;
  /** Last number of the class; null: no end. */
  readonly to: number | null;
}

/** Classes that begin at `starts` (ascending); each ends before the next. */
export const bucketsFrom = (starts: readonly number[]): Bucket[] =>
  starts.map((from, index) => ({
    from,
    to: starts[index + 1] === undefined ? null : (starts[index + 1] as number) - 1,
  }));

/** Index of the class of `value`; -1 below the first. */
export const bucketIndex = (buckets: readonly Bucket[], value: number): number =>
  buckets.findLastIndex(({ from }) => from <= value);

/** The class in words: `4-7`, `4`, `32 and more`. */
export function bucketName({ from, to }: Bucket): string {
  if (to === null) return `${from} and more`;
  return from === to ? `${from}` : `${from}-${to}`;
}

/** Real steps that a jump skips. */
export const horizonBuckets = bucketsFrom([1, 2, 4, 8, 16, 32]);
export const programLengthBuckets = bucketsFrom([1, 8, 16, 24, 32, 48, 64]);
export const promptTokenBuckets = bucketsFrom([1, 128, 192, 256, 384, 512, 768, 1024]);
export const localCountBuckets = bucketsFrom([0, 2, 4, 6, 8]);
