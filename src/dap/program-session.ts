/** What all requests of a client share: how they are read and answered, and the program that they are about. */
import { DebugSession, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { ForetraceError } from '../errors.js';
import { readArguments } from './arguments.js';
import type { Debuggee } from './debuggee.js';
import { sayingOf } from './raised.js';

/** There is one thread. */
export const threadId = 1;

export abstract class ProgramSession extends DebugSession {
  protected debuggee: Debuggee | null = null;
  /** The program that an action runs of; one that was let go of while it moved stays here until another moves. */
  private inMotion: Debuggee | null = null;

  constructor() {
    super();
    this.setDebuggerLinesStartAt1(true);
    this.setDebuggerColumnsStartAt1(true);
  }

  /** What the library hands over to the methods of the requests has been looked at. */
  protected override dispatchRequest(request: DebugProtocol.Request): void {
    let args: object;
    try {
      args = readArguments(request.command, request.arguments);
    } catch (thrown) {
      this.refuse(new Response(request), thrown);
      return;
    }
    super.dispatchRequest({ ...request, arguments: args });
  }

  /** Sends the response when `work` is done, or its error, and then does what comes behind the response. */
  protected answer<Done>(
    response: DebugProtocol.Response,
    work: () => Promise<Done>,
    behind?: (done: Done) => void,
  ): void {
    work().then(
      (done) => {
        this.sendResponse(response);
        behind?.(done);
      },
      (thrown: unknown) => this.refuse(response, thrown),
    );
  }

  private refuse(response: DebugProtocol.Response, thrown: unknown): void {
    // With an underscore the text also stands in `message`, which is all that some clients show.
    const variables = { _text: sayingOf(thrown) };
    this.sendErrorResponse(response, { id: 1, format: '{_text}', variables, showUser: true });
  }

  protected program(): Debuggee {
    if (this.debuggee === null) throw new ForetraceError('unknown_session', 'no program has been launched');
    return this.debuggee;
  }

  /** @throws ForetraceError busy while an action runs */
  protected idleProgram(): Debuggee {
    const program = this.program();
    if (this.inMotion === program) throw new ForetraceError('busy', 'the program is running');
    return program;
  }

  /** From now on it moves: whoever answers that it will says so before another request is looked at. */
  protected setMoving(program: Debuggee): void {
    this.inMotion = program;
  }

  protected setStanding(program: Debuggee): void {
    if (this.inMotion === program) this.inMotion = null;
  }
}
