/** A program that an agent debugs: a session of the service, and the states of it that the agent was shown. */
import { LRUCache } from 'lru-cache';
import type { ForetraceClient } from '../client/client.js';
import { answerText } from '../view/answer.js';
import {
  actionNumbers,
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

export interface GivenAction {
  readonly action: keyof typeof actionNumbers;
  readonly lines: readonly number[];
  readonly mode: keyof typeof modeNumbers;
  /** Number of the state to start from; absent: where the session stands. */
  readonly from?: number | undefined;
}

/** States whose values can be left out of what is shown next; of older ones all are shown again. */
const statesKept = 256;

/** In place of the number of a state: where the session stands, from which only one action may run at a time. */
const cursor = 0;

export class Debugged {
  private readonly shown = new LRUCache<number, WireAnswer>({ max: statesKept });

  private constructor(
    private readonly client: ForetraceClient,
    private readonly session: string,
    private current: WireAnswer,
    /** Lines that hold code. */
    readonly executable: readonly number[],
  ) {}

  /** @throws ForetraceError invalid_python, invalid_entry, .. */
  static async open(client: ForetraceClient, program: ProgramText, signal: AbortSignal): Promise<Debugged> {
    const { session, start, executableLines } = await client.open(program, { signal });
    return new Debugged(client, session, start, executableLines);
  }

  /** Goes to the state an action reaches. @throws ForetraceError past_end, past_start, invalid_breakpoint, .. */
  async act({ action, lines, mode, from }: GivenAction, signal: AbortSignal): Promise<WireAnswer> {
    const asked = { kind: actionNumbers[action], lines: [...lines] };
    const body = { session: this.session, from: from ?? cursor, action: asked, mode: modeNumbers[mode] };
    this.current = await this.client.act(body, { signal });
    return this.current;
  }

  /** The value of an expression in a state. */
  evaluate(expression: string, from: number | undefined, signal: AbortSignal): Promise<WireEvaluation> {
    return this.client.evaluate({ session: this.session, from: from ?? cursor, expression }, { signal });
  }

  /** A page of what a run from a state shows. */
  query(about: Partial<WireQuery>, from: number | undefined, signal: AbortSignal): Promise<WireQueryResult> {
    return this.client.query({ ...about, session: this.session, from: from ?? cursor }, { signal });
  }

  /** Several states that an action may reach; the session stays where it is. */
  candidates(
    { action, lines, from }: Omit<GivenAction, 'mode'>,
    count: number,
    signal: AbortSignal,
  ): Promise<WireCandidateList> {
    const asked = { kind: actionNumbers[action], lines: [...lines] };
    const check = action.startsWith('inv_');
    const body = { session: this.session, from: from ?? cursor, action: asked, count, check };
    return this.client.candidates(body, { signal });
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
    this.current = await this.client.edit(body);
    return this.current;
  }

  /** Goes to a visited state. @throws ForetraceError unknown_state */
  async goTo(state: number): Promise<WireAnswer> {
    this.current = await this.client.goto({ session: this.session, state });
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
    await this.client.closeSession(this.session).catch(() => undefined);
  }
}
