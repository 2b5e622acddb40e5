/** The arguments of the requests that the adapter reads, as the Debug Adapter Protocol has them. */
import { Ajv, type ErrorObject, type Schema, type ValidateFunction } from 'ajv';
import { ForetraceError } from '../errors.js';
import { raisedFilter } from './capabilities.js';

const text = { type: 'string' } as const;
/** Lines, references, indices. */
const number = { type: 'integer', minimum: 0 } as const;
const source = { type: 'object', properties: { path: { type: 'string', nullable: true } } } as const;
const breakpoint = {
  type: 'object',
  properties: {
    line: number,
    condition: { type: 'string', nullable: true },
    logMessage: { type: 'string', nullable: true },
  },
  required: ['line'],
} as const;

/** There is one thread, whichever is named. */
const threadId = { type: 'integer' } as const;
const ofThread: Schema = { type: 'object', properties: { threadId }, required: ['threadId'] };

/** By command. Those that are not here have arguments that nobody reads, or (`launch`) a reader of their own. */
const schemas: Readonly<Record<string, Schema>> = {
  // The library refuses what names no format, for which the protocol has a default.
  initialize: {
    type: 'object',
    properties: { pathFormat: { type: 'string', enum: ['path'], default: 'path' } },
  },
  setBreakpoints: {
    type: 'object',
    properties: { source, breakpoints: { type: 'array', items: breakpoint } },
    required: ['source'],
  },
  setExceptionBreakpoints: {
    type: 'object',
    properties: { filters: { type: 'array', items: { type: 'string', enum: [raisedFilter] } } },
    required: ['filters'],
  },
  breakpointLocations: {
    type: 'object',
    properties: { source, line: number, endLine: number },
    required: ['source', 'line'],
  },
  stackTrace: {
    type: 'object',
    properties: { threadId, startFrame: number, levels: number },
    required: ['threadId'],
  },
  scopes: { type: 'object', properties: { frameId: number }, required: ['frameId'] },
  variables: {
    type: 'object',
    properties: { variablesReference: number, start: number, count: number },
    required: ['variablesReference'],
  },
  setVariable: {
    type: 'object',
    properties: { variablesReference: number, name: text, value: text },
    required: ['variablesReference', 'name', 'value'],
  },
  evaluate: {
    type: 'object',
    properties: { expression: text, frameId: number },
    required: ['expression'],
  },
  restartFrame: { type: 'object', properties: { frameId: number }, required: ['frameId'] },
  continue: ofThread,
  next: ofThread,
  stepIn: ofThread,
  stepOut: ofThread,
  stepBack: ofThread,
  reverseContinue: ofThread,
  pause: ofThread,
  exceptionInfo: ofThread,
};

const ajv = new Ajv({ useDefaults: true });
const anyObject = ajv.compile({ type: 'object' });
const validators = new Map<string, ValidateFunction>(
  Object.entries(schemas).map(([command, schema]) => [command, ajv.compile(schema)]),
);

/** What is wrong, and where. @param whole what it is called where all of it is wrong */
export function problemOf(errors: readonly ErrorObject[] | null | undefined, whole: string): string {
  const [problem] = errors ?? [];
  return `${problem?.instancePath.slice(1) || whole} ${problem?.message ?? 'is wrong'}`;
}

/**
 * The arguments of a request with the protocol's defaults; an object also where the client left them out.
 * @throws ForetraceError invalid_message
 */
export function readArguments(command: string, given: unknown): object {
  const found = withoutNulls(given ?? {});
  const validate = validators.get(command) ?? anyObject;
  if (validate(found)) return found as object;
  throw new ForetraceError('invalid_message', `the arguments of ${command} cannot be used`, {
    expected: 'those of the Debug Adapter Protocol',
    actual: problemOf(validate.errors, 'the arguments'),
  });
}

/** Some clients write null for what they leave out. */
const withoutNulls = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
    : given;
