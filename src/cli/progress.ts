/** A progress bar for long work. */
import { SingleBar } from 'cli-progress';

/** Called with what is done and what there is; the total may become known late. */
export type ProgressUpdate = (done: number, total: number) => void;

/** Runs `work` under a bar on standard error, in a terminal only. */
export async function watched<Result>(
  what: string,
  work: (update: ProgressUpdate) => Promise<Result>,
): Promise<Result> {
  const format = `${what} [{bar}] {value}/{total} {eta_formatted}`;
  const bar = process.stderr.isTTY ? new SingleBar({ format, stream: process.stderr }) : null;
  bar?.start(0, 0);
  const update: ProgressUpdate = (done, total) => {
    bar?.setTotal(total);
    bar?.update(done);
  };
  try {
    return await work(update);
  } finally {
    bar?.stop();
  }
}
