/**
 * Predicts likely next questions while nobody asks anything: of every state that a session comes to, the next few events, which single steps and walks go
 * through, and `step_over` where that is answered by a jump. The answers go into the trajectory store, where the question finds them if it is asked; going
 * back is derived from them. They are the answers that would be given anyway, computed by the same code, so looking ahead changes when an answer is there and
 * nothing else.
 */
import type { Action } from '../debugger/action.js';
import { checkAction, isAtEnd } from '../debugger/navigate.js';
import type { DebuggerState } from '../debugger/state.js';
import { asForetraceError } from '../errors.js';
import type { IdleSource } from '../scheduler/request.js';
import { chooseMode, defaultAccuracy } from './accuracy.js';
import { askModel } from './ask-model.js';
import { defaultMaxSteps } from './navigate.js';
import { transitionOf } from './step.js';
import type { ModelAccess } from './submit-question.js';
import type { Visit, VisitWatcher } from './visit.js';

export interface LookAheadOptions {
  /** Milliseconds of idleness before anything is begun: who asks at once is not to meet a pass in flight. */
  readonly delayMillis?: number;
  /** Events that are predicted beyond a visited state. */
  readonly steps?: number;
  /** Questions asked at once. */
  readonly maxRunning?: number;
  /** Questions remembered; of more the oldest are forgotten. */
  readonly maxPending?: number;
}

interface Pending extends Visit {
  readonly action: Action;
  /** Events to predict beyond the answer. */
  readonly left: number;
  /** How often it has given way. */
  readonly tries: number;
}

export interface LookAheadStats {
  /** Questions that came up, those predicted, those that need not be asked, and those forgotten before there was time. */
  readonly visited: number;
  readonly predicted: number;
  readonly skipped: number;
  readonly forgotten: number;
  readonly pending: number;
  readonly running: number;
}

const stepInto: Action = { kind: 'step_into', lines: [] };
const stepOver: Action = { kind: 'step_over', lines: [] };
/** How often a question may give way before it is forgotten. */
const mostTries = 3;

export class LookAhead implements VisitWatcher {
  private readonly delayMillis: number;
  private readonly steps: number;
  private readonly maxRunning: number;
  private readonly maxPending: number;
  /** The latest last, because it is the likeliest to be asked. */
  private readonly pending: Pending[] = [];
  private readonly stopListening: () => void;
  private timer: NodeJS.Timeout | undefined;
  private running = 0;
  private visits = 0;
  private predicted = 0;
  private skipped = 0;
  private forgotten = 0;
  private isClosed = false;

  constructor(
    private readonly access: ModelAccess,
    private readonly idle: IdleSource,
    { delayMillis = 2, steps = 6, maxRunning = 8, maxPending = 64 }: LookAheadOptions = {},
  ) {
    this.delayMillis = delayMillis;
    this.steps = steps;
    this.maxRunning = maxRunning;
    this.maxPending = maxPending;
    this.stopListening = idle.onIdle(() => this.wake());
  }

  visited(visit: Visit): void {
    // Nothing comes after the end: worth knowing before an error is made of it, for many sessions stand there.
    if (this.isClosed || isAtEnd(visit.state, visit.program)) return;
    const { accuracy = defaultAccuracy } = this.access;
    if (chooseMode(accuracy, visit.state, stepOver, defaultMaxSteps).mode === 'jump')
      this.comesUp({ ...visit, action: stepOver, left: 0, tries: 0 });
    this.comesUp({ ...visit, action: stepInto, left: this.steps - 1, tries: 0 });
    if (this.idle.isIdle) this.wake();
  }

  private comesUp(question: Pending): void {
    this.visits += 1;
    const open = this.unanswered(question);
    if (open) this.remember(open);
  }

  /** The question itself, or the first beyond it that is not stored: what is stored need not be asked, but may lead to what is not. */
  private unanswered(question: Pending): Pending | undefined {
    const stored = storedAnswer(question);
    if (stored === undefined) return question;
    this.skipped += 1;
    const next = beyond(question, stored);
    if (next === undefined) return undefined;
    this.visits += 1;
    return this.unanswered(next);
  }

  stats(): LookAheadStats {
    return {
      visited: this.visits,
      predicted: this.predicted,
      skipped: this.skipped,
      forgotten: this.forgotten,
      pending: this.pending.length,
      running: this.running,
    };
  }

  close(): void {
    this.isClosed = true;
    this.pending.length = 0;
    this.stopListening();
    clearTimeout(this.timer);
  }

  private remember(question: Pending): void {
    this.pending.push(question);
    if (this.pending.length <= this.maxPending) return;
    this.pending.shift();
    this.forgotten += 1;
  }

  /** Begins after the delay, if there is still nothing else to do then. */
  private wake(): void {
    if (this.timer !== undefined || this.pending.length === 0 || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.pump();
    }, this.delayMillis);
    this.timer.unref();
  }

  private pump(): void {
    while (this.idle.isIdle && this.running < this.maxRunning) {
      const question = this.pending.pop();
      if (question === undefined) return;
      // Somebody may have asked it meanwhile.
      const open = this.unanswered(question);
      if (open === undefined) continue;
      if (leadsOn(open)) void this.predict(open);
      else this.skipped += 1;
    }
  }

  private async predict(question: Pending): Promise<void> {
    const { world, state, action } = question;
    this.running += 1;
    try {
      const asked = { client: 'ahead', priority: 'ahead', fresh: false, isKept: false } as const;
      const reply = await askModel(this.access, { ...question, ...asked });
      world.store.put(world.key, state, action, transitionOf(reply), true);
      this.predicted += 1;
      const next = beyond(question, reply.delta.state);
      if (next && !this.isClosed) this.comesUp(next);
    } catch (error) {
      this.gaveWay(question, asForetraceError(error).code === 'cancelled');
    } finally {
      this.running -= 1;
      this.pump();
    }
  }

  /** What gave way is asked again later; what cannot be answered is not. */
  private gaveWay(question: Pending, mayRetry: boolean): void {
    if (mayRetry && !this.isClosed && question.tries + 1 < mostTries)
      this.remember({ ...question, tries: question.tries + 1 });
    else this.forgotten += 1;
  }
}

/** False where the action leads nowhere from the state. */
function leadsOn({ program, state, action }: Pending): boolean {
  try {
    checkAction(program, state, action);
  } catch {
    return false;
  }
  return true;
}

const storedAnswer = ({ world, state, action }: Pending): DebuggerState | undefined =>
  world.store.peek(world.key, state, action, world.program)?.state;

/** The question about what comes after the answer; undefined where enough was asked, or nothing comes. */
function beyond(question: Pending, state: DebuggerState): Pending | undefined {
  if (question.left === 0 || isAtEnd(state, question.program)) return undefined;
  return { ...question, state, left: question.left - 1, tries: 0 };
}
