/**
 * A debug adapter: what a client of the Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol) asks for, as actions of
 * a session. Steps go forward and backward, and nothing is run.
 */
import { basename, resolve } from 'node:path';
import {
  DebugSession,
  Handles,
  InitializedEvent,
  InvalidatedEvent,
  OutputEvent,
  Source,
  StoppedEvent,
  TerminatedEvent,
} from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ForetraceClient } from '../client/client.js';
import { asForetraceError, ForetraceError } from '../errors.js';
import { eventNumbers } from '../wire/messages.js';
import { Breakpoints, type Say } from './breakpoints.js';
import { capabilities } from './capabilities.js';
import { Debuggee } from './debuggee.js';
import { type LaunchArguments, readLaunch } from './launch.js';
import { afterFailure, type Move, resume, type StopReason, stepBy } from './moves.js';
import { sayingOf } from './raised.js';
import { currentFrameId, stackOf } from './stack.js';
import { type Container, certaintyOf, referenceTo, scopesOf, shownVariables } from './variables.js';

/** What an adapter is given by whoever starts it. */
export interface AdapterHost {
  /** A client of the service; called when a program is launched. */
  readonly connect: () => Promise<ForetraceClient>;
  /** The text of a program. @throws ForetraceError unreadable_file */
  readonly readSource: (path: string) => string;
  /** Told when the client has gone or has let the program go. */
  readonly ended: () => void;
}

/** There is one thread. */
const threadId = 1;

/** The adapter of one client. */
export class ForetraceAdapter extends DebugSession {
  private debuggee: Debuggee | null = null;
  private readonly breakpoints = new Breakpoints();
  private readonly containers = new Handles<Container>();
  private isLaunched = false;
  private isMoving = false;
  /** The client has gone. */
  private isOver = false;
  /** Whether the client wants to be told that other variables may have changed too. */
  private showsInvalidated = false;

  constructor(private readonly host: AdapterHost) {
    super();
    this.setDebuggerLinesStartAt1(true);
    this.setDebuggerColumnsStartAt1(true);
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
      async () => void this.program(),
      () => {
        if (this.debuggee?.launch.stopOnEntry === false) this.move(resume(false, this.breakpoints, this.say));
        else this.showStop('entry');
      },
    );
  }

  /** From the start, with the text that the file has now. */
  protected override restartRequest(
    response: DebugProtocol.RestartResponse,
    args: DebugProtocol.RestartArguments | undefined,
  ): void {
    this.answer(
      response,
      async () => {
        const launch = args?.arguments ? readLaunch(args.arguments) : this.program().launch;
        const source = this.host.readSource(launch.program);
        const opened = await this.open(launch, source);
        await this.release();
        this.debuggee = opened;
        this.breakpoints.replace(opened.executable);
      },
      () => this.showStop('entry'),
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

  protected override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    args: DebugProtocol.SetBreakpointsArguments,
  ): void {
    this.answer(response, async () => {
      const { executable } = this.program();
      const wanted = args.breakpoints ?? [];
      if (!this.isProgram(args.source.path)) {
        const breakpoints = wanted.map(() => ({
          verified: false,
          message: 'not the program that is debugged',
        }));
        response.body = { breakpoints };
        return;
      }
      const placed = this.breakpoints.place(
        wanted.map(({ line, condition, logMessage }) => ({
          line: this.convertClientLineToDebugger(line),
          condition,
          logMessage,
        })),
        executable,
      );
      response.body = {
        breakpoints: placed.map(({ placed: line }) =>
          line === undefined
            ? { verified: false, message: 'no code there or below' }
            : { verified: true, line: this.convertDebuggerLineToClient(line) },
        ),
      };
    });
  }

  protected override breakpointLocationsRequest(
    response: DebugProtocol.BreakpointLocationsResponse,
    args: DebugProtocol.BreakpointLocationsArguments,
  ): void {
    this.answer(response, async () => {
      const first = this.convertClientLineToDebugger(args.line);
      const last = this.convertClientLineToDebugger(args.endLine ?? args.line);
      const lines = this.isProgram(args.source.path) ? this.program().executable : [];
      response.body = {
        breakpoints: lines
          .filter((line) => line >= first && line <= last)
          .map((line) => ({ line: this.convertDebuggerLineToClient(line) })),
      };
    });
  }

  protected override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    response.body = { threads: [{ id: threadId, name: this.debuggee?.launch.call ?? 'program' }] };
    this.sendResponse(response);
  }

  protected override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    args: DebugProtocol.StackTraceArguments,
  ): void {
    this.answer(response, async () => {
      const { current, launch } = this.program();
      const source = new Source(basename(launch.program), resolve(launch.program));
      const lineOf = (line: number): number => this.convertDebuggerLineToClient(line);
      const frames = stackOf(current, source, lineOf, this.convertDebuggerColumnToClient(1));
      const first = args.startFrame ?? 0;
      response.body = {
        stackFrames: frames.slice(first, args.levels ? first + args.levels : undefined),
        totalFrames: frames.length,
      };
    });
  }

  protected override scopesRequest(
    response: DebugProtocol.ScopesResponse,
    { frameId }: DebugProtocol.ScopesArguments,
  ): void {
    this.answer(response, async () => {
      response.body = { scopes: scopesOf(() => this.program().current, frameId - 1, this.refer) };
    });
  }

  protected override variablesRequest(
    response: DebugProtocol.VariablesResponse,
    args: DebugProtocol.VariablesArguments,
  ): void {
    this.answer(response, async () => {
      const shown = shownVariables(this.containerOf(args.variablesReference), this.refer);
      const first = args.start ?? 0;
      response.body = { variables: args.count ? shown.slice(first, first + args.count) : shown.slice(first) };
    });
  }

  protected override setVariableRequest(
    response: DebugProtocol.SetVariableResponse,
    args: DebugProtocol.SetVariableArguments,
  ): void {
    this.answer(response, async () => {
      if (!this.containerOf(args.variablesReference).isEditable)
        throw new ForetraceError('invalid_state', 'this value cannot be changed', {
          expected: 'a local of the current frame',
          actual: args.name,
        });
      const { state } = await this.idleProgram().assign(args.name, args.value);
      if (this.showsInvalidated) this.sendEvent(new InvalidatedEvent(['variables']));
      const value = state.frames.at(-1)?.locals.find(({ name }) => name === args.name)?.value ?? args.value;
      response.body = { value, variablesReference: referenceTo(value, args.name, this.refer) };
    });
  }

  protected override evaluateRequest(
    response: DebugProtocol.EvaluateResponse,
    args: DebugProtocol.EvaluateArguments,
  ): void {
    this.answer(response, async () => {
      const program = this.idleProgram();
      const { value, expression } = await program.valueIn(args.frameId, args.expression);
      response.body = { result: value, variablesReference: referenceTo(value, expression, this.refer) };
    });
  }

  protected override exceptionInfoRequest(response: DebugProtocol.ExceptionInfoResponse): void {
    this.answer(response, async () => {
      const { event, value = '' } = this.program().current.state;
      if (event !== eventNumbers.exception)
        throw new ForetraceError('invalid_state', 'no exception was raised here', {
          expected: 'an exception event',
        });
      response.body = {
        exceptionId: value.split('(')[0] || 'Exception',
        description: value,
        breakMode: 'always',
      };
    });
  }

  protected override nextRequest(response: DebugProtocol.NextResponse): void {
    this.answerAndMove(response, stepBy('step_over'));
  }

  protected override stepInRequest(response: DebugProtocol.StepInResponse): void {
    this.answerAndMove(response, stepBy('step_into'));
  }

  /** To the return of the frame, which shows what it gives back; from there into the caller. */
  protected override stepOutRequest(response: DebugProtocol.StepOutResponse): void {
    this.answerAndMove(response, stepBy('step_return'));
  }

  /** A line back in this frame, over the calls in between; an event back where the client asks for instructions. */
  protected override stepBackRequest(
    response: DebugProtocol.StepBackResponse,
    args: DebugProtocol.StepBackArguments,
  ): void {
    this.answerAndMove(
      response,
      stepBy(args.granularity === 'instruction' ? 'inv_step_into' : 'inv_step_over'),
    );
  }

  /** Back to the call of the current frame. */
  protected override restartFrameRequest(
    response: DebugProtocol.RestartFrameResponse,
    args: DebugProtocol.RestartFrameArguments,
  ): void {
    this.answerAndMove(response, stepBy('inv_step_call'), ({ current }) => {
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
    this.answer(response, async () => this.program().interrupt());
  }

  private answerAndMove(
    response: DebugProtocol.Response,
    move: Move,
    check: (program: Debuggee) => void = () => {},
  ): void {
    this.answer(
      response,
      async () => check(this.idleProgram()),
      () => this.move(move),
    );
  }

  /** Moves the program and shows where it stops then. */
  private move(move: Move): void {
    const program = this.program();
    this.isMoving = true;
    move(program)
      .catch((thrown: unknown) => afterFailure(asForetraceError(thrown), this.say))
      .then((reason) => {
        // Let go while it moved: nobody is to be told where it stands.
        if (this.debuggee !== program) return;
        this.isMoving = false;
        if (reason === 'ended') this.sendEvent(new TerminatedEvent());
        else this.showStop(reason);
      });
  }

  private showStop(reason: StopReason): void {
    this.containers.reset();
    const answer = this.program().current;
    const certainty = certaintyOf(answer);
    const event = new StoppedEvent(reason, threadId) as DebugProtocol.StoppedEvent;
    if (certainty !== undefined) event.body.description = `Predicted, ${certainty} sure`;
    if (reason === 'exception') event.body.text = answer.state.value ?? '';
    event.body.allThreadsStopped = true;
    this.sendEvent(event);
  }

  /** Sends the response when `work` is done, or its error, and then does what comes behind the response. */
  private answer(response: DebugProtocol.Response, work: () => Promise<void>, behind?: () => void): void {
    work().then(
      () => {
        this.sendResponse(response);
        behind?.();
      },
      (thrown: unknown) => {
        // With an underscore the text also stands in `message`, which is all that some clients show.
        const variables = { _text: sayingOf(thrown) };
        this.sendErrorResponse(response, { id: 1, format: '{_text}', variables, showUser: true });
      },
    );
  }

  private readonly refer = (container: Container): number => this.containers.create(container);

  private containerOf(reference: number): Container {
    const container = this.containers.get(reference);
    if (container === undefined)
      throw new ForetraceError('unknown_state', 'this variable is of a state that was left');
    return container;
  }

  private isProgram(path: string | undefined): boolean {
    return path !== undefined && resolve(path) === resolve(this.program().launch.program);
  }

  private program(): Debuggee {
    if (this.debuggee === null) throw new ForetraceError('unknown_session', 'no program has been launched');
    return this.debuggee;
  }

  /** @throws ForetraceError busy while an action runs */
  private idleProgram(): Debuggee {
    if (this.isMoving) throw new ForetraceError('busy', 'the program is running');
    return this.program();
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
    this.isMoving = false;
    await program?.close();
  }

  private readonly say: Say = (text, isError) =>
    this.sendEvent(new OutputEvent(`${text}\n`, isError ? 'important' : 'console'));
}
