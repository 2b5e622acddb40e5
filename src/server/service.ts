/**
 * The calls of the protocol, free of sockets: WebSocket and HTTP both end here. A call takes a decoded message body
 * and gives a message body back, or throws a ForetraceError and leaves everything as it was.
 */
import type { DecodedPart } from '../debugger/language/decode.js';
import { vocabularySize } from '../debugger/language/tokens.js';
import { ForetraceError } from '../errors.js';
import type { ModelAccess } from '../session/ask-model.js';
import { type Answer, type AnswerOrigin, type AskedOptions, DebugSession } from '../session/debug-session.js';
import { defaultMaxSteps } from '../session/navigate.js';
import { ProgramLibrary } from '../session/program-library.js';
import { defaultQueryRows } from '../session/query.js';
import { SessionStore } from '../session/session-store.js';
import {
  actionFromWire,
  answerToWire,
  candidatesToWire,
  evaluationToWire,
  modeFromWire,
  priorityFromWire,
  samplingFromWire,
  stateFromWire,
} from '../wire/convert.js';
import { queryFromWire, queryResultToWire } from '../wire/convert-query.js';
import type {
  ClientBodies,
  ServerBodies,
  WireAnswer,
  WireCandidateList,
  WireEvaluation,
  WireQueryResult,
  WireRawAnswer,
} from '../wire/messages.js';
import type { ServiceLimits } from './limits.js';
import { RateLimiter } from './rate.js';
import { type RawAccess, RawDoor } from './raw.js';

/** Who calls, and how the call is watched. */
export interface CallContext {
  /** Fairness account and, where API keys are in use, owner of sessions. */
  readonly client: string;
  /** True if sessions of other clients must stay invisible. */
  readonly isolated: boolean;
  readonly signal?: AbortSignal;
  readonly onPart?: (part: DecodedPart) => void;
  /** Shown each state that a walk passes. */
  readonly onStep?: (passed: WireAnswer) => void;
  /** Shown the tokens of a raw turn as they come. */
  readonly onTokens?: (tokens: Int32Array) => void;
}

type AskedBody = Pick<ClientBodies['act'], 'from' | 'priority' | 'fresh'>;

export class DebugService {
  readonly sessions: SessionStore;
  readonly rate: RateLimiter;
  private readonly access: ModelAccess;
  private readonly limits: ServiceLimits;
  private readonly programs: ProgramLibrary;
  private readonly raw: RawDoor | null;
  private readonly running = new Set<AbortController>();
  private draining = false;
  /** Answers to `Act` by origin. */
  readonly answers: Record<AnswerOrigin, number> = { model: 0, cache: 0, derived: 0, given: 0 };

  /** @param raw lets raw token turns in */
  constructor(access: ModelAccess, limits: ServiceLimits, raw: RawAccess | null = null) {
    this.raw = raw === null ? null : new RawDoor(raw, limits);
    this.access = access;
    this.limits = limits;
    this.programs = new ProgramLibrary(limits.programCacheBytes);
    this.rate = new RateLimiter(limits.requestsPerMinute);
    this.sessions = new SessionStore({
      maxSessions: limits.maxSessions,
      idleMillis: limits.sessionIdleMillis,
    });
  }

  /** Calls that wait for the model. */
  get runningCalls(): number {
    return this.running.size;
  }

  /** From now on nothing new is begun; running calls finish. */
  drain(): void {
    this.draining = true;
  }

  /** Ends all running calls with `cancelled`. */
  cancelAll(): void {
    for (const controller of this.running) controller.abort();
  }

  async open(
    body: ClientBodies['openSession'],
    context: CallContext,
  ): Promise<ServerBodies['sessionOpened']> {
    this.assertServing();
    this.assertLanguage();
    this.assertSize(body);
    this.sessions.assertRoom();
    const sampling = samplingFromWire(body.sampling);
    const start = body.start ? { start: stateFromWire(body.start) } : {};
    const program = this.programs.program(body.source, body.call);
    const settings = {
      id: this.sessions.newId(),
      client: context.client,
      sampling,
      maxStates: this.limits.maxStatesPerSession,
    };
    const session = await this.watched(context, (watching) =>
      DebugSession.open(this.access, program, settings, { ...start, ...watching }),
    );
    this.sessions.add(session);
    return this.opened(session);
  }

  async act(body: ClientBodies['act'], context: CallContext): Promise<WireAnswer> {
    this.assertServing();
    const session = this.find(body.session, context);
    const action = actionFromWire(body.action);
    const mode = modeFromWire(body.mode);
    const maxSteps = this.stepsOf(body.maxSteps);
    const { onStep } = context;
    const passing = onStep ? { onStep: (passed: Answer) => onStep(this.toWire(session, passed)) } : {};
    const options = { ...this.asked(body, context), ...passing, mode, maxSteps };
    const answer = await this.watched(context, (watching) =>
      session.act(action, { ...options, ...watching }),
    );
    this.answers[answer.origin] += 1;
    return this.toWire(session, answer);
  }

  async query(body: ClientBodies['query'], context: CallContext): Promise<WireQueryResult> {
    this.assertServing();
    const session = this.find(body.session, context);
    const query = queryFromWire(body);
    const maxSteps = this.stepsOf(body.maxSteps);
    const bounds = { maxRows: body.maxRows || defaultQueryRows, maxSteps, page: body.page };
    const options = this.asked(body, context);
    const result = await this.watched(context, ({ signal }) =>
      session.query(query, bounds, { ...options, signal }),
    );
    return queryResultToWire(session.settings.id, session.program, result);
  }

  async evaluate(body: ClientBodies['evaluate'], context: CallContext): Promise<WireEvaluation> {
    this.assertServing();
    const session = this.find(body.session, context);
    const { expression } = body;
    this.assertExpression(expression);
    const options = this.asked(body, context);
    const evaluation = await this.watched(context, ({ signal }) =>
      session.evaluate(expression, { ...options, signal }),
    );
    return evaluationToWire(session.settings.id, evaluation);
  }

  async candidates(body: ClientBodies['candidates'], context: CallContext): Promise<WireCandidateList> {
    this.assertServing();
    const session = this.find(body.session, context);
    const action = actionFromWire(body.action);
    const { count, check, choose } = body;
    const options = { ...this.asked(body, context), count, check, choose };
    const found = await this.watched(context, ({ signal }) =>
      session.candidates(action, { ...options, signal }),
    );
    return candidatesToWire(session.settings.id, session.program, found);
  }

  edit(body: ClientBodies['edit'], context: CallContext): WireAnswer {
    this.assertServing();
    const session = this.find(body.session, context);
    return this.toWire(session, session.edit(body.from, new Map(Object.entries(body.locals)), body.deleted));
  }

  fork(body: ClientBodies['fork'], context: CallContext): ServerBodies['sessionOpened'] {
    this.assertServing();
    const parent = this.find(body.session, context);
    const session = parent.fork(this.sessions.newId(), body.at, context.client);
    this.sessions.add(session);
    return this.opened(session);
  }

  goto(body: ClientBodies['goto'], context: CallContext): WireAnswer {
    const session = this.find(body.session, context);
    return this.toWire(session, session.goto(body.state));
  }

  describe(body: ClientBodies['describeSession'], context: CallContext): ServerBodies['sessionDescription'] {
    const session = this.find(body.session, context);
    return {
      session: session.settings.id,
      current: session.current.number,
      states: session.answers().map((answer) => this.toWire(session, answer)),
    };
  }

  close(body: ClientBodies['closeSession'], context: CallContext): ServerBodies['sessionClosed'] {
    this.sessions.close(body.session, context.isolated ? context.client : undefined);
    return { session: body.session };
  }

  rawOpen(body: ClientBodies['rawOpen'], context: CallContext): ServerBodies['rawContext'] {
    this.assertServing();
    return this.rawDoor().open(body, context);
  }

  async rawTurn(body: ClientBodies['rawTurn'], context: CallContext): Promise<WireRawAnswer> {
    this.assertServing();
    const door = this.rawDoor();
    return this.watched(context, ({ signal }) => door.turn(body, { ...context, signal }));
  }

  /** Runs a call that waits for the model; it ends when its client leaves or the service has waited long enough. */
  private async watched<Result>(
    { signal, onPart }: CallContext,
    call: (watching: { signal: AbortSignal; onPart?: (part: DecodedPart) => void }) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    this.running.add(controller);
    const follow = (): void => controller.abort();
    if (signal?.aborted) follow();
    signal?.addEventListener('abort', follow, { once: true });
    try {
      return await call({ signal: controller.signal, ...(onPart ? { onPart } : {}) });
    } finally {
      signal?.removeEventListener('abort', follow);
      this.running.delete(controller);
    }
  }

  /** What the questions to a session have in common. */
  private asked({ from, priority, fresh }: AskedBody, { client }: CallContext): AskedOptions {
    return { from, priority: priorityFromWire(priority), fresh, client };
  }

  private find(id: string, context: CallContext): DebugSession {
    return this.sessions.get(id, context.isolated ? context.client : undefined);
  }

  private opened(session: DebugSession): ServerBodies['sessionOpened'] {
    return {
      session: session.settings.id,
      start: this.toWire(session, session.current),
      executableLines: [...session.program.executableLines],
      programTokens: session.program.tokens.length,
    };
  }

  private toWire(session: DebugSession, answer: Answer): WireAnswer {
    return answerToWire(session.settings.id, session.program, answer);
  }

  private rawDoor(): RawDoor {
    if (this.raw) return this.raw;
    throw new ForetraceError('unknown_path', 'this service takes no raw token turns', {
      expected: 'a service started with --raw',
    });
  }

  /** A service for raw turns may have a model of any vocabulary. */
  private assertLanguage(): void {
    if (this.raw === null || this.raw.vocabSize === vocabularySize) return;
    throw new ForetraceError('invalid_model', 'the model does not speak the trace language', {
      expected: `a vocabulary of ${vocabularySize} tokens`,
      actual: `${this.raw.vocabSize} tokens`,
    });
  }

  private assertServing(): void {
    if (this.draining) throw new ForetraceError('draining', 'the server is shutting down');
  }

  /** @throws ForetraceError invalid_message for more steps than one request may take */
  private stepsOf(asked: number): number {
    const { maxWalkSteps } = this.limits;
    if (asked <= maxWalkSteps) return asked || Math.min(defaultMaxSteps, maxWalkSteps);
    throw new ForetraceError('invalid_message', 'max_steps is out of range', {
      expected: `at most ${maxWalkSteps}`,
      actual: String(asked),
    });
  }

  private assertExpression(expression: string): void {
    if (expression.length <= this.limits.maxExpressionLength) return;
    throw new ForetraceError('invalid_expression', 'the expression is too long', {
      expected: `at most ${this.limits.maxExpressionLength} characters`,
      actual: `${expression.length} characters`,
    });
  }

  private assertSize({ source, call }: ClientBodies['openSession']): void {
    const bytes = Buffer.byteLength(source) + Buffer.byteLength(call);
    if (bytes <= this.limits.maxSourceBytes) return;
    throw new ForetraceError('program_too_long', 'the program text is too large', {
      expected: `at most ${this.limits.maxSourceBytes} bytes`,
      actual: `${bytes} bytes`,
    });
  }
}
