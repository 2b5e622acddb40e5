/** `foretrace debug`: a pdb-like prompt over the service (its own, in this process, or one at --connect). */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { ForetraceClient } from '../client/client.js';
import { asForetraceError, ForetraceError } from '../errors.js';
import { actionNumbers, type WireAnswer } from '../wire/messages.js';
import { type DebugCommand, helpText, parseCommand, splitScript } from './debug-script.js';
import { answerJson, answerText, listText, localsText, whereText } from './debug-view.js';
import { addEngineOptions, type EngineFlags } from './engine-options.js';
import { serverOver, startRuntime } from './runtime.js';

interface DebugFlags extends EngineFlags {
  call: string;
  script?: string;
  json?: boolean;
  connect?: string;
  apiKey?: string;
}

export function debugCommand(): Command {
  const command = new Command('debug').description('step through a program without running it');
  return addEngineOptions(command)
    .argument('<file>', 'Python file')
    .requiredOption('--call <expression>', 'the entry: one call expression')
    .option('--script <commands>', 'commands separated by semicolons instead of a prompt')
    .option('--json', 'one JSON object a state')
    .option('--connect <url>', 'use a running service, for example ws://127.0.0.1:7331/v1/socket')
    .option('--api-key <key>', 'API key of that service')
    .action(debug);
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ForetraceError('invalid_python', `cannot read ${file}`, { expected: 'a Python file' }, { cause });
  }
}

/** A client of `--connect`, or of a service of this process on a free loopback port. */
async function connect(flags: DebugFlags): Promise<{ client: ForetraceClient; stop: () => Promise<void> }> {
  if (flags.connect) {
    const client = await ForetraceClient.connect(flags.connect, flags.apiKey ? { apiKey: flags.apiKey } : {});
    return { client, stop: () => client.close() };
  }
  const runtime = await startRuntime(flags);
  const server = await serverOver(runtime);
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const client = await ForetraceClient.connect(`${address.replace('http', 'ws')}/v1/socket`);
  const stop = async (): Promise<void> => {
    await client.close();
    await server.drain(0);
    await runtime.close();
  };
  return { client, stop };
}

async function debug(file: string, flags: DebugFlags): Promise<void> {
  const source = readSource(file);
  const { client, stop } = await connect(flags);
  try {
    const prompt = await DebugPrompt.open(client, source, flags);
    if (flags.script === undefined) await prompt.interact();
    else await prompt.runScript(flags.script);
  } finally {
    await stop();
  }
}

class DebugPrompt {
  private readonly lines: readonly string[];
  private readonly answers = new Map<number, WireAnswer>();

  private constructor(
    private readonly client: ForetraceClient,
    source: string,
    private readonly json: boolean,
    private session: string,
    private current: WireAnswer,
    private readonly executable: ReadonlySet<number>,
  ) {
    this.lines = source.split('\n');
    this.show(current);
  }

  static async open(client: ForetraceClient, source: string, flags: DebugFlags): Promise<DebugPrompt> {
    const opened = await client.open({ source, call: flags.call });
    return new DebugPrompt(client, source, flags.json ?? false, opened.session, opened.start, new Set(opened.executableLines));
  }

  /** Runs all commands; an error is shown, sets the exit code and ends the script. */
  async runScript(script: string): Promise<void> {
    for (const text of splitScript(script)) {
      if (!(await this.tryCommand(text, false))) return;
    }
  }

  async interact(): Promise<void> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    terminal.setPrompt('(foretrace) ');
    terminal.prompt();
    for await (const text of terminal) {
      if (text.trim() !== '' && !(await this.tryCommand(text, true))) break;
      terminal.prompt();
    }
    terminal.close();
  }

  /** False when the prompt is to end. */
  private async tryCommand(text: string, interactive: boolean): Promise<boolean> {
    try {
      const command = parseCommand(text);
      if (command.kind === 'quit') return false;
      await this.execute(command);
      return true;
    } catch (thrown) {
      const error = asForetraceError(thrown);
      const report = { code: error.code, message: error.message, ...error.details };
      if (this.json) console.log(JSON.stringify({ command: text, error: report }));
      else console.log(`${error.code}: ${error.message}${error.details.expected ? ` (expected ${error.details.expected})` : ''}`);
      if (!interactive) process.exitCode = 1;
      return interactive;
    }
  }

  private async execute(command: DebugCommand): Promise<void> {
    const { client, session } = this;
    switch (command.kind) {
      case 'act':
        return this.move(
          await client.act({ session, action: { kind: actionNumbers[command.action], lines: [...command.lines] } }),
        );
      case 'set':
        return this.move(await client.edit({ session, locals: { [command.name]: command.value } }));
      case 'goto':
        return this.move(await client.goto({ session, state: command.state }));
      case 'back':
        return this.back();
      case 'fork': {
        const forked = await client.fork({ session });
        this.session = forked.session;
        return this.say(`now in session ${forked.session}, a fork with the same states`);
      }
      case 'print':
        return this.print(command.name);
      case 'where':
        return this.say(whereText(this.current, this.lines));
      case 'locals':
        return this.say(localsText(this.current));
      case 'list':
        return this.say(listText(this.current, this.lines, this.executable));
      case 'states':
        return this.say([...this.answers.values()].map((answer) => answerText(answer).split('\n')[0]).join('\n'));
      default:
        return this.say(helpText);
    }
  }

  private async back(): Promise<void> {
    if (this.current.parent === 0) {
      throw new ForetraceError('past_start', 'this state was not reached from another one', { expected: 'a state after an action' });
    }
    this.move(await this.client.goto({ session: this.session, state: this.current.parent }));
  }

  private print(name: string): void {
    const frame = this.current.state.frames.at(-1);
    const local = frame?.locals.find((candidate) => candidate.name === name);
    if (!local) {
      throw new ForetraceError('invalid_action', `the frame has no local ${name}`, {
        expected: frame?.locals.map((candidate) => candidate.name).join(', ') || 'no locals here',
      });
    }
    this.say(`${local.value}  (${Math.round((this.current.probability.locals[name] ?? 1) * 100)} %)`);
  }

  private move(answer: WireAnswer): void {
    const before = this.current;
    this.current = answer;
    this.show(answer, before);
  }

  private show(answer: WireAnswer, before?: WireAnswer): void {
    this.answers.set(answer.number, answer);
    console.log(this.json ? answerJson(answer) : answerText(answer, before));
  }

  /** Text for people; with --json only states and errors are printed. */
  private say(text: string): void {
    if (!this.json) console.log(text);
  }
}
