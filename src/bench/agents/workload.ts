/** What the agents ask: programs and a mix of actions, from a file (docs/serving.md) or built in. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type JSONSchemaType } from 'ajv';
import { type ActionKind, actionKinds, isReverse, takesLines } from '../../debugger/action.js';
import { ForetraceError } from '../../errors.js';
import { defaultMode, type Mode } from '../../session/navigate.js';
import { modeNumbers } from '../../wire/messages.js';

export interface WorkloadProgram {
  readonly name: string;
  readonly source: string;
  readonly call: string;
  readonly weight: number;
}

export interface WorkloadTurn {
  readonly action: ActionKind | 'evaluate';
  readonly weight: number;
  readonly mode: Mode;
  /** Breakpoint lines to choose from; empty: all lines of the program that can be executed. */
  readonly lines: readonly number[];
  /** Expressions to choose from, for `evaluate`. */
  readonly expressions: readonly string[];
}

export interface Workload {
  readonly name: string;
  readonly programs: readonly WorkloadProgram[];
  readonly turns: readonly WorkloadTurn[];
  /** Turns after which an agent opens a new session, over the next program. */
  readonly turnsPerSession: number;
  /** Pause of an agent between an answer and its next question, in the closed loop. */
  readonly thinkMillis: number;
}

interface ProgramText {
  file?: string;
  name?: string;
  source?: string;
  call?: string;
  weight?: number;
}
interface TurnText {
  action: string;
  weight?: number;
  mode?: string;
  lines?: number[];
  expressions?: string[];
}
interface WorkloadText {
  name?: string;
  programs: ProgramText[];
  actions: TurnText[];
  turns_per_session?: number;
  think_ms?: number;
}

const weight = { type: 'number', exclusiveMinimum: 0, nullable: true } as const;
const text = { type: 'string', minLength: 1, nullable: true } as const;

const schema: JSONSchemaType<WorkloadText> = {
  type: 'object',
  properties: {
    name: text,
    programs: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { file: text, name: text, source: text, call: text, weight },
        required: [],
        additionalProperties: false,
      },
    },
    actions: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: [...actionKinds, 'evaluate'] },
          weight,
          mode: { type: 'string', enum: Object.keys(modeNumbers), nullable: true },
          lines: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, nullable: true },
          expressions: { type: 'array', items: { type: 'string' }, minItems: 1, nullable: true },
        },
        required: ['action'],
        additionalProperties: false,
      },
    },
    turns_per_session: { type: 'integer', minimum: 1, nullable: true },
    think_ms: { type: 'number', minimum: 0, nullable: true },
  },
  required: ['programs', 'actions'],
  additionalProperties: false,
};
const isWorkload = new Ajv({ allErrors: true }).compile(schema);

const defaultTurnsPerSession = 16;

/** @throws ForetraceError unreadable_file */
export function readWorkload(path: string): Workload {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw unreadable(path, error instanceof Error ? error.message : String(error));
  }
  return workloadOf(json, path);
}

/**
 * @param place where the workload comes from: for errors; programs that are files lie relative to it
 * @throws ForetraceError unreadable_file
 */
export function workloadOf(json: unknown, place: string): Workload {
  if (!isWorkload(json)) {
    const problems = (isWorkload.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
    );
    throw unreadable(place, problems.join('; '));
  }
  const turns = json.actions.map((turn) => turnOf(turn, place));
  if (turns.every(({ action }) => isReverse(action as ActionKind))) {
    throw unreadable(place, 'all actions are reverse ones, which the start of a program does not have');
  }
  return {
    name: json.name ?? basename(place, '.json'),
    programs: json.programs.map((program, index) => programOf(program, index, place)),
    turns,
    turnsPerSession: json.turns_per_session ?? defaultTurnsPerSession,
    thinkMillis: json.think_ms ?? 0,
  };
}

function turnOf(
  { action, weight = 1, mode = defaultMode, lines, expressions }: TurnText,
  place: string,
): WorkloadTurn {
  if (lines && !takesLines(action as ActionKind)) throw unreadable(place, `${action} takes no lines`);
  if ((action === 'evaluate') !== (expressions !== undefined)) {
    throw unreadable(place, `${action} has ${expressions ? '' : 'no '}expressions, which evaluate alone has`);
  }
  return {
    action: action as WorkloadTurn['action'],
    weight,
    mode: mode as Mode,
    lines: lines ?? [],
    expressions: expressions ?? [],
  };
}

/** The call that an example names in its first line. */
const namedCall = /^# Debug: (.+)$/m;

function programOf(program: ProgramText, index: number, place: string): WorkloadProgram {
  const { file, weight = 1 } = program;
  if ((file === undefined) === (program.source === undefined)) {
    throw unreadable(place, `program ${index + 1} must have either a file or a source`);
  }
  const source = program.source ?? readProgram(resolve(dirname(place), file as string));
  const call = program.call ?? namedCall.exec(source)?.[1];
  if (call === undefined) throw unreadable(place, `program ${index + 1} has no call`);
  return {
    name: program.name ?? (file ? basename(file, '.py') : `program ${index + 1}`),
    source,
    call,
    weight,
  };
}

function readProgram(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error instanceof Error ? error.message : String(error));
  }
}

const unreadable = (place: string, actual: string): ForetraceError =>
  new ForetraceError('unreadable_file', `${place} is not a workload`, {
    expected: 'a JSON file as docs/serving.md describes it',
    actual,
  });

/** Four of the examples that ship; small steps mostly, as somebody who debugs takes them, and now and then a jump or a step back. */
export function defaultWorkload(): Workload {
  const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
  const names = ['off_by_one', 'recursion', 'string_bug', 'exception_path'];
  const json = {
    name: 'examples',
    programs: names.map((name) => ({ file: `${name}.py` })),
    actions: [
      { action: 'step_into', weight: 6 },
      { action: 'step_over', weight: 6 },
      { action: 'step_return', weight: 1 },
      { action: 'breakpoint', weight: 2 },
      { action: 'continue', weight: 1 },
      { action: 'inv_step_into', weight: 2 },
      { action: 'inv_step_over', weight: 1 },
      { action: 'inv_step_call', weight: 1 },
    ],
  };
  return workloadOf(json, `${examples}workload`);
}
