/** Asks the program itself whether states can precede a state: `python -m foretrace replay`, one line in, one line out. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type { ValidityQuestion } from './reverse.js';

type Verdict = readonly (boolean | null)[];

interface Waiting {
  readonly count: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: ForetraceError) => void;
}

const packageRoot = fileURLToPath(new URL('../../python/', import.meta.url));
/** Characters kept of what the Python side complains about. */
const maxComplaint = 2000;

/** The part of a state that can be put into a run: its current frame. */
function candidateLine(state: DebuggerState): object {
  const { line, locals } = currentFrame(state);
  const { event, value } = state;
  return { event, line, locals: Object.fromEntries(locals), ...(value === undefined ? {} : { value }) };
}

/** One Python process for many questions, answered in the order they were asked. */
export class ReplayProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly waiting: Waiting[] = [];
  private readonly ended: Promise<void>;
  private failure: ForetraceError | undefined;
  private complaint = '';

  constructor(python: string, args: readonly string[] = ['-m', 'foretrace', 'replay']) {
    this.child = spawn(python, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, PYTHONPATH: packageRoot, PYTHONHASHSEED: '0', PYTHONIOENCODING: 'utf-8' },
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaint = (this.complaint + text).slice(-maxComplaint);
    });
    // A child that is gone says so by its end.
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line));
    this.ended = new Promise((resolve) => {
      const end = (actual: string): void => {
        this.fail(actual);
        resolve();
      };
      this.child.once('error', ({ message }) => end(message));
      this.child.once('close', (code) => end(this.complaint.trim() || `exit code ${code}`));
    });
  }

  /** @throws ForetraceError internal if the process fails or answers something else than was asked */
  readonly check = ({ source, call, index, action, candidates }: ValidityQuestion): Promise<Verdict> => {
    if (this.failure) return Promise.reject(this.failure);
    if (candidates.length === 0) return Promise.resolve([]);
    const question = {
      source,
      call,
      index,
      action: action.kind,
      ...(action.lines.length > 0 ? { lines: action.lines } : {}),
      candidates: candidates.map(candidateLine),
    };
    return new Promise((resolve, reject) => {
      this.waiting.push({ count: candidates.length, resolve, reject });
      this.child.stdin.write(`${JSON.stringify(question)}\n`);
    });
  };

  /** Ends the process; questions that are still open fail. */
  async close(): Promise<void> {
    // Nobody waits any more for what is still being run.
    if (this.waiting.length > 0) this.child.kill();
    this.child.stdin.end();
    await this.ended;
  }

  private take(line: string): void {
    const asked = this.waiting[0];
    const verdict = asked && verdictOf(line, asked.count);
    if (!verdict) {
      this.fail(line.slice(0, maxComplaint));
      this.child.kill();
      return;
    }
    this.waiting.shift();
    asked.resolve(verdict);
  }

  private fail(actual: string): void {
    this.failure ??= new ForetraceError(
      'internal',
      'candidates could not be checked by running the program',
      {
        expected: 'one line {"valid": [true, false or null for each candidate]} for each question',
        actual,
      },
    );
    for (const { reject } of this.waiting.splice(0)) reject(this.failure);
  }
}

/** Errors that say that the question itself was wrong; others come from running the program, and leave the candidates undecided. */
const defects: ReadonlySet<unknown> = new Set(['bad_request', 'bad_candidate', 'unknown_action']);

/** undefined: this is no answer about `count` candidates. */
function verdictOf(line: string, count: number): Verdict | undefined {
  try {
    const { valid, error } = JSON.parse(line) as { valid?: unknown; error?: { code?: unknown } };
    if (error) return defects.has(error.code) ? undefined : new Array<null>(count).fill(null);
    const isVerdict = (one: unknown): boolean => one === null || typeof one === 'boolean';
    return Array.isArray(valid) && valid.length === count && valid.every(isVerdict)
      ? (valid as Verdict)
      : undefined;
  } catch {
    return undefined;
  }
}
