/** Breakpoints of the program: where they stand, and whether a stop at one is shown; and whether it stops where an exception is raised. */
import { asForetraceError } from '../errors.js';
import { Raised, sayingOf } from './raised.js';

export interface WantedBreakpoint {
  readonly line: number;
  /** Stop only where this holds. */
  readonly condition?: string | undefined;
  /** Say this and go on; `{expression}` in it stands for its value. */
  readonly logMessage?: string | undefined;
}

/** A breakpoint where it came to stand: on its line or the next one that holds code; undefined behind the last of them. */
export interface PlacedBreakpoint extends WantedBreakpoint {
  readonly placed: number | undefined;
}

/** Says something to whoever debugs. */
export type Say = (text: string, isError: boolean) => void;

/** The `repr` of an expression in the current state. */
export type Evaluate = (expression: string) => Promise<string>;

const falsy = new Set([
  'False',
  'None',
  '0',
  '0.0',
  '-0.0',
  "''",
  "b''",
  '[]',
  '()',
  '{}',
  'set()',
  'frozenset()',
]);

export class Breakpoints {
  private placed: readonly PlacedBreakpoint[] = [];
  stopsAtExceptions = false;

  /** `executable`: lines that hold code, ascending. */
  place(wanted: readonly WantedBreakpoint[], executable: readonly number[]): readonly PlacedBreakpoint[] {
    this.placed = wanted.map((one) => ({ ...one, placed: executable.find((line) => line >= one.line) }));
    return this.placed;
  }

  /** The same breakpoints in a text that has changed. */
  replace(executable: readonly number[]): void {
    this.place(this.placed, executable);
  }

  /** Lines of the set, ascending. */
  get lines(): number[] {
    const lines = this.placed.flatMap(({ placed }) => (placed === undefined ? [] : [placed]));
    return [...new Set(lines)].sort((a, b) => a - b);
  }

  /**
   * Whether the program is to stop at a line: a breakpoint stands there whose condition holds and that is no log point. What
   * log points say goes to `say`.
   */
  async stopsAt(line: number, evaluate: Evaluate, say: Say): Promise<boolean> {
    let stops = false;
    for (const one of this.placed.filter(({ placed }) => placed === line)) {
      const { condition, logMessage } = one;
      try {
        if (condition && falsy.has(await evaluate(condition))) continue;
        if (logMessage) say(await filledIn(logMessage, evaluate), false);
        else stops = true;
      } catch (error) {
        if (!(error instanceof Raised) && asForetraceError(error).code === 'cancelled') throw error;
        say(`line ${line}: ${sayingOf(error)}`, true);
        stops = true;
      }
    }
    return stops;
  }
}

async function filledIn(message: string, evaluate: Evaluate): Promise<string> {
  let text = '';
  let end = 0;
  for (const match of message.matchAll(/\{([^{}]+)\}/g)) {
    text += message.slice(end, match.index) + (await evaluate(match[1] as string));
    end = match.index + match[0].length;
  }
  return text + message.slice(end);
}
