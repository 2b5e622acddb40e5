import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it, vi } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import { actionNumbers, eventNumbers, modeNumbers, originNumbers } from '../../../src/wire/messages.js';
import { at, Editor, program, source, thread } from '../../support/dap-editor.js';
import { local, shownAnswer } from '../../support/shown-answer.js';

describe('the debug adapter', () => {
  it('stops at the entry, where nothing has been predicted', async () => {
    const { dap, open, stopped } = await Editor.launched();
    expect(open).toHaveBeenCalledWith({ source: '# a.py', call: 'f(7)' });
    expect(stopped).toEqual({ reason: 'entry', threadId: 1, allThreadsStopped: true });
    expect((await dap.threadsRequest()).body.threads).toEqual([{ id: 1, name: 'f(7)' }]);
    const { body } = await dap.stackTraceRequest(thread);
    expect(body.totalFrames).toBe(1);
    expect(body.stackFrames).toMatchObject([
      { id: 1, name: 'f', line: 1, column: 1, source: { path: program } },
    ]);
  });

  it('goes on to the first breakpoint where it is not to stop at the entry', async () => {
    const act = vi.fn(async () => at('line', 3));
    const { stopped } = await Editor.launched({ act }, [{ line: 3 }], { stopOnEntry: false, mode: 'walk' });
    const action = { kind: actionNumbers.breakpoint, lines: [3] };
    expect(act).toHaveBeenCalledExactlyOnceWith(
      { session: 's', action, mode: modeNumbers.walk },
      expect.anything(),
    );
    expect(stopped).toMatchObject({ reason: 'breakpoint', description: 'Predicted, 25 % sure' });
  });

  it.each([
    ['next', 'step_over'],
    ['stepIn', 'step_into'],
    ['stepOut', 'step_return'],
    ['stepBack', 'inv_step_over'],
    ['continue', 'continue'],
    ['reverseContinue', 'inv_continue'],
  ] as const)('%s asks for %s', async (command, action) => {
    const act = vi.fn(async () => at('line', 2));
    const editor = await Editor.launched({ act });
    await editor.untilStopped(() => editor.dap.customRequest(command, thread));
    expect(act).toHaveBeenCalledWith(
      { session: 's', action: { kind: actionNumbers[action], lines: [] }, mode: modeNumbers.auto },
      expect.anything(),
    );
  });

  it('goes back an event where instructions are asked for, and to breakpoints where there are some', async () => {
    const act = vi.fn(async ({ action }: { action: { kind: number } }) =>
      action.kind === actionNumbers.inv_breakpoint ? at('line', 5) : at('line', 2),
    );
    const editor = await Editor.launched({ act }, [{ line: 4 }]);
    await editor.untilStopped(() =>
      editor.dap.customRequest('stepBack', { ...thread, granularity: 'instruction' }),
    );
    expect(act).toHaveBeenLastCalledWith(
      expect.objectContaining({ action: { kind: actionNumbers.inv_step_into, lines: [] } }),
      expect.anything(),
    );
    const stopped = await editor.untilStopped(() => editor.dap.reverseContinueRequest(thread));
    expect(stopped.reason).toBe('breakpoint');
    expect(act).toHaveBeenLastCalledWith(
      expect.objectContaining({ action: { kind: actionNumbers.inv_breakpoint, lines: [5] } }),
      expect.anything(),
    );
  });

  it('goes on past breakpoints whose condition does not hold', async () => {
    const values = ['False', '0', 'True'];
    const act = vi.fn(async () => at('line', 3));
    const evaluate = vi.fn(async () => ({ value: values.shift() }));
    const editor = await Editor.launched({ act, evaluate }, [{ line: 3, condition: 'n == 7' }]);
    expect((await editor.untilStopped(() => editor.dap.continueRequest(thread))).reason).toBe('breakpoint');
    expect(act).toHaveBeenCalledTimes(3);
  });

  it('says what log points say, and comes to an end in a loop that does not', async () => {
    const act = vi.fn(async () => at('line', 3));
    const evaluate = async () => ({ value: '7' });
    const editor = await Editor.launched({ act, evaluate }, [{ line: 3, logMessage: 'n = {n}' }]);
    expect((await editor.untilStopped(() => editor.dap.continueRequest(thread))).reason).toBe('pause');
    expect(act).toHaveBeenCalledTimes(256);
    expect(editor.outputs[0]).toMatchObject({ category: 'console', output: 'n = 7\n' });
    expect(editor.outputs.at(-1)).toMatchObject({ category: 'important' });
  });

  it('moves breakpoints to lines with code, and refuses those of other files', async () => {
    const { dap } = await Editor.launched();
    const here = await dap.setBreakpointsRequest({ source, breakpoints: [{ line: 4 }, { line: 9 }] });
    expect(here.body.breakpoints).toEqual([
      { verified: true, line: 5 },
      { verified: false, message: 'no code there or below' },
    ]);
    const there = await dap.setBreakpointsRequest({ source: { path: '/b.py' }, breakpoints: [{ line: 2 }] });
    expect(there.body.breakpoints).toMatchObject([{ verified: false }]);
    const { body } = await dap.customRequest('breakpointLocations', { source, line: 2, endLine: 4 });
    expect(body.breakpoints).toEqual([{ line: 2 }, { line: 3 }]);
  });

  it('shows frames, locals with their parts, and how sure it is', async () => {
    const answer = shownAnswer({
      state: {
        event: eventNumbers.return,
        frames: [
          { line: 2, locals: [local('x', '1')], its: [], gots: [] },
          { line: 3, locals: [local('ys', "[1, {'a': 2}]")], its: [], gots: [] },
        ],
        hiddenFrames: 4,
        value: '(1, 2)',
      },
      probability: { event: 1, line: 0.5, locals: { ys: 0.75 }, value: 0.25 },
    });
    const editor = await Editor.launched({ act: async () => answer });
    await editor.untilStopped(() => editor.dap.nextRequest(thread));
    const { dap } = editor;
    const { stackFrames } = (await dap.stackTraceRequest({ ...thread, levels: 3 })).body;
    expect(stackFrames).toMatchObject([
      { id: 2, name: 'f', line: 3, canRestart: true },
      { id: 1, name: 'g', line: 2, canRestart: false },
      { name: '4 outer frames', presentationHint: 'label' },
    ]);
    const variablesOf = async (variablesReference: number) =>
      (await dap.variablesRequest({ variablesReference })).body.variables;
    const [returned, locals, prediction] = (await dap.scopesRequest({ frameId: 2 })).body.scopes;
    expect([returned?.name, locals?.name, prediction?.name]).toEqual([
      'Return value',
      'Locals',
      'Prediction',
    ]);
    expect(await variablesOf(returned?.variablesReference ?? 0)).toMatchObject([
      { name: 'returned', value: '(1, 2)' },
    ]);
    const [ys] = await variablesOf(locals?.variablesReference ?? 0);
    expect(ys).toMatchObject({ name: 'ys', evaluateName: 'ys' });
    const parts = await variablesOf(ys?.variablesReference ?? 0);
    expect(parts).toMatchObject([
      { name: '0', value: '1', evaluateName: 'ys[0]', variablesReference: 0 },
      { name: '1', value: "{'a': 2}", evaluateName: 'ys[1]' },
    ]);
    expect(await variablesOf(parts[1]?.variablesReference ?? 0)).toMatchObject([
      { name: "'a'", value: '2', evaluateName: "ys[1]['a']" },
    ]);
    expect(await variablesOf(prediction?.variablesReference ?? 0)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'probability of the value', value: '25 %' }),
        expect.objectContaining({ name: 'probability of ys', value: '75 %' }),
      ]),
    );
    const [outer, ...others] = (await dap.scopesRequest({ frameId: 1 })).body.scopes;
    expect(others).toEqual([]);
    const [x] = await variablesOf(outer?.variablesReference ?? 0);
    expect(x).toEqual({ name: 'x', value: '1', variablesReference: 0 });
  });

  it('gives locals of the current frame other values', async () => {
    const edited = shownAnswer({ ...at('line', 2), origin: originNumbers.given });
    const edit = vi.fn(async () => ({
      ...edited,
      state: { ...edited.state, frames: [{ line: 2, locals: [local('n', '[9]')], its: [], gots: [] }] },
    }));
    const { dap } = await Editor.launched({ edit });
    const [locals, prediction] = (await dap.scopesRequest({ frameId: 1 })).body.scopes;
    const variablesReference = locals?.variablesReference ?? 0;
    const { body } = await dap.setVariableRequest({ variablesReference, name: 'n', value: '[9]' });
    expect(body).toMatchObject({ value: '[9]', variablesReference: expect.any(Number) });
    expect(edit).toHaveBeenCalledWith({ session: 's', locals: { n: '[9]' } });
    expect((await dap.variablesRequest({ variablesReference })).body.variables[0]?.value).toBe('[9]');
    await expect(
      dap.setVariableRequest({
        variablesReference: prediction?.variablesReference ?? 0,
        name: 'event',
        value: '1',
      }),
    ).rejects.toThrow('invalid_state');
  });

  it('evaluates in the current frame; of outer ones it shows locals', async () => {
    const evaluate = vi.fn(async ({ expression }: { expression: string }) =>
      expression === '1 / 0' ? { exception: "ZeroDivisionError('division by zero')" } : { value: '[8]' },
    );
    const act = async () => shownAnswer();
    const editor = await Editor.launched({ act, evaluate });
    await editor.untilStopped(() => editor.dap.stepInRequest(thread));
    const { dap } = editor;
    expect((await dap.evaluateRequest({ expression: 'n + 1', frameId: 2 })).body).toMatchObject({
      result: '[8]',
      variablesReference: expect.any(Number),
    });
    expect((await dap.evaluateRequest({ expression: 'y' })).body.result).toBe('2');
    expect((await dap.evaluateRequest({ expression: 'x', frameId: 1 })).body.result).toBe('1');
    expect(evaluate).toHaveBeenCalledTimes(1);
    await expect(dap.evaluateRequest({ expression: 'x + 1', frameId: 1 })).rejects.toThrow(
      'invalid_expression',
    );
    await expect(dap.evaluateRequest({ expression: '1 / 0' })).rejects.toThrow(
      /^ZeroDivisionError\('division by zero'\)$/,
    );
  });

  it('shows exceptions as such', async () => {
    const raised = at('exception', 3, { value: "ValueError('no')" });
    const editor = await Editor.launched({ act: async () => raised });
    await expect(editor.dap.exceptionInfoRequest(thread)).rejects.toThrow('no exception');
    expect(await editor.untilStopped(() => editor.dap.nextRequest(thread))).toMatchObject({
      reason: 'exception',
      text: "ValueError('no')",
    });
    expect((await editor.dap.exceptionInfoRequest(thread)).body).toMatchObject({
      exceptionId: 'ValueError',
      description: "ValueError('no')",
    });
  });

  it('ends behind the last state of a run, and stands still before the first', async () => {
    const codes = ['past_start', 'overloaded', 'past_end'] as const;
    let call = 0;
    const act = async () => {
      throw new ForetraceError(codes[call++] ?? 'internal', 'nothing there');
    };
    const editor = await Editor.launched({ act });
    expect((await editor.untilStopped(() => editor.dap.stepBackRequest(thread))).reason).toBe('entry');
    expect((await editor.untilStopped(() => editor.dap.nextRequest(thread))).reason).toBe('pause');
    expect(editor.outputs).toMatchObject([{ category: 'important', output: 'overloaded: nothing there\n' }]);
    await Promise.all([editor.dap.waitForEvent('terminated'), editor.dap.nextRequest(thread)]);
  });

  it('is paused by a cancelled request, and refuses other moves meanwhile', async () => {
    const act = vi.fn(
      (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () =>
            reject(new ForetraceError('cancelled', 'the request was cancelled')),
          ),
        ),
    );
    const editor = await Editor.launched({ act });
    await editor.dap.continueRequest(thread);
    await expect(editor.dap.nextRequest(thread)).rejects.toThrow('busy');
    expect((await editor.untilStopped(() => editor.dap.pauseRequest(thread))).reason).toBe('pause');
    expect(editor.outputs).toEqual([]);
  });

  it('is paused while a condition is asked for, and begins anew while it moves', async () => {
    const endless = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () =>
          reject(new ForetraceError('cancelled', 'the request was cancelled')),
        ),
      );
    const act = vi.fn(async () => at('line', 3));
    const evaluate = vi.fn(endless);
    const editor = await Editor.launched({ act, evaluate }, [{ line: 3, condition: 'n' }]);
    const asked = async (times: number) => {
      await editor.dap.continueRequest(thread);
      await vi.waitFor(() => expect(evaluate).toHaveBeenCalledTimes(times));
    };
    await asked(1);
    expect((await editor.untilStopped(() => editor.dap.pauseRequest(thread))).reason).toBe('pause');
    await asked(2);
    expect((await editor.untilStopped(() => editor.dap.restartRequest({}))).reason).toBe('entry');
    await asked(3);
    expect(editor.outputs).toEqual([]);
  });

  it('begins anew with the text the file has then, and goes back to a call', async () => {
    const act = vi.fn(async () => at('call', 1));
    const editor = await Editor.launched({ act }, [{ line: 3 }]);
    await editor.untilStopped(() => editor.dap.restartFrameRequest({ frameId: 1 }));
    expect(act).toHaveBeenLastCalledWith(
      expect.objectContaining({ action: { kind: actionNumbers.inv_step_call, lines: [] } }),
      expect.anything(),
    );
    await expect(editor.dap.restartFrameRequest({ frameId: 2 })).rejects.toThrow('invalid_action');
    expect((await editor.untilStopped(() => editor.dap.restartRequest({}))).reason).toBe('entry');
    expect(editor.open).toHaveBeenCalledTimes(2);
    expect(editor.closeSession).toHaveBeenCalledTimes(1);
  });

  it('starts at a state where one is given', async () => {
    const start = { event: 'line', line: 3, locals: { n: '2' } };
    const { open } = await Editor.launched({}, [], { call: 'f(...)', start });
    expect(open).toHaveBeenCalledWith(
      expect.objectContaining({ start: expect.objectContaining({ event: eventNumbers.line }) }),
    );
  });

  it('says what is wrong with a launch, and of requests without a program', async () => {
    const { dap } = await Editor.over({});
    const { body } = await dap.initializeRequest();
    expect(body).toMatchObject({ supportsStepBack: true, supportsConditionalBreakpoints: true });
    await expect(dap.nextRequest(thread)).rejects.toThrow('no program has been launched');
    await expect(dap.attachRequest({})).rejects.toThrow('attach');
    await expect(dap.launchRequest({} as DebugProtocol.LaunchRequestArguments)).rejects.toThrow(
      "must have required property 'program'",
    );
  });

  it('gives a session back that is opened while the client goes, and opens one program a client', async () => {
    let opened: (value: unknown) => void = () => {};
    const open = vi.fn(
      () =>
        new Promise((resolve) => {
          opened = resolve;
        }),
    );
    const editor = await Editor.over({ open });
    const launch = { program: 'a.py', call: 'f(7)' } as DebugProtocol.LaunchRequestArguments;
    await editor.dap.initializeRequest();
    const launched = editor.dap.launchRequest(launch).catch((error: Error) => error);
    await vi.waitFor(() => expect(open).toHaveBeenCalled());
    await expect(editor.dap.launchRequest(launch)).rejects.toThrow('busy');
    await editor.dap.disconnectRequest();
    opened({ session: 'late', start: at('call', 1), executableLines: [2], programTokens: 1 });
    expect(String(await launched)).toContain('cancelled');
    expect(editor.closeSession).toHaveBeenCalledExactlyOnceWith('late');
  });

  it('gives the session back when the client goes, with or without a goodbye', async () => {
    const polite = await Editor.launched();
    await polite.dap.disconnectRequest();
    await vi.waitFor(() => expect(polite.ended).toHaveBeenCalled());
    expect(polite.closeSession).toHaveBeenCalledExactlyOnceWith('s');
    const gone = await Editor.launched();
    await gone.dap.stop();
    await vi.waitFor(() => expect(gone.ended).toHaveBeenCalled());
    expect(gone.closeSession).toHaveBeenCalledExactlyOnceWith('s');
  });
});
