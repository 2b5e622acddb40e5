/** The requests of a client that looks at the program where it stands: breakpoints, frames, variables, values. */
import { basename, resolve } from 'node:path';
import { Handles, InvalidatedEvent, Source } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { ForetraceError } from '../errors.js';
import { eventNumbers } from '../wire/messages.js';
import { Breakpoints } from './breakpoints.js';
import { raisedFilter } from './capabilities.js';
import { ProgramSession, threadId } from './program-session.js';
import { stackOf } from './stack.js';
import { type Container, referenceTo, scopesOf, shownVariables } from './variables.js';

export abstract class LookingSession extends ProgramSession {
  protected readonly breakpoints = new Breakpoints();
  /** Of the state where the program stands. */
  protected readonly containers = new Handles<Container>();
  /** Whether the client wants to be told that other variables may have changed too. */
  protected showsInvalidated = false;

  protected override setExceptionBreakPointsRequest(
    response: DebugProtocol.SetExceptionBreakpointsResponse,
    { filters }: DebugProtocol.SetExceptionBreakpointsArguments,
  ): void {
    this.breakpoints.stopsAtExceptions = filters.includes(raisedFilter);
    this.sendResponse(response);
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

  private readonly refer = (container: Container): number => this.containers.create(container);

  private containerOf(reference: number): Container {
    const container = this.containers.get(reference);
    if (container === undefined)
      throw new ForetraceError('unknown_state', 'this variable is of a state that was left');
    return container;
  }

  private isProgram(path: string | null | undefined): boolean {
    return typeof path === 'string' && resolve(path) === resolve(this.program().launch.program);
  }
}
