import { afterEach, describe, expect, it, vi } from 'vitest';
import { DebugPrompt } from '../../../src/cli/debug-prompt.js';
import type { ForetraceClient } from '../../../src/client/client.js';
import { ForetraceError } from '../../../src/errors.js';
import { shownAnswer } from '../../support/shown-answer.js';

afterEach(() => {
  process.exitCode = 0;
});

/** A prompt over a service that answers as the test says. */
async function promptOver(
  calls: Partial<ForetraceClient>,
): Promise<{ prompt: DebugPrompt; shown: string[] }> {
  const open = async () => ({ session: 's', start: shownAnswer(), executableLines: [1], programTokens: 1 });
  const shown: string[] = [];
  const options = { source: 'x', call: 'f()', json: false };
  const client = { open, ...calls } as unknown as ForetraceClient;
  const prompt = await DebugPrompt.open(client, options, (text) => shown.push(text));
  shown.length = 0;
  return { prompt, shown };
}

describe('the debug prompt', () => {
  it.each([
    'table',
    'values x 3',
    'changed x',
  ])('ends %s where the predicted loop does not', async (command) => {
    const page = {
      rows: [],
      columns: ['x'],
      end: 0,
      truncated: true,
      nextPage: 'more',
      steps: { model: 200, cache: 56 },
    };
    const query = vi.fn(async () => page as never);
    const { prompt, shown } = await promptOver({ query });
    await prompt.runScript(command);
    expect(query).toHaveBeenCalledTimes(16);
    expect(shown.at(-1)).toBe(
      'walk_too_long: the query has come to no end, and stops here (expected an end within 4096 events; found none after 4096)',
    );
    expect(process.exitCode).toBe(1);
  });

  it('says what was expected and what was found, without control characters', async () => {
    const details = { expected: 'a local', actual: 'x\u001b[31m' };
    const { prompt, shown } = await promptOver({
      goto: () => Promise.reject(new ForetraceError('unknown_state', 'none', details)),
    });
    await prompt.runScript('goto 7');
    expect(shown).toEqual(['unknown_state: none (expected a local; found x\\u{1b}[31m)']);
  });
});
