/** An agent that debugs: opens sessions over the programs of a workload and asks what its mix of actions says. */

import { ForetraceClient } from '../../client/client.js';
import { isReverse, takesLines } from '../../debugger/action.js';
import { actionNumbers, modeNumbers, originNumbers, type WireAnswer } from '../../wire/messages.js';
import type { Agent, TurnOutcome } from './driver.js';
import { Random } from './random.js';
import type { Workload, WorkloadTurn } from './workload.js';

export interface DebugAgentOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly workload: Workload;
  readonly seed: number;
  /** Turns after which the agent asks the same questions again, in the same order. */
  readonly cycle: number;
  /** Ask for computed answers, never for stored ones. */
  readonly fresh: boolean;
  /** Told how long it took to open a session. */
  readonly onOpen: (millis: number) => void;
}

const originNames = new Map<number, string>(
  Object.entries(originNumbers).map(([name, number]) => [number, name]),
);

interface Session {
  readonly id: string;
  readonly executableLines: readonly number[];
  /** Where the agent stands. */
  number: number;
  atEnd: boolean;
  atStart: boolean;
  turns: number;
}

export class DebugAgent implements Agent {
  private random: Random;
  private session: Session | null = null;
  private opened = 0;
  private asked = 0;

  private constructor(
    private readonly client: ForetraceClient,
    private readonly index: number,
    private readonly options: DebugAgentOptions,
  ) {
    this.random = new Random(options.seed, index);
  }

  static async connect(index: number, options: DebugAgentOptions): Promise<DebugAgent> {
    const { url, apiKey } = options;
    const client = await ForetraceClient.connect(url, {
      name: `agent ${index}`,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    return new DebugAgent(client, index, options);
  }

  async begin(): Promise<void> {
    await this.leave();
    this.random = new Random(this.options.seed, this.index);
    this.opened = 0;
    this.asked = 0;
    this.session = await this.open();
  }

  async turn(): Promise<TurnOutcome> {
    if (this.asked === this.options.cycle) await this.begin();
    const session = await this.currentSession();
    this.asked += 1;
    const turn = this.choose(session);
    session.turns += 1;
    return turn.action === 'evaluate' ? this.evaluate(session, turn) : this.act(session, turn);
  }

  async recover(): Promise<void> {
    await this.leave().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.leave();
    await this.client.close();
  }

  private async currentSession(): Promise<Session> {
    if (this.session && this.session.turns < this.options.workload.turnsPerSession) return this.session;
    await this.leave();
    this.session = await this.open();
    return this.session;
  }

  /** The agents begin with one program each, in order, so that few of them too meet all programs; then they draw. */
  private async open(): Promise<Session> {
    const { programs } = this.options.workload;
    const first = programs[this.index % programs.length];
    const program = this.opened === 0 && first ? first : this.random.weighted(programs);
    this.opened += 1;
    const began = performance.now();
    const { session, executableLines, start } = await this.client.open(program);
    this.options.onOpen(performance.now() - began);
    const { number, atEnd, atStart } = start;
    return { id: session, executableLines, number, atEnd, atStart, turns: 0 };
  }

  private async leave(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (session) await this.client.closeSession(session.id);
  }

  /** A step back from the start has no answer: something else is drawn. At the end the agent goes on from the start. */
  private choose(session: Session): WorkloadTurn {
    const { turns } = this.options.workload;
    for (;;) {
      const turn = this.random.weighted(turns);
      const isBack = turn.action !== 'evaluate' && isReverse(turn.action);
      if (!isBack || !session.atStart) return turn;
    }
  }

  private async act(session: Session, { action, mode, lines }: WorkloadTurn): Promise<TurnOutcome> {
    const kind = action as Exclude<WorkloadTurn['action'], 'evaluate'>;
    const from = session.atEnd && !isReverse(kind) ? 1 : session.number;
    const stops = takesLines(kind)
      ? [this.random.pick(lines.length > 0 ? lines : session.executableLines)]
      : [];
    const askedAt = performance.now();
    let firstAt = 0;
    const onFirst = (): void => {
      if (firstAt === 0) firstAt = performance.now();
    };
    const answer = await this.client.act(
      {
        session: session.id,
        from,
        action: { kind: actionNumbers[kind], lines: stops },
        mode: modeNumbers[mode],
        fresh: this.options.fresh,
      },
      { onPart: onFirst, onStep: onFirst },
    );
    onFirst();
    this.moveTo(session, answer);
    return { kind, origin: originNames.get(answer.origin) ?? 'unknown', askedAt, firstAt };
  }

  private moveTo(session: Session, { number, atEnd, atStart }: WireAnswer): void {
    session.number = number;
    session.atEnd = atEnd;
    session.atStart = atStart;
  }

  private async evaluate(session: Session, { expressions }: WorkloadTurn): Promise<TurnOutcome> {
    const expression = this.random.pick(expressions);
    const askedAt = performance.now();
    const { origin } = await this.client.evaluate({
      session: session.id,
      from: session.number,
      expression,
      fresh: this.options.fresh,
    });
    const firstAt = performance.now();
    return { kind: 'evaluate', origin: originNames.get(origin) ?? 'unknown', askedAt, firstAt };
  }
}
