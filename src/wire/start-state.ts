/** The start state of a debug session as JSON: what `--json` prints for a state is understood, and whole frame stacks. Pure. */
import { ForetraceError } from '../errors.js';
import { eventNumbers, type WireFrame, type WireState } from './messages.js';

const form =
  '{"event": "return", "line": 3, "locals": {"x": "1"}, "value": "2"}, with "its" within for loops and "callers": [{"line", "locals", "its", "gots", "line_before"}, ...] below it, or "frames" of the same form instead of line and locals';

const wrong = (actual: string, cause?: unknown): ForetraceError =>
  new ForetraceError(
    'invalid_state',
    'the start state cannot be read',
    { expected: form, actual },
    cause === undefined ? {} : { cause },
  );

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** What is read of a frame, and of a state. */
const frameFields = ['line', 'locals', 'its', 'gots', 'line_before'];
/** The current frame and those below it, where it is not in `frames`. */
const currentFields = [...frameFields, 'callers'];
const stateFields = ['event', 'value', 'hidden_frames'];
/** What `--json` prints of a state beside them: it says how the state was found, and is left out. */
export const shownFields = [
  ...['state', 'parent', 'action', 'lines', 'source', 'function', 'depth', 'origin', 'probability', 'mode'],
  ...[
    'horizon',
    'expected_horizon',
    'steps',
    'tokens',
    'at_start',
    'at_end',
    'passed',
    'row',
    'row_probability',
  ],
  ...['candidate', 'candidates', 'draws', 'answer_probability', 'consistent', 'forward_probability'],
];

function checkFields(json: Json, known: readonly string[]): void {
  const unknown = Object.keys(json).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrong(`an unknown field: ${unknown}`);
}

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T, name: string): T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isItem)) throw wrong(`${name}: ${JSON.stringify(value)}`);
  return value;
}

function frameOf(json: Json): WireFrame {
  const { line, locals = {}, its, gots, line_before: lineBefore } = json;
  if (!isCount(line)) throw wrong(`line: ${JSON.stringify(line)}`);
  if (lineBefore !== undefined && !isCount(lineBefore))
    throw wrong(`line_before: ${JSON.stringify(lineBefore)}`);
  if (!isObject(locals) || !Object.values(locals).every(isText))
    throw wrong(`locals: ${JSON.stringify(locals)}`);
  return {
    line,
    locals: Object.entries(locals).map(([name, value]) => ({ name, value: value as string })),
    its: listOf(its, isCount, 'its'),
    gots: listOf(gots, isText, 'gots'),
    ...(lineBefore === undefined ? {} : { lineBefore }),
  };
}

function stackedFrame(json: Json): WireFrame {
  checkFields(json, frameFields);
  return frameOf(json);
}

/** @throws ForetraceError invalid_state */
export function readStart(text: string): WireState {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw wrong(text.slice(0, 200), cause);
  }
  if (!isObject(json)) throw wrong(JSON.stringify(json));
  const isStack = json.frames !== undefined;
  checkFields(json, [...stateFields, ...shownFields, ...(isStack ? ['frames'] : currentFields)]);
  const { event, value, frames, callers, hidden_frames: hiddenFrames = 0 } = json;
  const framesOf = (list: unknown, name: string): WireFrame[] =>
    listOf(list, isObject, name).map(stackedFrame);
  const number = isText(event) && Object.hasOwn(eventNumbers, event);
  if (!number) throw wrong(`event: ${JSON.stringify(event)}`);
  if (value !== undefined && !isText(value)) throw wrong(`value: ${JSON.stringify(value)}`);
  if (!isCount(hiddenFrames)) throw wrong(`hidden_frames: ${JSON.stringify(hiddenFrames)}`);
  return {
    event: eventNumbers[event as keyof typeof eventNumbers],
    frames: isStack ? framesOf(frames, 'frames') : [...framesOf(callers, 'callers'), frameOf(json)],
    ...(value === undefined ? {} : { value }),
    hiddenFrames,
  };
}
