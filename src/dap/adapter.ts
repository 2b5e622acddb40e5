/**
 * A debug adapter: what a client of the Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol) asks for, as actions of
 * a session. Steps go forward and backward, and nothing is run. Here a program is launched, moved and let go.
 */
import { InitializedEvent, OutputEvent, StoppedEvent, TerminatedEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ForetraceClient } from '../client/client.js';
import { asForetraceError, ForetraceError } from '../errors.js';
import type { Say } from './breakpoints.js';
import { capabilities } from './capabilities.js';
import { Debuggee } from './debuggee.js';
import { type LaunchArguments, readLaunch } from './launch.js';
import { LookingSession } from './looking.js';
import { afterFailure, type Move, resume, runThrough, type StopReason, stepBy } from './moves.js';
import { threadId } from './program-session.js';
import { currentFrameId } from './stack.js';
import { certaintyOf } from './variables.js';

/** What an adapter is given by whoever starts it. */
export interface AdapterHost {
  /** A client of the service; called when a program is launched. */
  readonly connect: () => Promise<ForetraceClient>;
  /** The text of a program. @throws ForetraceError unreadable_file */
  readonly readSource: (path: string) => string;
  /** Told when the client has gone or has let the program go. */
  readonly ended: () => void;
}

/** The adapter of one client. */
export class ForetraceAdapter extends LookingSession {
  private isLaunched = false;
  /** The client has gone. */
  private isOver = false;

  constructor(private readonly host: AdapterHost) {
    super();
  }

  /** The library would end the process. */
  override shutdown(): void {
    this.isOver = true;
    void this.release().finally(this.host.ended);
  }

  protected override initializeRequest(
    response: DebugProtocol.InitializeResponse,
    args: DebugProtocol.InitializeRequestArguments,
  ): void {
    this.showsInvalidated = args.supportsInvalidatedEvent === true;
    response.body = capabilities;
    this.sendResponse(response);
  }

  protected override launchRequest(
    response: DebugProtocol.LaunchResponse,
    args: DebugProtocol.LaunchRequestArguments,
  ): void {
    this.answer(response, async () => {
      if (this.isLaunched)
        throw new ForetraceError('busy', 'a program has been launched already', {
          expected: 'one launch a client',
        });
      const launch = readLaunch(args);
      const source = this.host.readSource(launch.program);
      this.isLaunched = true;
      this.debuggee = await this.open(launch, source).catch((error: unknown) => {
        this.isLaunched = false;
        throw error;
      });
      this.sendEvent(new InitializedEvent());
    });
  }

  protected override attachRequest(response: DebugProtocol.AttachResponse): void {
    this.answer(response, async () => {
      throw new ForetraceError('invalid_message', 'there is no running process to attach to', {
        expected: 'a launch request',
        actual: 'an attach request',
      });
    });
  }

  protected override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.answer(
      response,
      async () => this.beginning(this.idleProgram()),
      (begin) => begin(),
    );
  }

  /** From the start, with the text that the file has now. */
  protected override restartRequest(
    response: DebugProtocol.RestartResponse,
    args: DebugProtocol.RestartArguments,
  ): void {
    this.answer(
      response,
      async () => {
        const launch = args.arguments ? readLaunch(args.arguments) : this.program().launch;
        const source = this.host.readSource(launch.program);
        const opened = await this.open(launch, source);
        await this.release();
        this.debuggee = opened;
        this.breakpoints.replace(opened.executable);
        return this.beginning(opened);
      },
      (begin) => begin(),
    );
  }

  protected override terminateRequest(response: DebugProtocol.TerminateResponse): void {
    this.answer(
      response,
      () => this.release(),
      () => this.sendEvent(new TerminatedEvent()),
    );
  }

  protected override disconnectRequest(response: DebugProtocol.DisconnectResponse): void {
    this.answer(
      response,
      () => this.release(),
      () => this.shutdown(),
    );
  }

  protected override nextRequest(response: DebugProtocol.NextResponse): void {
    this.answerAndMove(response, stepBy('step_over', this.breakpoints));
  }

  protected override stepInRequest(response: DebugProtocol.StepInResponse): void {
    this.answerAndMove(response, stepBy('step_into', this.breakpoints));
  }

  /** To the return of the frame, which shows what it gives back; from there into the caller. */
  protected override stepOutRequest(response: DebugProtocol.StepOutResponse): void {
    this.answerAndMove(response, stepBy('step_return', this.breakpoints));
  }

  /** A line back in this frame, over the calls in between; an event back where the client asks for instructions. */
  protected override stepBackRequest(
    response: DebugProtocol.StepBackResponse,
    args: DebugProtocol.StepBackArguments,
  ): void {
    this.answerAndMove(
      response,
      stepBy(args.granularity === 'instruction' ? 'inv_step_into' : 'inv_step_over', this.breakpoints),
    );
  }

  /** Back to the call of the current frame. */
  protected override restartFrameRequest(
    response: DebugProtocol.RestartFrameResponse,
    args: DebugProtocol.RestartFrameArguments,
  ): void {
    this.answerAndMove(response, stepBy('inv_step_call', this.breakpoints), ({ current }) => {
      if (args.frameId === currentFrameId(current)) return;
      throw new ForetraceError('invalid_action', 'only the current frame can be gone back to its call', {
        expected: 'the uppermost frame',
      });
    });
  }

  protected override continueRequest(response: DebugProtocol.ContinueResponse): void {
    response.body = { allThreadsContinued: true };
    this.answerAndMove(response, resume(false, this.breakpoints, this.say));
  }

  protected override reverseContinueRequest(response: DebugProtocol.ReverseContinueResponse): void {
    this.answerAndMove(response, resume(true, this.breakpoints, this.say));
  }

  protected override pauseRequest(response: DebugProtocol.PauseResponse): void {
    // Behind the response, for the move that is to stop may begin behind one that is still to be sent.
    this.answer(
      response,
      async () => this.program(),
      (program) => program.interrupt(),
    );
  }

  private answerAndMove(
    response: DebugProtocol.Response,
    move: Move,
    check: (program: Debuggee) => void = () => {},
  ): void {
    this.answer(
      response,
      async () => {
        const program = this.idleProgram();
        check(program);
        return this.prepared(program, move);
      },
      (begin) => begin(),
    );
  }

  /**
   * What a program does where it starts, once the client has its response: it stops there, goes on to the first breakpoint, or goes through
   * where nobody is to debug it.
   */
  private beginning(program: Debuggee): () => void {
    const { noDebug, stopOnEntry } = program.launch;
    if (noDebug) return this.prepared(program, runThrough(this.say));
    return stopOnEntry
      ? () => this.showStop(program, 'entry')
      : this.prepared(program, resume(false, this.breakpoints, this.say));
  }

  /**
   * A move that begins once the client has its response. The program counts as moving from now on, for other requests may have come in
   * the same piece.
   */
  private prepared(program: Debuggee, move: Move): () => void {
    this.setMoving(program);
    return () => {
      move(program)
        .catch((thrown: unknown) => afterFailure(asForetraceError(thrown), this.say))
        .then((reason) => {
          this.setStanding(program);
          if (reason !== 'ended') this.showStop(program, reason);
          else if (this.debuggee === program) this.sendEvent(new TerminatedEvent());
        });
    };
  }

  /** Of a program that was let go of meanwhile nobody is told where it stands. */
  private showStop(program: Debuggee, reason: StopReason): void {
    if (this.debuggee !== program) return;
    this.containers.reset();
    const answer = program.current;
    const certainty = certaintyOf(answer);
    const event = new StoppedEvent(reason, threadId) as DebugProtocol.StoppedEvent;
    if (certainty !== undefined) event.body.description = `Predicted, ${certainty} sure`;
    if (reason === 'exception') event.body.text = answer.state.value ?? '';
    event.body.allThreadsStopped = true;
    this.sendEvent(event);
  }

  private async open(launch: LaunchArguments, source: string): Promise<Debuggee> {
    const opened = await Debuggee.open(await this.host.connect(), launch, source);
    if (!this.isOver) return opened;
    await opened.close();
    throw new ForetraceError('cancelled', 'the client has gone while the program was launched');
  }

  private async release(): Promise<void> {
    const program = this.debuggee;
    this.debuggee = null;
    await program?.close();
  }

  private readonly say: Say = (text, isError) =>
    this.sendEvent(new OutputEvent(`${text}\n`, isError ? 'important' : 'console'));
}
