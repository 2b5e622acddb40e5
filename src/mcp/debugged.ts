/** A program that an agent debugs: a session of the service, and the states of it that the agent was shown. */
import { LRUCache } from 'lru-cache';
import type { ForetraceClient } from '../client/client.js';
import { answerText } from '../view/answer.js';
import { actionToWire } from '../wire/convert.js';
import {
  type actionNumbers,
  modeNumbers,
  type WireAnswer,
  type WireCandidateList,
  type WireEvaluation,
  type WireQuery,
  type WireQueryResult,
  type WireState,
} from '../wire/messages.js';

export interface ProgramText {
  readonly source: string;
  readonly call: string;
  /** Where the session starts, if not at the call. */
  readonly start?: WireState;
}

/** How the service is asked: through one client, so many requests at once. */
export interface Asked {
  readonly client: ForetraceClient;
  readonly request: <Result>(ask: () => Promise<Result>) => Promise<Result>;
}

export interface GivenAction {
  readonly action: keyof typeof actionNumbers;
  readonly lines: readonly number[];
  readonly mode: keyof typeof modeNumbers;
  /** Most events of a walk. */
  readonly maxEvents: number;
  readonly stopAtExceptions?: boolean;
  /** Number of the state to start from; absent: where the session stands. */
  readonly from?: number | undefined;
}

/** Characters of states whose values can be left out of what is shown next; of older ones all are shown again. */
const charactersKept = 1024 * 1024;
const charactersOf = ({ state }: WireAnswer): number =>
  state.frames.reduce(
    (sum, { locals }) => locals.reduce((all, { name, value }) => all + name.length + value.length, sum),
    256,
  );

/** In place of the number of a state: where the session stands, from which only one action may run at a time. */
const cursor = 0;

export class Debugged {
  private readonly shown = new LRUCache<number, WireAnswer>({
    maxSize: charactersKept,
    sizeCalculation: charactersOf,
  });

  private constructor(
    private readonly asked: Asked,
    private readonly session: string,
    private current: WireAnswer,
    /** Lines that hold code. */
    readonly executable: readonly number[],
  ) {}

  /** @throws ForetraceError invalid_python, invalid_entry, .. */
  static async open(asked: Asked, program: ProgramText, signal: AbortSignal): Promise<Debugged> {
    const { client, request } = asked;
    const { session, start, executableLines } = await request(() => client.open(program, { signal }));
    return new Debugged(asked, session, start, executableLines);
  }

  /** Goes to the state an action reaches. @throws ForetraceError past_end, past_start, invalid_breakpoint, .. */
  async act(given: GivenAction, signal: AbortSignal): Promise<WireAnswer> {
    const { action, lines, mode, maxEvents, stopAtExceptions = false, from = cursor } = given;
    const asked = actionToWire({ kind: action, lines });
    const how = {
      mode: modeNumbers[mode],
      maxSteps: maxEvents,
      ...(stopAtExceptions ? { stopAtExceptions } : {}),
    };
    const body = { session: this.session, from, action: asked, ...how };
    this.current = await this.ask((client) => client.act(body, { signal }));
    return this.current;
  }

  /** The value of an expression in a state. */
  evaluate(expression: string, from: number | undefined, signal: AbortSignal): Promise<WireEvaluation> {
    const body = { session: this.session, from: from ?? cursor, expression };
    return this.ask((client) => client.evaluate(body, { signal }));
  }

  /** A page of what a run from a state shows. */
  query(about: Partial<WireQuery>, from: number | undefined, signal: AbortSignal): Promise<WireQueryResult> {
    const body = { ...about, session: this.session, from: from ?? cursor };
    return this.ask((client) => client.query(body, { signal }));
  }

  /** Several states that an action may reach; the session stays where it is. */
  candidates(
    { action, lines, from }: Omit<GivenAction, 'mode' | 'maxEvents'>,
    count: number,
    signal: AbortSignal,
  ): Promise<WireCandidateList> {
    const asked = actionToWire({ kind: action, lines });
    const check = action.startsWith('inv_');
    const body = { session: this.session, from: from ?? cursor, action: asked, count, check };
    return this.ask((client) => client.candidates(body, { signal }));
  }

  /** Goes to a state with other locals. @throws ForetraceError invalid_state */
  async setLocals(
    locals: Readonly<Record<string, string>>,
    deleted: readonly string[],
    from: number | undefined,
  ): Promise<WireAnswer> {
    const body = {
      session: this.session,
      from: from ?? cursor,
      locals: { ...locals },
      deleted: [...deleted],
    };
    this.current = await this.ask((client) => client.edit(body));
    return this.current;
  }

  /** Goes to a visited state. @throws ForetraceError unknown_state */
  async goTo(state: number): Promise<WireAnswer> {
    this.current = await this.ask((client) => client.goto({ session: this.session, state }));
    return this.current;
  }

  /** Where it stands. */
  get standing(): WireAnswer {
    return this.current;
  }

  /** A state as the agent was shown it. */
  known(state: number): WireAnswer | undefined {
    return this.shown.get(state);
  }

  /** A state as text: of the same frame as in a state shown before, only what has changed since. */
  show(answer: WireAnswer, since?: number): string {
    const before = since === undefined ? undefined : this.known(since);
    this.shown.set(answer.number, answer);
    return answerText(answer, before);
  }

  /** Gives the session back. A connection that is gone has nothing to close. */
  async close(): Promise<void> {
    await this.ask((client) => client.closeSession(this.session)).catch(() => undefined);
  }

  private ask<Result>(request: (client: ForetraceClient) => Promise<Result>): Promise<Result> {
    return this.asked.request(() => request(this.asked.client));
  }
}
