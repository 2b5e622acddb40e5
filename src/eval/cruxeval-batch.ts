/** What both CruxEval tasks share: problems in flight, problems left out, shares. */
import { asForetraceError } from '../errors.js';
import { pooled, unfit } from './batch.js';
import { type Bucket, bucketIndex, bucketsFrom } from './buckets.js';
import type { CruxProblem } from './cruxeval-problems.js';

export interface BatchOptions {
  /** Problems in flight. */
  readonly concurrency: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A problem that cannot be put to the model, and why. */
export interface LeftOutProblem {
  readonly id: string;
  readonly reason: string;
}

export interface BatchResult<Result> {
  /** In the order of the problems. */
  readonly results: readonly Result[];
  readonly leftOut: readonly LeftOutProblem[];
}

/** Runs `work` over all problems; those it finds unaskable are left out. After a failure no further problem is begun. */
export async function runBatch<Result>(
  problems: readonly CruxProblem[],
  { concurrency, onProgress }: BatchOptions,
  work: (problem: CruxProblem) => Promise<Result>,
): Promise<BatchResult<Result>> {
  const results: (Result | undefined)[] = problems.map(() => undefined);
  const leftOut: (LeftOutProblem | undefined)[] = problems.map(() => undefined);
  let done = 0;
  await pooled(problems, concurrency, async (problem, index) => {
    try {
      results[index] = await work(problem);
    } catch (error) {
      // `f(...)` says in the trace language that the arguments are unknown, whatever the problem means by it.
      const isHidden = asForetraceError(error).code === 'hidden_arguments';
      leftOut[index] = { id: problem.id, reason: isHidden ? 'hidden_arguments' : unfit(error).code };
    }
    done += 1;
    onProgress?.(done, problems.length);
  });
  const isThere = <Value>(value: Value | undefined): value is Value => value !== undefined;
  return { results: results.filter(isThere), leftOut: leftOut.filter(isThere) };
}

/** Of none: 0. */
export const shareOf = <Item>(items: readonly Item[], isRight: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(isRight).length / items.length;

export function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** Classes of a run's length in steps. */
const lengthBuckets = bucketsFrom([1, 8, 16, 32, 64, 128]);

export interface LengthClass<Item> extends Bucket {
  readonly items: readonly Item[];
}

export const byLength = <Item>(
  items: readonly Item[],
  lengthOf: (item: Item) => number,
): LengthClass<Item>[] =>
  lengthBuckets.map((bucket, index) => ({
    ...bucket,
    items: items.filter((item) => bucketIndex(lengthBuckets, Math.max(1, lengthOf(item))) === index),
  }));
