/**
 * The calls of the protocol, free of sockets: WebSocket and HTTP both end here. A call takes a decoded message body
 * and gives a message body back, or throws a ForetraceError and leaves everything as it was.
 */
import type { DecodedPart } from '../debugger/language/decode.js';
import { parseProgram } from '../debugger/program.js';
import { ForetraceError } from '../errors.js';
import type { ModelAccess } from '../session/ask-model.js';
import { type Answer, DebugSession } from '../session/debug-session.js';
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
  private readonly access: ModelAccess;
  private readonly limits: ServiceLimits;
  private draining = false;

  constructor(access: ModelAccess, limits: ServiceLimits) {
    this.access = access;
    this.limits = limits;
    this.sessions = new SessionStore({ maxSessions: limits.maxSessions, idleMillis: limits.sessionIdleMillis });
  }

  /** From now on nothing new is begun; running calls finish. */
  drain(): void {
    this.draining = true;
  }

  async open(body: ClientBodies['openSession'], context: CallContext): Promise<ServerBodies['sessionOpened']> {
    this.assertServing();
    const bytes = Buffer.byteLength(body.source) + Buffer.byteLength(body.call);
    if (bytes > this.limits.maxSourceBytes) {
      throw new ForetraceError('program_too_long', 'the program text is too large', {
        expected: `at most ${this.limits.maxSourceBytes} bytes`,
        actual: `${bytes} bytes`,
      });
    }
    this.sessions.assertRoom();
    const program = parseProgram(body.source, body.call);
    const settings = {
      id: this.sessions.newId(),
      client: context.client,
      sampling: samplingFromWire(body.sampling),
      maxStates: this.limits.maxStatesPerSession,
    };
    const start = body.start ? { start: stateFromWire(body.start) } : {};
    const session = await DebugSession.open(this.access, program, settings, { ...start, ...watching(context) });
    this.sessions.add(session);
    return {
      session: settings.id,
      start: this.toWire(session, session.current),
      executableLines: [...program.executableLines],
      programTokens: program.tokens.length,
    };
  }

  async act(body: ClientBodies['act'], context: CallContext): Promise<WireAnswer> {
    this.assertServing();
    const session = this.find(body.session, context);
    const answer = await session.act(actionFromWire(body.action), {
      from: body.from,
      priority: priorityFromWire(body.priority),
      fresh: body.fresh,
      ...watching(context),
    });
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
    const session = parent.fork(this.sessions.newId(), body.at);
    this.sessions.add(session);
    return {
      session: session.settings.id,
      start: this.toWire(session, session.current),
      executableLines: [...session.program.executableLines],
      programTokens: session.program.tokens.length,
    };
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

  private find(id: string, context: CallContext): DebugSession {
    return this.sessions.get(id, context.isolated ? context.client : undefined);
  }

  private toWire(session: DebugSession, answer: Answer): WireAnswer {
    return answerToWire(session.settings.id, session.program, answer);
  }

  private assertServing(): void {
    if (this.draining) throw new ForetraceError('draining', 'the server is shutting down');
  }
}

const watching = ({ signal, onPart }: CallContext) => ({ ...(signal ? { signal } : {}), ...(onPart ? { onPart } : {}) });
