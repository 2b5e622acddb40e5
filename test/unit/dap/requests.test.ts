/** Requests as no client of the library would send them: many at once, and with arguments that are none. */
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { ForetraceClient } from '../../../src/client/client.js';
import { ForetraceAdapter } from '../../../src/dap/adapter.js';
import { ForetraceError } from '../../../src/errors.js';
import { actionNumbers } from '../../../src/wire/messages.js';
import { message, messagesIn, type SentMessage } from '../../support/dap-messages.js';
import { shownAnswer } from '../../support/shown-answer.js';

const launch = { program: 'a.py', call: 'f(7)' };
const thread = { threadId: 1 };

/** An adapter over a service that moves as the test says, and what it has sent. */
class Wire {
  readonly sent: SentMessage[] = [];
  readonly closeSession = vi.fn(async () => {});
  private readonly input = new PassThrough();
  private seq = 0;

  constructor(act: (...args: never[]) => unknown = async () => shownAnswer()) {
    const open = async () => ({ session: 's', start: shownAnswer(), executableLines: [2, 3] });
    const service = { open, act, closeSession: this.closeSession };
    const output = new PassThrough().on('data', (data) => this.sent.push(...messagesIn(String(data))));
    new ForetraceAdapter({
      connect: async () => service as unknown as ForetraceClient,
      readSource: () => '',
      ended: () => {},
    }).start(this.input, output);
  }

  static async launched(act?: (...args: never[]) => unknown, more: object = {}): Promise<Wire> {
    const wire = new Wire(act);
    await wire.ask(['initialize'], ['launch', { ...launch, ...more }]);
    return wire;
  }

  /** Writes requests in one piece. Resolves to their responses, in their order. */
  async ask(...requests: [command: string, args?: unknown][]): Promise<SentMessage[]> {
    const first = this.seq + 1;
    this.seq += requests.length;
    const written = requests.map(([command, args], index) => message(first + index, command, args));
    this.input.write(written.join(''));
    return vi.waitFor(() =>
      requests.map((_, index) => {
        const found = this.sent.find(({ request_seq }) => request_seq === first + index);
        if (found === undefined) throw new Error(`no response to ${requests[index]?.[0]}`);
        return found;
      }),
    );
  }

  /** Names of the events from the one with this index on. */
  events(from = 0): string[] {
    return this.sent.flatMap(({ event }) => event ?? []).slice(from);
  }

  until(event: string): Promise<void> {
    return vi.waitFor(() => expect(this.events()).toContain(event));
  }
}

/** An action that ends when it is stopped. */
const endless = (_: unknown, { signal }: { signal: AbortSignal }) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new ForetraceError('cancelled', 'stopped'))),
  );

describe('requests that do not wait for each other', () => {
  it('only the first of several steps moves the program, the others are told that it is busy', async () => {
    const act = vi.fn(async () => shownAnswer());
    const wire = await Wire.launched(act);
    const steps = await wire.ask(...Array.from({ length: 5 }, (): [string, object] => ['stepIn', thread]));
    expect(steps.map(({ success }) => success)).toEqual([true, false, false, false, false]);
    expect(steps[1]?.message).toContain('busy');
    await wire.until('stopped');
    expect(act).toHaveBeenCalledTimes(1);
    expect(wire.events(1)).toEqual(['stopped']);
    expect((await wire.ask(['next', thread]))[0]?.success).toBe(true);
  });

  it('a program that does not stop at its entry moves as soon as it may', async () => {
    const act = vi.fn(async () => shownAnswer());
    const wire = await Wire.launched(act, { stopOnEntry: false });
    const [begun, step] = await wire.ask(['configurationDone'], ['next', thread]);
    expect([begun?.success, step?.success]).toEqual([true, false]);
    await wire.until('stopped');
    expect(act).toHaveBeenCalledTimes(1);
  });

  it('a pause behind a step stops it', async () => {
    const wire = await Wire.launched(endless);
    await wire.ask(['next', thread], ['pause', thread]);
    await wire.until('stopped');
    expect(wire.sent.at(-1)?.body).toMatchObject({ reason: 'pause' });
    expect(wire.sent.map((one) => one.command ?? one.event).slice(-3)).toEqual(['next', 'pause', 'stopped']);
  });

  it.each([
    'next',
    'configurationDone',
  ])('a client that goes right after %s is told nothing more', async (last) => {
    const wire = await Wire.launched();
    await wire.ask([last, thread], ['disconnect']);
    await vi.waitFor(() => expect(wire.closeSession).toHaveBeenCalledExactlyOnceWith('s'));
    expect(wire.events(1)).toEqual([]);
  });
});

describe('a restart', () => {
  it.each<[string, object, object]>([
    ['of a program launched so', { stopOnEntry: false }, {}],
    ['with a configuration that says so', {}, { arguments: { ...launch, stopOnEntry: false } }],
  ])('goes on to the first breakpoint, %s', async (_name, launched, args) => {
    const act = vi.fn(async () => shownAnswer());
    const wire = await Wire.launched(act, launched);
    await wire.ask(['restart', args]);
    await wire.until('stopped');
    const action = { kind: actionNumbers.continue, lines: [] };
    expect(act).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ action }), expect.anything());
  });
});

describe('arguments', () => {
  const source = { path: 'a.py' };
  it.each<[command: string, args: unknown, problem: string]>([
    ['setBreakpoints', undefined, "must have required property 'source'"],
    ['setBreakpoints', {}, "must have required property 'source'"],
    ['setBreakpoints', { source, breakpoints: [null] }, 'breakpoints/0 must be object'],
    ['setBreakpoints', { source, breakpoints: 5 }, 'breakpoints must be array'],
    ['setBreakpoints', { source, breakpoints: [{ line: 'x' }] }, 'breakpoints/0/line must be integer'],
    ['setBreakpoints', [null], 'the arguments must be object'],
    ['setBreakpoints', 5, 'the arguments must be object'],
    ['breakpointLocations', { source }, "must have required property 'line'"],
    ['stackTrace', undefined, "must have required property 'threadId'"],
    ['stackTrace', { ...thread, levels: 'all' }, 'levels must be integer'],
    ['scopes', null, "must have required property 'frameId'"],
    ['variables', {}, "must have required property 'variablesReference'"],
    ['setVariable', { variablesReference: 1 }, "must have required property 'name'"],
    ['evaluate', undefined, "must have required property 'expression'"],
    ['evaluate', { expression: 7 }, 'expression must be string'],
    ['restartFrame', undefined, "must have required property 'frameId'"],
    ['stepBack', undefined, "must have required property 'threadId'"],
    ['next', 'now', 'the arguments must be object'],
    ['configurationDone', 5, 'the arguments must be object'],
    ['threads', [], 'the arguments must be object'],
    ['restart', { arguments: 5 }, 'the configuration must be object'],
    ['initialize', { pathFormat: 'uri' }, 'pathFormat must be equal to one of the allowed values'],
  ])('%s with %j is refused, and nothing else happens', async (command, args, problem) => {
    const wire = await Wire.launched();
    const [refused] = await wire.ask([command, args]);
    expect(refused?.success).toBe(false);
    expect(refused?.message).toMatch(/^invalid_message: /);
    expect(refused?.message).toContain(problem);
    const [trace] = await wire.ask(['stackTrace', thread]);
    expect(trace?.success).toBe(true);
    expect(wire.events(1)).toEqual([]);
  });

  it.each([
    undefined,
    {},
    { pathFormat: null },
  ])('paths are paths unless initialize says otherwise: %j', async (args) => {
    const [initialized] = await new Wire().ask(['initialize', args]);
    expect(initialized).toMatchObject({ success: true, body: { supportsStepBack: true } });
  });

  it('what a client leaves out may be null', async () => {
    const wire = await Wire.launched();
    const breakpoints = [{ line: 2, condition: null, logMessage: null }];
    const placed = await wire.ask(
      ['setBreakpoints', { source, breakpoints, sourceModified: null }],
      ['setBreakpoints', { source: { path: null }, breakpoints: null }],
      ['stackTrace', { ...thread, startFrame: null, levels: null }],
    );
    expect(placed.map(({ success }) => success)).toEqual([true, true, true]);
    expect(placed[0]?.body).toEqual({ breakpoints: [{ verified: true, line: 2 }] });
  });
});
