/** An editor that wants to stop at exceptions, or not to debug at all. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it, vi } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import { actionNumbers, modeNumbers, originNumbers } from '../../../src/wire/messages.js';
import { at, Editor, source, thread } from '../../support/dap-editor.js';
import { shownAnswer } from '../../support/shown-answer.js';

const raised = at('exception', 3, { value: "ValueError('no')" });

describe('exceptions that are raised', () => {
  it('are a filter that the adapter has', async () => {
    const { dap } = await Editor.over({});
    const { body } = await dap.initializeRequest();
    expect(body?.exceptionBreakpointFilters).toMatchObject([{ filter: 'raised', default: false }]);
    await expect(dap.setExceptionBreakpointsRequest({ filters: ['uncaught'] })).rejects.toThrow(
      'invalid_message',
    );
  });

  it('stop steps and moves forward while the filter is set, and nothing that goes back', async () => {
    const act = vi.fn(async (_: { stopAtExceptions?: boolean }) => raised);
    const editor = await Editor.launched({ act }, [{ line: 5 }]);
    const { dap } = editor;
    const asked = async (request: () => Promise<unknown>): Promise<boolean> => {
      await editor.untilStopped(request);
      return act.mock.lastCall?.[0].stopAtExceptions ?? false;
    };
    expect(await asked(() => dap.continueRequest(thread))).toBe(false);
    await dap.setExceptionBreakpointsRequest({ filters: ['raised'] });
    expect(await asked(() => dap.continueRequest(thread))).toBe(true);
    expect(editor.stopped).toMatchObject({ reason: 'exception', text: "ValueError('no')" });
    for (const command of ['next', 'stepIn', 'stepOut'] as const)
      expect([command, await asked(() => dap.customRequest(command, thread))]).toEqual([command, true]);
    for (const command of ['stepBack', 'reverseContinue'] as const)
      expect([command, await asked(() => dap.customRequest(command, thread))]).toEqual([command, false]);
    await dap.setExceptionBreakpointsRequest({ filters: [] });
    expect(await asked(() => dap.continueRequest(thread))).toBe(false);
  });
});

/** What is said of a program that is not to be debugged, behind which the adapter has ended. */
async function runWithout(act: unknown): Promise<Editor> {
  const editor = await Editor.over({ act });
  await editor.dap.initializeRequest();
  const launch = { program: 'a.py', call: 'f(7)', noDebug: true } as DebugProtocol.LaunchRequestArguments;
  await Promise.all([editor.dap.waitForEvent('initialized'), editor.dap.launchRequest(launch)]);
  await editor.dap.setBreakpointsRequest({ source, breakpoints: [{ line: 3 }] });
  await Promise.all([editor.dap.waitForEvent('terminated'), editor.dap.configurationDoneRequest()]);
  return editor;
}

describe('a program that is not to be debugged', () => {
  it('goes through, says what it gives, and ends', async () => {
    const act = vi.fn(async () => at('return', 5, { value: '14' }));
    const { outputs } = await runWithout(act);
    expect(act).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ action: { kind: actionNumbers.continue, lines: [] } }),
      expect.anything(),
    );
    expect(outputs).toMatchObject([{ category: 'console', output: 'returned 14\n' }]);
  });

  it('says what left it', async () => {
    const end = shownAnswer({ ...at('return', 3, { value: 'None' }), mode: modeNumbers.walk });
    const before = shownAnswer({ ...raised, origin: originNumbers.derived });
    const { outputs } = await runWithout(async ({ action }: { action: { kind: number } }) =>
      action.kind === actionNumbers.continue ? end : before,
    );
    expect(outputs).toMatchObject([{ output: "raised ValueError('no')\n" }]);
  });

  it('ends where it is not known', async () => {
    const { outputs } = await runWithout(async () => {
      throw new ForetraceError('walk_too_long', 'no end');
    });
    expect(outputs).toMatchObject([{ category: 'important', output: 'walk_too_long: no end\n' }]);
  });
});
