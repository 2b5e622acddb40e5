/**
 * Transitions on their way to a file: collected for a moment, turned into rows a few at a time, written by a thread. Nobody who waits for an answer
 * waits for the disk.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type KeptTransition, stateKey } from '../trajectory/index.js';
import { toText } from './transition-text.js';

/** World, question and content of a row. */
export type Row = readonly [string, string, string];

export interface WriterStart {
  readonly path: string;
  readonly answerer: string;
}
export type WriterMessage =
  | { readonly kind: 'write'; readonly rows: readonly Row[] }
  | { readonly kind: 'close' };
export type WriterReply =
  | { readonly kind: 'written'; readonly count: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' };

/** Rows of one transaction; making them takes the main thread a millisecond or two. */
const batchRows = 64;
const flushMillis = 200;
/** Transitions that may wait, written or not; a disk that is slower than the model gets no more. */
const mostWaiting = 65_536;

/** The compiled thread lies beside this module, or in the build of it when this module runs as source. */
function writerUrl(): URL {
  const beside = new URL('./trajectory-writer.js', import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'persistence', 'trajectory-writer.js'));
}

export class WriteQueue {
  private readonly waiting: KeptTransition[] = [];
  private readonly worker: Worker;
  private readonly closed: Promise<void>;
  private timer: NodeJS.Timeout | undefined;
  /** Rows that the thread has not written yet. */
  private unwritten = 0;
  private skipped = 0;
  private failure: string | undefined;

  constructor(start: WriterStart) {
    this.worker = new Worker(writerUrl(), { workerData: start });
    this.closed = new Promise((resolve) => {
      this.worker.on('message', (message: WriterReply) => this.receive(message));
      this.worker.once('error', (error) => this.fail(error.message));
      this.worker.once('exit', () => resolve());
    });
    // A service that ends without closing its file loses the last batch, and is not kept alive by it.
    this.worker.unref();
  }

  /** Transitions that were not written because too many waited. */
  get left(): number {
    return this.skipped;
  }

  add(kept: KeptTransition): void {
    if (this.failure !== undefined) return;
    if (this.waiting.length + this.unwritten >= mostWaiting) {
      this.skipped += 1;
      return;
    }
    this.waiting.push(kept);
    this.timer ??= setTimeout(() => this.flushSome(), flushMillis).unref();
  }

  /** Writes what waits and ends the thread. @throws Error what could not be written, and why */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.worker.ref();
    while (this.waiting.length > 0 && this.failure === undefined) this.sendBatch();
    this.post({ kind: 'close' });
    await this.closed;
    if (this.failure !== undefined) throw new Error(this.failure);
  }

  private flushSome(): void {
    this.timer = undefined;
    this.sendBatch();
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.flushSome(), 1).unref();
  }

  private sendBatch(): void {
    const rows = this.waiting.splice(0, batchRows).map(rowOf);
    this.unwritten += rows.length;
    this.post({ kind: 'write', rows });
  }

  private post(message: WriterMessage): void {
    this.worker.postMessage(message);
  }

  private receive(message: WriterReply): void {
    if (message.kind === 'written') this.unwritten -= message.count;
    else if (message.kind === 'failed') this.fail(message.reason);
  }

  /** A file that cannot be written (a full disk) is not tried again; the service goes on without it. */
  private fail(reason: string): void {
    this.failure ??= reason;
    this.waiting.length = 0;
  }
}

function rowOf(kept: KeptTransition): Row {
  const { world, before, action } = kept;
  return [world, `${stateKey(before)} ${action.kind} ${action.lines.join(' ')}`, toText(kept)];
}
