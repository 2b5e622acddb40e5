/** Answers to expressions from untrusted tokens (docs/trace-language.md, section 7). Malformed input is a value, never an exception. */
import type { Program } from '../program.js';
import { type DivisionDecoder, decoders, type SumDecoder } from './columns.js';
import { PositionsDecoder } from './positions-decoder.js';
import { eventToken, special, tokenText } from './tokens.js';
import { type DecodeProblem, ValueDecoder } from './values.js';

/** What an expression came to. */
export interface DecodedAnswer {
  readonly outcome: 'value' | 'exception';
  /** Canonical bounded repr of the value or the exception. */
  readonly text: string;
  /** Product of the probabilities of all its tokens, 0..1. */
  readonly probability: number;
}

export const isAnswerProblem = (decoded: DecodedAnswer | DecodeProblem): decoded is DecodeProblem =>
  'code' in decoded;

const outcomes = new Map<number, DecodedAnswer['outcome']>([
  [special.value, 'value'],
  [eventToken('exception'), 'exception'],
]);

/** Reads one answer, token by token. After the end or a problem further tokens change nothing. */
export class AnswerDecoder {
  private reader: ValueDecoder | PositionsDecoder | SumDecoder | DivisionDecoder;
  private outcome: DecodedAnswer['outcome'] | undefined;
  private ended = false;
  private problem: DecodeProblem | undefined;
  private position = 0;
  private logProbability = 0;

  constructor(private readonly program: Program) {
    this.reader = new ValueDecoder(program);
  }

  push(token: number, logProbability = 0): void {
    if (this.ended || this.problem !== undefined) return;
    this.logProbability += logProbability;
    const InColumns = this.position === 1 && this.outcome === 'value' ? decoders.get(token) : undefined;
    if (this.outcome === undefined) {
      this.outcome = outcomes.get(token);
      if (this.outcome === 'value') this.reader = new PositionsDecoder(this.program);
    } else if (InColumns !== undefined) this.reader = new InColumns();
    else if (this.reader.accepts(token)) this.reader.take(token);
    else if (token === special.end && this.reader.missing() === undefined) this.ended = true;
    else this.fail(tokenText(token));
    if (this.outcome === undefined) this.fail(tokenText(token));
    this.position += 1;
  }

  /** The answer, or what is wrong with it; tokens that stop before the end are wrong. */
  finish(): DecodedAnswer | DecodeProblem {
    if (!this.ended) this.fail('the end of the tokens');
    if (this.problem !== undefined) return this.problem;
    return {
      outcome: this.outcome ?? 'value',
      text: this.reader.text(),
      probability: Math.exp(this.logProbability),
    };
  }

  private fail(actual: string): void {
    const expected =
      this.outcome === undefined
        ? '<|value|> or <|exception|>'
        : (this.reader.missing() ?? 'a value token or <|end|>');
    this.problem ??= { code: 'bad_answer', position: this.position, expected, actual };
  }
}
