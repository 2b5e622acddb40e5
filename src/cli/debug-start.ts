/** The start state of a debug session as JSON: what `--json` prints for a state is understood, and whole frame stacks. Pure. */
import { ForetraceError } from '../errors.js';
import { eventNumbers, type WireFrame, type WireState } from '../wire/messages.js';

const form =
  '{"event": "return", "line": 3, "locals": {"x": "1"}, "value": "2"}, or "frames": [{"line", "locals", "its", "gots"}, ...] instead of line and locals';

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

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T, name: string): T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isItem)) throw wrong(`${name}: ${JSON.stringify(value)}`);
  return value;
}

function frameOf(json: Json): WireFrame {
  const { line, locals = {}, its, gots } = json;
  if (!isCount(line)) throw wrong(`line: ${JSON.stringify(line)}`);
  if (!isObject(locals) || !Object.values(locals).every(isText))
    throw wrong(`locals: ${JSON.stringify(locals)}`);
  return {
    line,
    locals: Object.entries(locals).map(([name, value]) => ({ name, value: value as string })),
    its: listOf(its, isCount, 'its'),
    gots: listOf(gots, isText, 'gots'),
  };
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
  const { event, value, frames, hidden_frames: hiddenFrames = 0 } = json;
  const number = isText(event) && Object.hasOwn(eventNumbers, event);
  if (!number) throw wrong(`event: ${JSON.stringify(event)}`);
  if (value !== undefined && !isText(value)) throw wrong(`value: ${JSON.stringify(value)}`);
  if (!isCount(hiddenFrames)) throw wrong(`hidden_frames: ${JSON.stringify(hiddenFrames)}`);
  return {
    event: eventNumbers[event as keyof typeof eventNumbers],
    frames: frames === undefined ? [frameOf(json)] : listOf(frames, isObject, 'frames').map(frameOf),
    ...(value === undefined ? {} : { value }),
    hiddenFrames,
  };
}
