/** Many questions at once, and which errors only say that a question does not fit. */
import { asForetraceError, type ErrorCode, type ForetraceError } from '../errors.js';

/** Codes that say that a question can be put neither into the language nor into the context of the model. */
const unaskable: ReadonlySet<ErrorCode> = new Set([
  'invalid_python',
  'invalid_entry',
  'program_too_long',
  'program_too_deep',
  'too_many_names',
  'context_too_long',
  'invalid_state',
  'invalid_breakpoint',
  'past_end',
  'past_start',
]);

/** The error if it says that a question does not fit; any other is a failure of the evaluation itself and thrown on. */
export function unfit(error: unknown): ForetraceError {
  const coded = asForetraceError(error);
  if (!unaskable.has(coded.code)) throw error;
  return coded;
}

/** Runs `work` over all items with at most `limit` at once; after a failure no further item is begun. */
export async function pooled<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      try {
        await work(items[index] as Item, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
