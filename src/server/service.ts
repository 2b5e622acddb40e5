/**
 * The calls of the protocol, free of sockets: WebSocket and HTTP both end here. A call takes a decoded message body
 * and gives a message body back, or throws a ForetraceError and leaves everything as it was.
 */
import type { DecodedPart } from '../debugger/language/decoded.js';
import { vocabularySize } from '../debugger/language/tokens.js';
import { ForetraceError } from '../errors.js';
import type { ModelAccess } from '../session/ask-model.js';
import { type Answer, type AnswerOrigin, type AskedOptions, DebugSession } from '../session/debug-session.js';
import { ProgramLibrary } from '../session/program-library.js';
import { defaultQueryRows } from '../session/query.js';
import { checkKey, RetryLedger } from '../session/retries.js';
import { SessionStore } from '../session/session-store.js';
import { answerBytes } from '../session/visited-states.js';
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
import { pageOf } from './describe.js';
import type { ServiceLimits } from './limits.js';
import { RateLimiter } from './rate.js';
import { type RawAccess, RawDoor } from './raw.js';
import { assertExpression, assertSize, stepsOf } from './request-checks.js';
import { RunningCalls } from './running-calls.js';

/** Who calls, and how the call is watched. */
export interface CallContext {
  /** Fairness account and, where API keys are in use, owner of sessions. */
  readonly client: string;
  /** True if sessions of other clients must stay invisible. */
  readonly isolated: boolean;
  /** Idempotency key: the request may have been sent before; empty or absent: it was not. */
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Ends the call; `signal` is then its own. */
  readonly controller?: AbortController;
  readonly onPart?: (part: DecodedPart) => void;
  /** Shown each state that a walk passes. */
  readonly onStep?: (passed: WireAnswer) => void;
  /** Shown the tokens of a raw turn as they come. */
  readonly onTokens?: (tokens: Int32Array) => void;
}

type AskedBody = Pick<ClientBodies['act'], 'from' | 'priority' | 'fresh' | 'deadlineMillis'>;

/** When an answer is of no use any more, on the clock of `performance.now`; 0 milliseconds = never. */
const deadlineOf = ({ deadlineMillis }: Pick<AskedBody, 'deadlineMillis'>): { deadline?: number } =>
  deadlineMillis === 0 ? {} : { deadline: performance.now() + deadlineMillis };

const bytesOf = (rows: readonly { readonly answer: Answer }[]): number =>
  rows.reduce((sum, { answer }) => sum + answerBytes(answer), 0);

export class DebugService {
  readonly sessions: SessionStore;
  readonly rate: RateLimiter;
  private readonly access: ModelAccess;
  private readonly limits: ServiceLimits;
  private readonly programs: ProgramLibrary;
  private readonly calls: RunningCalls;
  private readonly raw: RawDoor | null;
  /** Requests outside a session that may be sent again: what opened or closed one. */
  private readonly openings = new RetryLedger({ maxEntries: 4096, maxWeight: 4096 });
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
    this.calls = new RunningCalls(this.rate);
    this.sessions = new SessionStore({
      maxSessions: limits.maxSessions,
      idleMillis: limits.sessionIdleMillis,
      maxBytes: limits.maxSessionBytes,
      graceMillis: limits.sessionGraceMillis,
    });
  }

  /** Calls that wait for the model. */
  get runningCalls(): number {
    return this.calls.size;
  }

  /** From now on nothing new is begun; running calls finish. */
  drain(): void {
    this.draining = true;
  }

  /** Ends all running calls with `cancelled`. */
  cancelAll(): void {
    this.calls.cancelAll();
  }

  async open(
    body: ClientBodies['openSession'],
    context: CallContext,
  ): Promise<ServerBodies['sessionOpened']> {
    this.assertServing();
    this.assertLanguage();
    assertSize(body, this.limits);
    const deadline = deadlineOf(body);
    return this.opening(['open', body], context, async () => {
      this.sessions.assertRoom();
      const sampling = samplingFromWire(body.sampling);
      const start = body.start ? { start: stateFromWire(body.start) } : {};
      const program = this.programs.program(body.source, body.call);
      const settings = {
        id: this.sessions.newId(),
        client: context.client,
        sampling,
        maxStates: this.limits.maxStatesPerSession,
        maxBytes: this.limits.maxBytesPerSession,
      };
      return this.calls.watch(context, (watching) =>
        DebugSession.open(this.access, program, settings, { ...start, ...deadline, ...watching }),
      );
    });
  }

  async act(body: ClientBodies['act'], context: CallContext): Promise<WireAnswer> {
    this.assertServing();
    const session = this.find(body.session, context);
    const action = actionFromWire(body.action);
    const mode = modeFromWire(body.mode);
    const maxSteps = stepsOf(body.maxSteps, this.limits);
    const { onStep } = context;
    const passing = onStep ? { onStep: (passed: Answer) => onStep(this.toWire(session, passed)) } : {};
    const { stopAtExceptions } = body;
    const options = { ...this.asked(body, context), ...passing, mode, maxSteps, stopAtExceptions };
    const run = () =>
      this.working(session, context, (watching) => session.act(action, { ...options, ...watching }));
    const answer = await this.once(session, ['act', body], context, run, answerBytes);
    this.answers[answer.origin] += 1;
    return this.toWire(session, answer);
  }

  async query(body: ClientBodies['query'], context: CallContext): Promise<WireQueryResult> {
    this.assertServing();
    const session = this.find(body.session, context);
    const query = queryFromWire(body);
    const maxSteps = stepsOf(body.maxSteps, this.limits);
    const bounds = { maxRows: body.maxRows || defaultQueryRows, maxSteps, page: body.page };
    const options = this.asked(body, context);
    const run = () =>
      this.working(session, context, ({ onPart: _, ...watching }) =>
        session.query(query, bounds, { ...options, ...watching }),
      );
    const result = await this.once(session, ['query', body], context, run, ({ rows }) => bytesOf(rows));
    return queryResultToWire(session.settings.id, session.program, result);
  }

  async evaluate(body: ClientBodies['evaluate'], context: CallContext): Promise<WireEvaluation> {
    this.assertServing();
    const session = this.find(body.session, context);
    const { expression } = body;
    assertExpression(expression, this.limits);
    const options = this.asked(body, context);
    const evaluation = await this.working(session, context, ({ onPart: _, ...watching }) =>
      session.evaluate(expression, { ...options, ...watching }),
    );
    return evaluationToWire(session.settings.id, evaluation);
  }

  async candidates(body: ClientBodies['candidates'], context: CallContext): Promise<WireCandidateList> {
    this.assertServing();
    const session = this.find(body.session, context);
    const action = actionFromWire(body.action);
    const { count, check, choose } = body;
    const options = { ...this.asked(body, context), count, check, choose };
    const run = () =>
      this.working(session, context, ({ onPart: _, ...watching }) =>
        session.candidates(action, { ...options, ...watching }),
      );
    const found = await this.once(session, ['candidates', body], context, run, ({ candidates }) =>
      bytesOf(candidates),
    );
    return candidatesToWire(session.settings.id, session.program, found);
  }

  async edit(body: ClientBodies['edit'], context: CallContext): Promise<WireAnswer> {
    this.assertServing();
    const session = this.find(body.session, context);
    const run = () => session.edit(body.from, new Map(Object.entries(body.locals)), body.deleted);
    const answer = await this.once(session, ['edit', body], context, run, answerBytes);
    this.sessions.measure(session);
    return this.toWire(session, answer);
  }

  async fork(body: ClientBodies['fork'], context: CallContext): Promise<ServerBodies['sessionOpened']> {
    this.assertServing();
    const parent = this.find(body.session, context);
    return this.opening(['fork', body], context, () =>
      parent.fork(this.sessions.newId(), body.at, context.client),
    );
  }

  async goto(body: ClientBodies['goto'], context: CallContext): Promise<WireAnswer> {
    const session = this.find(body.session, context);
    const answer = await this.once(
      session,
      ['goto', body],
      context,
      () => session.goto(body.state),
      answerBytes,
    );
    return this.toWire(session, answer);
  }

  describe(body: ClientBodies['describeSession'], context: CallContext): ServerBodies['sessionDescription'] {
    const session = this.find(body.session, context);
    const { program, settings } = session;
    const { states, truncated } = pageOf(session.answers(), body.after, body.maxStates);
    return {
      session: settings.id,
      current: session.current.number,
      states: states.map((answer) => this.toWire(session, answer)),
      truncated,
      source: program.whole,
      call: program.call,
      executableLines: [...program.executableLines],
      programTokens: program.tokens.length,
    };
  }

  async close(
    body: ClientBodies['closeSession'],
    context: CallContext,
  ): Promise<ServerBodies['sessionClosed']> {
    const owner = context.isolated ? context.client : undefined;
    const run = () => this.sessions.close(body.session, owner);
    await this.openings.once({ key: this.keyOf(context), question: ['close', body], run });
    return { session: body.session };
  }

  rawOpen(body: ClientBodies['rawOpen'], context: CallContext): ServerBodies['rawContext'] {
    this.assertServing();
    return this.rawDoor().open(body, context);
  }

  async rawTurn(body: ClientBodies['rawTurn'], context: CallContext): Promise<WireRawAnswer> {
    this.assertServing();
    const door = this.rawDoor();
    return this.calls.watch(context, ({ signal }) => door.turn(body, { ...context, signal }));
  }

  /** Runs a call on a session that waits for the model. */
  private working<Result>(
    session: DebugSession,
    context: CallContext,
    call: Parameters<typeof this.calls.watch<Result>>[1],
  ): Promise<Result> {
    return this.sessions.use(session, () => this.calls.watch(context, call));
  }

  /** Runs what changes a session, once however often its connection is lost. */
  private once<Result>(
    session: DebugSession,
    question: unknown,
    { key = '' }: CallContext,
    run: () => Promise<Result> | Result,
    weigh: (result: Result) => number,
  ): Promise<Result> | Result {
    checkKey(key);
    return session.retries.once({ key, question, run, weigh });
  }

  /** The key of a request outside a session; each account has keys of its own. */
  private keyOf({ key = '', isolated, client }: CallContext): string {
    checkKey(key);
    return key === '' || !isolated ? key : `${client} ${key}`;
  }

  /** Opens a session, once however often its connection is lost; one that has expired since is opened anew. */
  private async opening(
    question: unknown,
    context: CallContext,
    make: () => Promise<DebugSession> | DebugSession,
  ): Promise<ServerBodies['sessionOpened']> {
    const key = this.keyOf(context);
    const run = async (): Promise<string> => {
      const session = await make();
      this.sessions.add(session);
      return session.settings.id;
    };
    let id = await this.openings.once({ key, question, run });
    if (!this.sessions.has(id)) {
      this.openings.forget(key);
      id = await this.openings.once({ key, question, run });
    }
    return this.opened(this.sessions.get(id));
  }

  /** What the questions to a session have in common. */
  private asked(body: AskedBody, { client }: CallContext): AskedOptions {
    const { from, priority, fresh } = body;
    return { from, priority: priorityFromWire(priority), fresh, client, ...deadlineOf(body) };
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
    if (this.raw === null || this.access.dialect || this.raw.vocabSize === vocabularySize) return;
    throw new ForetraceError('invalid_model', 'the model does not speak the trace language', {
      expected: `a vocabulary of ${vocabularySize} tokens`,
      actual: `${this.raw.vocabSize} tokens`,
    });
  }

  private assertServing(): void {
    if (this.draining) throw new ForetraceError('draining', 'the server is shutting down');
  }
}
