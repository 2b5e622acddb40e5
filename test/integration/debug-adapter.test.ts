/** `foretrace dap` as an editor starts it, with a real engine. */
import type { ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterEach, describe, expect, it } from 'vitest';
import { firstLine, outcome, start } from '../support/command.js';
import { message, messagesIn } from '../support/dap-messages.js';
import { call, engine, programFolder } from '../support/debugged-program.js';

const { program } = programFolder();
const thread = { threadId: 1 };
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The port that the adapter says it takes clients on. */
async function portOf(child: ChildProcess): Promise<number> {
  let said = '';
  for await (const piece of child.stderr ?? []) {
    said += piece;
    const port = /127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`ended and said: ${said}`);
}

async function stopAfter(dap: DebugClient, request: () => Promise<unknown>) {
  const [event] = await Promise.all([dap.waitForEvent('stopped', 60_000), request()]);
  return (event as DebugProtocol.StoppedEvent).body;
}

/** Through the program to its end and back to its call. */
async function walk(port: number): Promise<void> {
  const dap = new DebugClient('node', 'unused', 'foretrace');
  await dap.start(port);
  await dap.initializeRequest();
  const launch = { program, call } as DebugProtocol.LaunchRequestArguments;
  await Promise.all([dap.waitForEvent('initialized', 60_000), dap.launchRequest(launch)]);
  const { body } = await dap.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 4 }] });
  expect(body.breakpoints).toEqual([{ verified: true, line: 4 }]);
  expect((await stopAfter(dap, () => dap.configurationDoneRequest())).reason).toBe('entry');
  await stopAfter(dap, () => dap.nextRequest(thread));
  const { stackFrames } = (await dap.stackTraceRequest(thread)).body;
  expect(stackFrames[0]).toMatchObject({ name: 'total', line: 2, source: { path: program } });
  const { scopes } = (await dap.scopesRequest({ frameId: stackFrames[0]?.id ?? 0 })).body;
  const { variables } = (
    await dap.variablesRequest({ variablesReference: scopes[0]?.variablesReference ?? 0 })
  ).body;
  expect(variables).toMatchObject([
    { name: 'numbers', value: '[1, 2]', variablesReference: expect.any(Number) },
  ]);
  expect((await dap.evaluateRequest({ expression: 'numbers' })).body.result).toBe('[1, 2]');
  await stopAfter(dap, () => dap.stepBackRequest(thread));
  expect((await dap.stackTraceRequest(thread)).body.stackFrames[0]?.line).toBe(1);
  await dap.disconnectRequest();
}

describe('dap', () => {
  it('serves editors on a port, one after the other and at once, until it is told to end', async () => {
    const child = start('dap', '--port', '0', ...engine);
    children.push(child);
    const port = await portOf(child);
    await walk(port);
    await Promise.all([walk(port), walk(port)]);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('speaks the protocol and nothing else on standard output, and ends when the editor disconnects', async () => {
    const child = start('dap', ...engine);
    children.push(child);
    const asked = [
      message(1, 'initialize', { adapterID: 'foretrace', pathFormat: 'path' }),
      message(2, 'launch', { program, call }),
    ];
    child.stdin?.write(asked.join(''));
    let text = '';
    for await (const piece of child.stdout?.setEncoding('utf8') ?? []) {
      text += piece;
      if (messagesIn(text).some(({ command }) => command === 'launch')) break;
    }
    expect(messagesIn(text)).toMatchObject([
      { type: 'response', command: 'initialize', success: true },
      { type: 'event', event: 'initialized' },
      { type: 'response', command: 'launch', success: true },
    ]);
  });

  it('ends with 0 where its input ends before anything was launched', async () => {
    expect(await outcome(start('dap', ...engine))).toEqual({ code: 0, out: '', err: '' });
  });

  it('says with a code why a program cannot be launched, and goes on', async () => {
    const child = start('dap', ...engine);
    children.push(child);
    const asked = [
      message(1, 'initialize', { adapterID: 'foretrace', pathFormat: 'path' }),
      message(2, 'launch', { program: `${program}.missing`, call }),
      message(3, 'launch', { program, call: 'total(' }),
    ];
    child.stdin?.write(asked.join(''));
    // Answered in the end: what is launched while a client goes is given up.
    child.stdout?.on('data', (piece: Buffer) => {
      if (piece.includes('"request_seq":3')) child.stdin?.end(message(4, 'disconnect'));
    });
    const { code, out } = await outcome(child, null);
    expect(code).toBe(0);
    const answers = messagesIn(out);
    const answerTo = (seq: number) => answers.find((one) => one.request_seq === seq);
    expect(answerTo(2)).toMatchObject({
      success: false,
      message: expect.stringContaining('unreadable_file'),
    });
    expect(answerTo(3)).toMatchObject({ success: false, message: expect.stringContaining('invalid_entry') });
    expect(answerTo(4)).toMatchObject({ success: true });
  });

  it.each([
    ['over standard input and output', []],
    ['on a port', ['--port', '0']],
  ])('gives the session of a running service back when it is told to end, %s', async (_name, how) => {
    const service = start('serve', ...engine, '--port', '0', '--json');
    children.push(service);
    const { address } = JSON.parse(await firstLine(service)) as { address: string };
    const child = start('dap', '--connect', address, ...how);
    children.push(child);
    const client = how.length > 0 ? connect(await portOf(child), '127.0.0.1') : undefined;
    const exchange = { input: client ?? child.stdin, output: client ?? child.stdout };
    exchange.input?.write(`${message(1, 'initialize')}${message(2, 'launch', { program, call })}`);
    let text = '';
    for await (const piece of on(exchange.output as Readable, 'data')) {
      text += piece;
      if (messagesIn(text).some(({ command }) => command === 'launch')) break;
    }
    const sessions = async () =>
      /^foretrace_sessions (\d+)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];
    expect(await sessions()).toBe('1');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await sessions()).toBe('0');
    client?.destroy();
  });

  it.each(['70000', '9007199254740991'])('refuses %s, which is no port', async (port) => {
    const { code, err } = await outcome(start('dap', '--port', port, ...engine));
    expect(code).toBe(1);
    expect(err).toMatch(/^foretrace: unusable_address: /);
  });

  it('refuses a port that is taken', async () => {
    const first = start('dap', '--port', '0', ...engine);
    children.push(first);
    const port = await portOf(first);
    const { code, err } = await outcome(start('dap', '--port', String(port), ...engine));
    expect(code).toBe(1);
    expect(err).toContain('unusable_address');
  });
});
