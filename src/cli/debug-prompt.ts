/** The debug prompt: commands in, states out, over a client of the service. */
import { createInterface, type Interface } from 'node:readline/promises';
import type { ForetraceClient } from '../client/client.js';
import { Interruptible } from '../client/interruptible.js';
import { isReverse } from '../debugger/action.js';
import { asForetraceError, errorText, ForetraceError } from '../errors.js';
import { defaultMode, type Mode } from '../session/navigate.js';
import {
  answerFields,
  answerJson,
  answerText,
  listText,
  localsText,
  localText,
  printable,
  whereText,
} from '../view/answer.js';
import { candidateJson, candidatesText } from '../view/candidates.js';
import { evaluationJson, evaluationText } from '../view/evaluation.js';
import { queryJson, queryText } from '../view/query.js';
import { actionToWire } from '../wire/convert.js';
import { modeNumbers, type WireAnswer, type WireQuery, type WireState } from '../wire/messages.js';
import { type DebugCommand, helpText, parseCommand, splitScript } from './debug-script.js';

export interface PromptOptions {
  readonly source: string;
  readonly call: string;
  /** Where the session starts, if not at the call. */
  readonly start?: WireState;
  /** One JSON object a state or a value and nothing else. */
  readonly json: boolean;
}

/** Output of the prompt, a line at a time. */
export type PrintLine = (text: string) => void;

/** Events that a query of the prompt follows: as many as a session keeps states. */
const mostQueryEvents = 4096;

const endless = (events: number): ForetraceError =>
  new ForetraceError('walk_too_long', 'the query has come to no end, and stops here', {
    expected: `an end within ${mostQueryEvents} events`,
    actual: `none after ${events}`,
  });

export class DebugPrompt {
  private readonly lines: readonly string[];
  private readonly answers = new Map<number, WireAnswer>();
  /** Sessions to give back in the end: the first and its forks. */
  private readonly opened: string[];
  private lastAction: DebugCommand | null = null;
  private mode: Mode = defaultMode;
  private stopsAtExceptions = false;
  private readonly requests = new Interruptible();
  /** Set when a key has ended the session. */
  private isEnding = false;

  private constructor(
    private readonly client: ForetraceClient,
    private readonly options: PromptOptions,
    private readonly print: PrintLine,
    private session: string,
    private current: WireAnswer,
    private readonly executable: ReadonlySet<number>,
  ) {
    this.opened = [session];
    this.lines = options.source.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/);
    this.show(current);
  }

  /** Opens a session and shows its first state. */
  static async open(
    client: ForetraceClient,
    options: PromptOptions,
    print: PrintLine = console.log,
  ): Promise<DebugPrompt> {
    const { session, start, executableLines } = await client.open({
      source: options.source,
      call: options.call,
      ...(options.start ? { start: options.start } : {}),
    });
    return new DebugPrompt(client, options, print, session, start, new Set(executableLines));
  }

  /** Runs commands separated by semicolons; an error is shown, sets the exit code to 1 and ends the script. */
  async runScript(script: string): Promise<void> {
    for (const text of splitScript(script)) {
      const outcome = await this.run(text);
      if (outcome === 'failed') process.exitCode = 1;
      if (outcome !== 'done') return;
    }
  }

  /** Reads commands from standard input until `quit`, its end, or a key that ends the session. */
  async interact(): Promise<void> {
    const shown = process.stdin.isTTY && !this.options.json;
    const terminal = createInterface(
      shown ? { input: process.stdin, output: process.stdout } : { input: process.stdin },
    );
    const interrupt = (): void => this.interrupt(terminal);
    terminal.on('SIGINT', interrupt);
    if (!shown) process.on('SIGINT', interrupt);
    let isClosed = false;
    terminal.once('close', () => {
      isClosed = true;
      // The end of a file leaves its commands to be run; whoever presses Ctrl-D wants no more of them.
      if (process.stdin.isTTY) this.end();
    });
    terminal.setPrompt(shown ? '(foretrace) ' : '');
    terminal.prompt();
    for await (const text of terminal) {
      if (this.isEnding || (await this.run(text)) === 'quit' || this.isEnding) break;
      // A prompt on a closed terminal would read from it again, and keep the process alive.
      if (!isClosed) terminal.prompt();
    }
    terminal.close();
    process.stdin.pause();
    process.off('SIGINT', interrupt);
  }

  /** Gives the sessions of this prompt back to the service. A connection that is gone has nothing to close. */
  async close(): Promise<void> {
    await Promise.allSettled(this.opened.map((session) => this.client.closeSession(session)));
  }

  /** Ctrl-C: stops the running request; at the prompt it ends the session, as Ctrl-D does. */
  private interrupt(terminal: Interface): void {
    if (this.requests.interrupt()) return;
    this.end();
    terminal.close();
  }

  /** No further command, also none that has been typed already; what runs is stopped. */
  private end(): void {
    this.isEnding = true;
    this.requests.interrupt();
  }

  /** Runs one command and shows what it gives; an empty one repeats the last action. */
  private async run(text: string): Promise<'done' | 'failed' | 'quit'> {
    try {
      const command = text.trim() === '' ? this.lastAction : parseCommand(text);
      if (command === null) return 'done';
      if (command.kind === 'quit') return 'quit';
      if (command.kind === 'act') this.lastAction = command;
      await this.execute(command);
      return 'done';
    } catch (thrown) {
      this.showError(text, asForetraceError(thrown));
      return 'failed';
    }
  }

  private async execute(command: DebugCommand): Promise<void> {
    const { client, session } = this;
    switch (command.kind) {
      case 'act':
        return this.act(command);
      case 'set':
        return this.move(await client.edit({ session, locals: { [command.name]: command.value } }));
      case 'goto':
        return this.move(await client.goto({ session, state: command.state }));
      case 'back':
        return this.back();
      case 'fork':
        return this.fork();
      case 'evaluate':
        return this.evaluate(command.expression);
      case 'mode':
        this.mode = command.mode;
        return this.say(`mode ${command.mode}`);
      case 'exceptions':
        this.stopsAtExceptions = command.stop;
        return this.say(
          `actions forward ${command.stop ? 'stop' : 'do not stop'} where an exception is raised`,
        );
      case 'query':
        return this.query(command);
      case 'candidates':
        return this.candidates(command);
      case 'where':
        return this.say(whereText(this.current, this.lines));
      case 'locals':
        return this.say(localsText(this.current));
      case 'list':
        return this.say(listText(this.current, this.lines, this.executable));
      case 'states':
        return this.say(
          [...this.answers.values()].map((answer) => answerText(answer).split('\n')[0]).join('\n'),
        );
      default:
        return this.say(helpText);
    }
  }

  private async act({ action, lines }: DebugCommand & { kind: 'act' }): Promise<void> {
    const mode = modeNumbers[this.mode];
    const stopAtExceptions = this.stopsAtExceptions && !isReverse(action);
    const wireAction = actionToWire({ kind: action, lines });
    const asked = { session: this.session, action: wireAction, mode, stopAtExceptions };
    const onStep = (passed: WireAnswer): void => this.showPassed(passed);
    this.move(await this.requests.run((signal) => this.client.act(asked, { signal, onStep })));
  }

  /**
   * All pages, one after another: a terminal scrolls.
   * @throws ForetraceError walk_too_long where no end is in sight: a predicted loop may be endless
   */
  private async query({ query, names, line }: DebugCommand & { kind: 'query' }): Promise<void> {
    const [name = ''] = names;
    const about: Partial<WireQuery> =
      query === 'values'
        ? { valuesAt: { name, line } }
        : query === 'changed'
          ? { firstChange: { name } }
          : { frameTable: { names: [...names] } };
    const asked = { session: this.session, from: this.current.number, ...about };
    let events = 0;
    for (let page = '', isOpen = true; isOpen; ) {
      if (events >= mostQueryEvents) throw endless(events);
      const result = await this.requests.run((signal) => this.client.query({ ...asked, page }, { signal }));
      for (const { answer } of result.rows) this.answers.set(answer.number, answer);
      for (const text of this.options.json ? queryJson(result) : queryText(result)) this.print(text);
      events += Math.max(1, result.steps.model + result.steps.cache);
      page = result.nextPage;
      isOpen = result.truncated;
    }
  }

  private showPassed(passed: WireAnswer): void {
    this.answers.set(passed.number, passed);
    if (this.mode !== 'walk') return;
    if (this.options.json) this.print(JSON.stringify({ passed: true, ...answerFields(passed) }));
    else this.print(`  ${answerText(passed).split('\n')[0]}`);
  }

  /** A local is shown with what is known of it already; anything else is asked. */
  private async evaluate(expression: string): Promise<void> {
    const local = localText(this.current, expression);
    if (local !== undefined && !this.options.json) return this.say(local);
    const asked = { session: this.session, expression };
    const evaluation = await this.requests.run((signal) => this.client.evaluate(asked, { signal }));
    this.print(this.options.json ? evaluationJson(evaluation) : evaluationText(evaluation));
  }

  private async candidates(command: DebugCommand & { kind: 'candidates' }): Promise<void> {
    const { action, lines, count, check } = command;
    const asked = actionToWire({ kind: action, lines });
    const list = await this.requests.run((signal) =>
      this.client.candidates({ session: this.session, action: asked, count, check }, { signal }),
    );
    for (const { answer } of list.candidates) this.answers.set(answer.number, answer);
    if (this.options.json) for (const line of candidateJson(list)) this.print(line);
    else this.print(candidatesText(list, this.current));
  }

  private async back(): Promise<void> {
    if (this.current.parent === 0) {
      throw new ForetraceError('past_start', 'this state was not reached from another one', {
        expected: 'a state after an action',
      });
    }
    this.move(await this.client.goto({ session: this.session, state: this.current.parent }));
  }

  private async fork(): Promise<void> {
    const { session } = await this.client.fork({ session: this.session });
    this.session = session;
    this.opened.push(session);
    this.say(`now in session ${session}, a fork with the same states`);
  }

  private move(answer: WireAnswer): void {
    const before = this.current;
    this.current = answer;
    this.show(answer, before);
  }

  private show(answer: WireAnswer, before?: WireAnswer): void {
    this.answers.set(answer.number, answer);
    this.print(this.options.json ? answerJson(answer) : answerText(answer, before));
  }

  private showError(command: string, error: ForetraceError): void {
    const { code, message, details } = error;
    if (this.options.json) this.print(JSON.stringify({ command, error: { code, message, ...details } }));
    else this.print(printable(errorText(error)));
  }

  /** Text for people; with --json only states, values and errors are printed. */
  private say(text: string): void {
    if (!this.options.json) this.print(text);
  }
}
