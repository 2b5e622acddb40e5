/** The questions of a line that have no answer yet: which can be asked, what waits for them, and how many there may be. */
import type { Part } from './parts.js';
import { special } from './tokens.js';

/** Most questions for one step. */
const mostWorkings = 12;
/** Most questions for the items of the comprehensions of a line and for operations that are made of others. */
export const mostItemWorkings = 256;

/** A question that has to be answered before what needs it can be asked. */
export interface Working {
  /** Its place among the answers. */
  readonly key: string;
  /** `<|evaluate|>` and the expression as far as it was worked out, with the values of its names. */
  readonly question: readonly number[];
  /** The question without any names, which can be asked anywhere; undefined where it needs them. */
  readonly closed: readonly number[] | undefined;
}

/** A question as it is asked behind its state, and without names, if it can be; both without their first token. */
export type Asked = Pick<Working, 'question' | 'closed'>;

export class OpenQuestions {
  /** What can be asked now, in any order. */
  readonly open: Working[];
  /** What has no answer yet, asked or not. */
  private readonly unanswered: Pick<Part, 'first' | 'end'>[] = [];
  private readonly seen = new Set<string>();
  /** Most questions that the comprehensions up to here need, item by item, and the operations that are made of others. */
  private itemsAsked = 0;
  private readonly root: OpenQuestions;

  /** whole: those of the code that has this as an expression of one of its items. */
  constructor(private readonly whole?: OpenQuestions) {
    this.open = whole?.open ?? [];
    this.root = whole?.root ?? this;
  }

  /** Whether anything has no answer yet. */
  get isWaiting(): boolean {
    return this.unanswered.length > 0;
  }

  /** Whether something in this part of the code has no answer yet. */
  waits({ first, end }: Pick<Part, 'first' | 'end'>): boolean {
    return this.unanswered.some((inner) => inner.first >= first && inner.end <= end);
  }

  /** Has what is around the part wait for it. */
  postpone(part: Part): true {
    this.unanswered.push(part);
    return true;
  }

  /** Whether the line may have so many questions more of items and of what is made of others. */
  hasRoom(questions: number): boolean {
    this.root.itemsAsked += questions;
    return this.root.itemsAsked <= mostItemWorkings;
  }

  /** Counts what is worked out, the same once; false for more than a step may have. */
  admits(key: string): boolean {
    const isFull = this.seen.size === mostWorkings && this.whole === undefined;
    if (!this.seen.has(key) && isFull) return false;
    this.seen.add(key);
    return true;
  }

  /** Opens a question for the part, unless it is open, or waits for one inside it. */
  ask(key: string, part: Part, asked: () => Asked): void {
    if (!this.waits(part) && !this.open.some((other) => other.key === key)) {
      const { question, closed } = asked();
      const evaluate = (code: readonly number[]): readonly number[] => [special.evaluate, ...code];
      this.open.push({ key, question: evaluate(question), closed: closed && evaluate(closed) });
    }
    this.postpone(part);
  }
}
