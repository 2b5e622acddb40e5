/** An editor's side of a debug adapter over a service that answers as a test says. */
import { createServer, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterEach, vi } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import { ForetraceAdapter } from '../../src/dap/adapter.js';
import { eventNumbers, originNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { local, shownAnswer } from './shown-answer.js';

type EventName = keyof typeof eventNumbers;

/** A state of one frame. */
export const at = (event: EventName, line: number, more: Partial<WireAnswer['state']> = {}): WireAnswer =>
  shownAnswer({
    state: {
      event: eventNumbers[event],
      frames: [{ line, locals: [local('n', '7')], its: [], gots: [] }],
      hiddenFrames: 0,
      ...more,
    },
    functions: ['f'],
  });

export const program = resolve('a.py');
export const source = { path: program };
export const thread = { threadId: 1 };

type Calls = { [Name in keyof ForetraceClient]?: unknown };
const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** An editor's side of an adapter over a service that answers as the test says. */
export class Editor {
  readonly outputs: DebugProtocol.OutputEvent['body'][] = [];
  readonly closeSession = vi.fn(async () => {});
  readonly open = vi.fn(async () => ({
    session: 's',
    start: shownAnswer({ ...at('call', 1), origin: originNumbers.given }),
    executableLines: [2, 3, 5],
    programTokens: 1,
  }));
  readonly ended = vi.fn();
  readonly dap = new DebugClient('node', 'unused', 'foretrace');
  stopped: DebugProtocol.StoppedEvent['body'] | undefined;

  static async over(calls: Calls): Promise<Editor> {
    const editor = new Editor();
    const service = { open: editor.open, closeSession: editor.closeSession, ...calls };
    const server = createServer((socket) => {
      sockets.push(socket);
      new ForetraceAdapter({
        connect: async () => service as unknown as ForetraceClient,
        readSource: (path) => `# ${path}`,
        ended: editor.ended,
      }).start(socket, socket);
    });
    servers.push(server);
    const port = await new Promise<number>((listening) =>
      server.listen(0, '127.0.0.1', () => listening((server.address() as { port: number }).port)),
    );
    await editor.dap.start(port);
    editor.dap.on('output', ({ body }: DebugProtocol.OutputEvent) => editor.outputs.push(body));
    return editor;
  }

  /** Launched, with breakpoints, standing at the entry. */
  static async launched(
    calls: Calls = {},
    breakpoints: DebugProtocol.SourceBreakpoint[] = [],
    more: object = {},
  ): Promise<Editor> {
    const editor = await Editor.over(calls);
    await editor.dap.initializeRequest();
    const launch = { program: 'a.py', call: 'f(7)', ...more } as DebugProtocol.LaunchRequestArguments;
    await Promise.all([editor.dap.waitForEvent('initialized'), editor.dap.launchRequest(launch)]);
    await editor.dap.setBreakpointsRequest({ source, breakpoints });
    await editor.untilStopped(() => editor.dap.configurationDoneRequest());
    return editor;
  }

  async untilStopped(request: () => Promise<unknown>): Promise<DebugProtocol.StoppedEvent['body']> {
    const [event] = await Promise.all([this.dap.waitForEvent('stopped'), request()]);
    this.stopped = (event as DebugProtocol.StoppedEvent).body;
    return this.stopped;
  }
}
