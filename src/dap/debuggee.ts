/** The program that an adapter debugs: a session of the service, where it stands, and what runs. */
import type { ForetraceClient } from '../client/client.js';
import { Interruptible } from '../client/interruptible.js';
import { ForetraceError } from '../errors.js';
import { actionToWire } from '../wire/convert.js';
import { isGiven } from '../wire/given.js';
import { type actionNumbers, modeNumbers, type WireAnswer } from '../wire/messages.js';
import { readStart } from '../wire/start-state.js';
import type { LaunchArguments } from './launch.js';
import { Raised } from './raised.js';
import { currentFrameId } from './stack.js';

export type ActionName = keyof typeof actionNumbers;

export class Debuggee {
  private readonly requests = new Interruptible();

  private constructor(
    private readonly client: ForetraceClient,
    readonly launch: LaunchArguments,
    private session: string,
    private answer: WireAnswer,
    /** Lines that hold code, ascending. */
    readonly executable: readonly number[],
  ) {}

  /** @throws ForetraceError invalid_state for a start that cannot be read, and what opening a session throws */
  static async open(client: ForetraceClient, launch: LaunchArguments, source: string): Promise<Debuggee> {
    const from = launch.start ? { start: readStart(JSON.stringify(launch.start)) } : {};
    const { session, start, executableLines } = await client.open({ source, call: launch.call, ...from });
    return new Debuggee(
      client,
      launch,
      session,
      start,
      [...executableLines].sort((a, b) => a - b),
    );
  }

  /** Where it stands. */
  get current(): WireAnswer {
    return this.answer;
  }

  /**
   * Goes on to the state an action reaches, or to an exception that is raised before, where an action forward is to stop at these.
   * @throws ForetraceError cancelled (by `interrupt`), past_end, past_start, busy, ..
   */
  act(kind: ActionName, lines: readonly number[] = [], stopAtExceptions = false): Promise<WireAnswer> {
    return this.requests.run(async (signal) => {
      const action = actionToWire({ kind, lines });
      const stops = stopAtExceptions && !kind.startsWith('inv_') ? { stopAtExceptions } : {};
      const how = { mode: modeNumbers[this.launch.mode], ...stops };
      this.answer = await this.client.act({ session: this.session, action, ...how }, { signal });
      return this.answer;
    });
  }

  /** The `repr` of an expression in the current state. @throws Raised; ForetraceError cancelled (by `interrupt`), invalid_expression, .. */
  evaluate(expression: string): Promise<string> {
    return this.requests.run(async (signal) => {
      const { value, exception } = await this.client.evaluate(
        { session: this.session, expression },
        { signal },
      );
      if (!isGiven(value)) throw new Raised(exception || 'an exception');
      return value;
    });
  }

  /**
   * The `repr` of an expression in a frame, and Python for it in the current one. Anything can be asked of the current frame (the default),
   * of the others only their locals.
   * @param frameId as stack.ts numbers them
   * @throws Raised; ForetraceError invalid_expression, ..
   */
  async valueIn(
    frameId: number | undefined,
    expression: string,
  ): Promise<{ value: string; expression?: string }> {
    const current = currentFrameId(this.answer);
    const frame = this.answer.state.frames[(frameId ?? current) - 1];
    const isCurrent = frameId === undefined || frameId === current;
    const local = frame?.locals.find(({ name }) => name === expression.trim());
    if (isCurrent) return { value: local?.value ?? (await this.evaluate(expression)), expression };
    if (local) return { value: local.value };
    throw new ForetraceError('invalid_expression', 'of outer frames only locals can be looked at', {
      expected: 'the name of a local',
      actual: expression,
    });
  }

  /** A state in which a local of the current frame has another value. */
  async assign(name: string, value: string): Promise<WireAnswer> {
    this.answer = await this.client.edit({ session: this.session, locals: { [name]: value } });
    return this.answer;
  }

  /** Stops what runs; it fails with `cancelled`. */
  interrupt(): void {
    this.requests.interrupt();
  }

  /** Gives the session back. A connection that is gone has nothing to close. */
  async close(): Promise<void> {
    this.interrupt();
    await this.client.closeSession(this.session).catch(() => undefined);
  }
}
