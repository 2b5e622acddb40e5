/**
 * Transitions as text for a file, and back. What comes from a file is untrusted: anything unexpected is refused here,
 * and what does not fit its program when it is used, for only then the program is known.
 */
import { type Action, type ActionKind, actionKinds } from '../debugger/action.js';
import { type DebuggerState, eventKinds, type Frame, type InFlight } from '../debugger/state.js';
import type { KeptTransition } from '../trajectory/index.js';

type Kept = Omit<KeptTransition, 'world'>;

const frameParts = ({ line, locals, its, gots, lineBefore, inFlight }: Frame): unknown => [
  line,
  [...locals],
  its,
  gots,
  ...(lineBefore === undefined && inFlight === undefined ? [] : [lineBefore ?? null]),
  ...(inFlight === undefined ? [] : [[inFlight.value, inFlight.line, inFlight.isHandled]]),
];

const stateParts = ({ event, frames, hiddenFrames, value }: DebuggerState): unknown => [
  event,
  frames.map(frameParts),
  hiddenFrames,
  value ?? null,
];

export function toText({ before, action, transition }: Kept): string {
  const { state, probability, whole } = transition;
  const { event, line, locals, value } = probability;
  return JSON.stringify([
    before === null ? null : stateParts(before),
    [action.kind, action.lines],
    stateParts(state),
    [event, line, [...locals], value ?? null, whole],
  ]);
}

/** A refusal; the file as a whole is then not what it should be. */
const refuse = (what: unknown): never => {
  throw new TypeError(`not a transition: ${JSON.stringify(what)?.slice(0, 80)}`);
};

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : refuse(value));
const text = (value: unknown): string => (typeof value === 'string' ? value : refuse(value));
const count = (value: unknown): number =>
  Number.isInteger(value) && (value as number) >= 0 ? (value as number) : refuse(value);
const flag = (value: unknown): boolean => (typeof value === 'boolean' ? value : refuse(value));
const share = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= 1.000001 ? value : refuse(value);

function pairs<T>(value: unknown, item: (value: unknown) => T): Map<string, T> {
  return new Map(
    list(value).map((pair) => {
      const [name, content] = list(pair);
      return [text(name), item(content)] as const;
    }),
  );
}

function frameOf(value: unknown): Frame {
  const [line, locals, its, gots, lineBefore = null, inFlight] = list(value);
  return {
    line: count(line),
    locals: pairs(locals, text),
    its: list(its).map(count),
    gots: list(gots).map(text),
    ...(lineBefore === null ? {} : { lineBefore: count(lineBefore) }),
    ...(inFlight === undefined ? {} : { inFlight: inFlightOf(inFlight) }),
  };
}

function inFlightOf(parts: unknown): InFlight {
  const [value, line, isHandled] = list(parts);
  return { value: text(value), line: count(line), isHandled: flag(isHandled) };
}

function stateOf(value: unknown): DebuggerState {
  const [event, frames, hiddenFrames, shown] = list(value);
  const kind = eventKinds.find((known) => known === event) ?? refuse(event);
  const found = list(frames).map(frameOf);
  if (found.length === 0) refuse(frames);
  return {
    event: kind,
    frames: found,
    hiddenFrames: count(hiddenFrames),
    ...(shown === null ? {} : { value: text(shown) }),
  };
}

function actionOf(value: unknown): Action {
  const [kind, lines] = list(value);
  const known: ActionKind = actionKinds.find((name) => name === kind) ?? refuse(kind);
  return { kind: known, lines: list(lines).map(count) };
}

/** @throws SyntaxError, TypeError for anything that `toText` does not write */
export function fromText(content: string): Kept {
  const [before, action, state, probability] = list(JSON.parse(content));
  const [event, line, locals, value, whole] = list(probability);
  return {
    before: before === null ? null : stateOf(before),
    action: actionOf(action),
    transition: {
      state: stateOf(state),
      probability: {
        event: share(event),
        line: share(line),
        locals: pairs(locals, share),
        ...(value === null ? {} : { value: share(value) }),
      },
      whole: share(whole),
    },
  };
}
