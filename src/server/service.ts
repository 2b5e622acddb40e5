/**
 * The calls of the protocol, free of sockets: WebSocket and HTTP both end here. A call takes a decoded message body
 * and gives a message body back, or throws a ForetraceError and leaves everything as it was.
 */
import type { DecodedPart } from '../debugger/language/decode.js';
import { ForetraceError } from '../errors.js';
import type { ModelAccess } from '../session/ask-model.js';
import { type Answer, DebugSession } from '../session/debug-session.js';
import { ProgramLibrary } from '../session/program-library.js';
import { SessionStore } from '../session/session-store.js';
import {
  actionFromWire,
  answerToWire,
  priorityFromWire,
  samplingFromWire,
  stateFromWire,
} from '../wire/convert.js';
import type { ClientBodies, ServerBodies, WireAnswer } from '../wire/messages.js';
import type { ServiceLimits } from './limits.js';
import { RateLimiter } from './rate.js';

/** Who calls, and how the call is watched. */
export interface CallContext {
  /** Fairness account and, where API keys are in use, owner of sessions. */
  readonly client: string;
  /** True if sessions of other clients must stay invisible. */
  readonly isolated: boolean;
  readonly signal?: AbortSignal;
  readonly onPart?: (part: DecodedPart) => void;
}

export class DebugService {
  readonly sessions: SessionStore;
  readonly rate: RateLimiter;
  private readonly access: ModelAccess;
  private readonly limits: ServiceLimits;
  private readonly programs: ProgramLibrary;
  private readonly running = new Set<AbortController>();
  private draining = false;

  constructor(access: ModelAccess, limits: ServiceLimits) {
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
    const priority = priorityFromWire(body.priority);
    const answer = await this.watched(context, (watching) =>
      session.act(action, {
        from: body.from,
        priority,
        fresh: body.fresh,
        client: context.client,
        ...watching,
      }),
    );
    return this.toWire(session, answer);
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

  private assertServing(): void {
    if (this.draining) throw new ForetraceError('draining', 'the server is shutting down');
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
