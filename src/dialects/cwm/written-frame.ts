/** Reads a frame that a model has written, token by token, and how sure it was of each part. */
import { type EventKind, eventKinds } from '../../debugger/state.js';
import type { Vocabulary } from './vocabulary.js';

export interface WrittenFrame {
  readonly event: EventKind;
  /** As they were written, `..` for unchanged ones; none for events that show no locals. */
  readonly locals: ReadonlyMap<string, string>;
  readonly value?: string;
  /** Tokens of the line. */
  readonly line: readonly number[];
  /** Log-probabilities. */
  readonly sure: {
    readonly event: number;
    readonly locals: ReadonlyMap<string, number>;
    readonly line: number;
    readonly value: number;
  };
}

export class FrameReader {
  private readonly tokens: number[] = [];
  private readonly sure: number[] = [];

  constructor(private readonly vocabulary: Vocabulary) {}

  push(token: number, logProbability: number): void {
    this.tokens.push(token);
    this.sure.push(logProbability);
  }

  /** The tokens of the frame, in order. */
  get written(): Int32Array {
    return Int32Array.from(this.tokens);
  }

  /** @throws RangeError or SyntaxError for what no frame grammar lets pass */
  finish(): WrittenFrame {
    const { special } = this.vocabulary;
    const { tokens } = this;
    const action = tokens.indexOf(special.action);
    const argument = tokens.indexOf(special.argument);
    const end = tokens.length - 1;
    const event = eventKinds.find((kind) => special[kind] === tokens[0]);
    if (event === undefined || action < 1 || tokens[end] !== special.frame)
      throw new RangeError('this is no frame');
    const lineEnd = argument < 0 ? end : argument;
    const { locals, sure } = this.localsIn(1, action);
    const value = argument < 0 ? undefined : (JSON.parse(this.textIn(argument + 1, end)) as string);
    return {
      event,
      locals,
      line: tokens.slice(action + 1, lineEnd),
      ...(value === undefined ? {} : { value }),
      sure: {
        event: this.sumOf(0, 1) + (locals.size === 0 ? this.sumOf(1, action) : 0),
        locals: sure,
        line: this.sumOf(action, lineEnd + 1),
        value: this.sumOf(lineEnd + 1, end + 1),
      },
    };
  }

  private textIn(from: number, to: number): string {
    return this.tokens
      .slice(from, to)
      .map((token) => this.vocabulary.textOf(token))
      .join('');
  }

  private sumOf(from: number, to: number): number {
    return this.sure.slice(from, to).reduce((sum, one) => sum + one, 0);
  }

  /** Each token counts for the local in whose text it begins; what comes before or behind all of them for the nearest one. */
  private localsIn(from: number, to: number): Pick<WrittenFrame, 'locals'> & { sure: Map<string, number> } {
    const text = this.textIn(from, to);
    const locals = new Map(text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, string>));
    const ends = [...text.matchAll(entries)].map((entry) => entry.index + entry[0].length);
    const names = [...locals.keys()];
    const sure = new Map(names.map((name) => [name, 0]));
    let offset = 0;
    for (let at = from; at < to && names.length > 0; at += 1) {
      const entry = ends.findIndex((behind) => offset < behind);
      const name = names[entry < 0 ? names.length - 1 : entry] as string;
      sure.set(name, (sure.get(name) ?? 0) + (this.sure[at] ?? 0));
      offset += this.vocabulary.textOf(this.tokens[at] as number).length;
    }
    return { locals, sure };
  }
}

/** A name and its value, and the delimiter behind them. */
const entries = /"(?:[^"\\]|\\.)*": "(?:[^"\\]|\\.)*"(?:, )?/g;
