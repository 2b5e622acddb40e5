/** The arguments of `launch`: which program, which call, from where. */
import { Ajv, type JSONSchemaType } from 'ajv';
import { ForetraceError } from '../errors.js';
import { problemOf } from './arguments.js';

export interface LaunchArguments {
  /** Path of a Python file. */
  program: string;
  /** The entry: one call expression. */
  call: string;
  /** State to start at, as `debug --start` takes it: needed where the entry is written `f(...)`. */
  start?: Record<string, unknown>;
  /** Stop where it starts (default), or go on to the first breakpoint. */
  stopOnEntry: boolean;
  /** Go through without a stop, as the protocol has it for programs that are not to be debugged. */
  noDebug: boolean;
  /** How an action is answered: by a prediction, by one for each event on the way, or by what is most likely right. */
  mode: 'auto' | 'walk' | 'jump';
}

const schema: JSONSchemaType<LaunchArguments> = {
  type: 'object',
  properties: {
    program: { type: 'string', minLength: 1 },
    call: { type: 'string', minLength: 1 },
    start: { type: 'object', required: [], nullable: true },
    stopOnEntry: { type: 'boolean', default: true },
    noDebug: { type: 'boolean', default: false },
    mode: { type: 'string', enum: ['auto', 'walk', 'jump'], default: 'auto' },
  },
  required: ['program', 'call'],
};
const validate = new Ajv({ useDefaults: true }).compile(schema);

/** What clients add of their own (`type`, `name`, `request`, ..) is left alone. @throws ForetraceError invalid_message */
export function readLaunch(given: unknown): LaunchArguments {
  const copy: unknown = structuredClone(given ?? {});
  if (validate(copy)) return copy;
  throw new ForetraceError('invalid_message', 'the launch configuration cannot be used', {
    expected:
      '"program": a Python file, "call": a call expression, and maybe "start": a state, "stopOnEntry", "mode": auto, walk or jump',
    actual: problemOf(validate.errors, 'the configuration'),
  });
}
