/** Arguments that several tools take. */
import { z } from 'zod';
import { ForetraceError } from '../errors.js';
import { actionNumbers, modeNumbers } from '../wire/messages.js';
import { readStart } from '../wire/start-state.js';
import type { GivenAction, ProgramText } from './debugged.js';

const keysOf = <Table extends object>(table: Table): [keyof Table & string, ...(keyof Table & string)[]] =>
  Object.keys(table) as [keyof Table & string, ...(keyof Table & string)[]];

export const line = z.int().min(1);
const mode = z
  .enum(keysOf(modeNumbers))
  .default('auto')
  .describe(
    'walk: predict every event on the way (surest, slower); jump: one prediction; auto: whichever is likelier right',
  );

/** How far a walk may go. */
export const wayFields = {
  mode,
  max_events: z.int().min(1).max(1024).default(256).describe('most events of a walk'),
};

export type Way = Pick<GivenAction, 'mode' | 'maxEvents'>;

export const wayOf = (given: { mode: Way['mode']; max_events: number }): Way => ({
  mode: given.mode,
  maxEvents: given.max_events,
});

const call = z
  .string()
  .describe("the entry: one call expression with literal arguments, such as f([1, 2], 'x')");
const programFields = {
  file: z.string().optional().describe('path of a Python file; this or source'),
  source: z.string().optional().describe('text of a Python program; this or file'),
  call,
};
const textFields = { source: z.string().describe('text of a Python program'), call };

/** How an agent gives a program that a tool is about: as a text, or also as a file where it works on the same machine. */
export interface Programs {
  readonly fields: typeof programFields;
  /** @throws ForetraceError invalid_message for neither or both of file and source, unreadable_file, invalid_state */
  read(given: GivenProgram): ProgramText;
}

/** @param readSource reads a file, where agents may name some; throws ForetraceError unreadable_file */
export function programsOf(readSource?: (file: string) => string): Programs {
  if (readSource !== undefined)
    return { fields: programFields, read: (given) => readProgram(given, readSource) };
  const noFiles = (actual: string): never => {
    throw new ForetraceError('unreadable_file', 'files are not read', { expected: 'source', actual });
  };
  // What passes these has passed the others.
  const fields = textFields as unknown as typeof programFields;
  return { fields, read: (given) => readProgram(given, noFiles) };
}

export const startField = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'state to start at instead of the call, such as {"event": "line", "line": 4, "locals": {"x": "3"}}: values as repr; "value" for return and exception; "its": [N], a number for each for loop around the line, how many items it has passed; "callers": [{"line", "locals"}] below it. Needed where the call hides its arguments: f(...)',
  );

export const sessionField = z.string().describe('session, as start_debugging has named it');
export const stateField = z
  .int()
  .min(1)
  .optional()
  .describe('number of a state of the session (#N); left out: where the session stands');

/** What of a state's action an agent gives. */
export const actionFields = {
  action: z
    .enum(keysOf(actionNumbers))
    .describe(
      'step_into: the next event; step_over: the next in this frame; step_return: the return of this frame; breakpoint: the next hit of one of lines; continue: the end of the run; inv_*: the same backwards (inv_step_call: the call of this frame; inv_continue: the beginning)',
    ),
  lines: z.array(line).default([]).describe('lines of breakpoint and inv_breakpoint'),
};

interface GivenProgram {
  readonly file?: string | undefined;
  readonly source?: string | undefined;
  readonly call: string;
  readonly start?: Record<string, unknown> | undefined;
}

function readProgram(given: GivenProgram, readSource: (file: string) => string): ProgramText {
  const { file, source, call, start } = given;
  if ((file === undefined) === (source === undefined))
    throw new ForetraceError('invalid_message', 'one program is needed', {
      expected: 'file or source',
      actual: file === undefined ? 'neither' : 'both',
    });
  return {
    source: source ?? readSource(file as string),
    call,
    ...(start === undefined ? {} : { start: readStart(JSON.stringify(start)) }),
  };
}
