/** The states a session has visited: a tree, numbered in order, with a cursor; bounded in number and in bytes. */
import type { Frame } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { frameBytes, stateBytes, stateOverhead } from '../trajectory/index.js';
import type { Answer, NewAnswer } from './answer.js';

export interface VisitedBounds {
  readonly maxStates: number;
  readonly maxBytes?: number;
}

/** Numbers, probabilities, costs and map entries of an answer beside its state. */
const answerOverhead = 1024;
const probabilityBytes = 64;

export class VisitedStates {
  private readonly answers = new Map<number, Answer>();
  /** Frames that the states hold, each counted once however many states share it. */
  private readonly frames = new Map<Frame, number>();
  private nextNumber = 1;
  private cursor = 0;
  private held = 0;

  constructor(private readonly bounds: VisitedBounds) {}

  /** Upper estimate of the memory the states take. */
  get bytes(): number {
    return this.held;
  }

  /** The state with this number, 0 = the cursor's. @throws ForetraceError unknown_state */
  answer(number: number): Answer {
    const answer = this.find(number === 0 ? this.cursor : number);
    if (answer) return answer;
    throw new ForetraceError('unknown_state', `the session holds no state ${number}`, {
      expected: `a number from 1 to ${this.nextNumber - 1} that is still held`,
      actual: String(number),
    });
  }

  find(number: number): Answer | undefined {
    return this.answers.get(number);
  }

  /** All states still held, oldest first. */
  all(): Answer[] {
    return [...this.answers.values()];
  }

  /** Takes a new state in; the cursor stays and nothing is forgotten until `forgetOldest`. */
  keep(answer: NewAnswer): Answer {
    const kept = { ...answer, number: this.nextNumber++ };
    this.hold(kept);
    return kept;
  }

  /** Takes a new state in, moves the cursor there and keeps the bounds. */
  add(answer: NewAnswer): Answer {
    const added = this.keep(answer);
    this.cursor = added.number;
    this.forgetOldest();
    return added;
  }

  /** Moves the cursor. @throws ForetraceError unknown_state */
  goto(number: number): Answer {
    const answer = this.answer(number);
    this.cursor = answer.number;
    return answer;
  }

  forget(number: number): void {
    const answer = this.answers.get(number);
    if (answer === undefined) return;
    this.answers.delete(number);
    this.held -= ownBytes(answer);
    for (const frame of answer.state.frames) {
      const uses = (this.frames.get(frame) ?? 0) - 1;
      if (uses > 0) this.frames.set(frame, uses);
      else if (this.frames.delete(frame)) this.held -= frameBytes(frame);
    }
  }

  /** Keeps the bounds: the oldest states go, never the cursor's. */
  forgetOldest(): void {
    const { maxStates, maxBytes = Number.POSITIVE_INFINITY } = this.bounds;
    for (const number of this.answers.keys()) {
      if (this.answers.size <= maxStates && this.held <= maxBytes) break;
      if (number !== this.cursor) this.forget(number);
    }
  }

  /** The same states for another session, with its cursor at `at`. @throws ForetraceError unknown_state */
  copy(bounds: VisitedBounds, at: number): VisitedStates {
    const target = this.answer(at);
    const copy = new VisitedStates(bounds);
    for (const answer of this.answers.values()) copy.hold(answer);
    copy.nextNumber = this.nextNumber;
    copy.cursor = target.number;
    return copy;
  }

  private hold(answer: Answer): void {
    this.answers.set(answer.number, answer);
    this.held += ownBytes(answer);
    for (const frame of answer.state.frames) {
      const uses = this.frames.get(frame) ?? 0;
      if (uses === 0) this.held += frameBytes(frame);
      this.frames.set(frame, uses + 1);
    }
  }
}

/** Memory of an answer beside the frames of its state: those are counted once for all states that share them. */
const ownBytes = ({ state, probability }: Answer): number =>
  answerOverhead + stateOverhead(state) + probabilityBytes * probability.locals.size;

/** Upper estimate of the memory an answer takes by itself. */
export const answerBytes = (answer: Answer): number => {
  const { state } = answer;
  return ownBytes(answer) + stateBytes(state) - stateOverhead(state);
};
