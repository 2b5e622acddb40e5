/** Tools that follow a run from a state of a session and pick out what was asked for; the session stays where it is. */
import { z } from 'zod';
import { queryText } from '../view/query.js';
import type { WireQuery } from '../wire/messages.js';
import { line, sessionField, stateField } from './arguments.js';
import type { Sessions } from './sessions.js';
import type { AddTool } from './tool.js';

const runFields = {
  session: sessionField,
  from: stateField,
  rows: z.int().min(1).max(256).default(64).describe('how many rows at most'),
  page: z.string().default('').describe('what the answer before named for the next page'),
};
const nameField = z.string().describe('name of a local');

interface GivenRun {
  readonly session: string;
  readonly from?: number | undefined;
  readonly rows: number;
  readonly page: string;
}

export function addRunTools(add: AddTool, sessions: Sessions): void {
  const follow = async (
    about: Partial<WireQuery>,
    { session, from, rows, page }: GivenRun,
    signal: AbortSignal,
  ): Promise<string> => {
    const result = await sessions.find(session).query({ ...about, maxRows: rows, page }, from, signal);
    const more = result.truncated ? [`more follows: ask again with page ${result.nextPage}`] : [];
    return [...queryText(result), ...more].join('\n');
  };

  add(
    'values_at',
    {
      title: 'Values at a line',
      description:
        'Follows the run from a state to its end and lists the values that a local has at every hit of a line.',
    },
    z.strictObject({ ...runFields, name: nameField, line }),
    ({ name, line: at, ...run }, signal) => follow({ valuesAt: { name, line: at } }, run, signal),
  );
  add(
    'first_change',
    {
      title: 'Where a local changes',
      description:
        'Follows the current frame and finds the first state in which a local is another than now.',
    },
    z.strictObject({ ...runFields, name: nameField }),
    ({ name, ...run }, signal) => follow({ firstChange: { name } }, run, signal),
  );
  add(
    'frame_table',
    {
      title: 'The rest of a frame as a table',
      description: 'Follows the current frame until it returns and lists its locals at every line.',
    },
    z.strictObject({ ...runFields, names: z.array(z.string()).default([]).describe('locals; none: all') }),
    ({ names, ...run }, signal) => follow({ frameTable: { names } }, run, signal),
  );
}
