/** What a written frame makes of a state. */
import type { Action } from '../../debugger/action.js';
import { withHiddenParts } from '../../debugger/hidden-parts.js';
import type { DecodedDelta, DecodedPart, FieldProbability } from '../../debugger/language/decoded.js';
import { loopsOf, type Program } from '../../debugger/program.js';
import { currentFrame, type DebuggerState, type Frame } from '../../debugger/state.js';
import type { Successors } from '../../debugger/successors.js';
import { goingOn, type Place, unchanged } from './forms.js';
import { showsLocals } from './frame-text.js';
import type { WrittenFrame } from './written-frame.js';

const noLocals: ReadonlyMap<string, string> = new Map();

/** @param place which scope and line the frame means */
export function deltaOf(
  program: Program,
  state: DebuggerState | null,
  action: Action,
  next: Successors,
  written: WrittenFrame,
  { scope, line }: Place,
): DecodedDelta {
  const { event, value } = written;
  const depth = next.level + (event === 'call' ? 2 : 1);
  // A frame that is left may have been the last that was not hidden.
  const hidden = state?.hiddenFrames ?? 0;
  const hiddenFrames = Math.min(hidden, depth - 1);
  const old = event === 'call' ? undefined : goingOn(state, next);
  const locals = showsLocals(event) ? resolved(written.locals, old) : (old?.locals ?? noLocals);
  const loops = loopsOf(scope, line);
  const its = old?.its.length === loops.length ? old.its : loops.map(() => 0);
  const frame: Frame = { line, locals, its, gots: [] };
  const stated: DebuggerState = {
    event,
    frames: [...(state?.frames.slice(0, Math.max(0, depth - 1 - hidden)) ?? []), frame],
    hiddenFrames,
    ...(value === undefined ? {} : { value }),
  };
  return {
    state: withHiddenParts(program, state, action, stated),
    probability: probabilityOf(written),
    popped: state?.event === 'return' ? 1 : 0,
    pushed: event === 'call' ? 1 : 0,
    changed: [...new Set([...locals.keys(), ...(old?.locals.keys() ?? [])])].filter(
      (name) => locals.get(name) !== old?.locals.get(name),
    ),
  };
}

/** Locals with the values that they keep. What is said to be as it was, and was not there, is not there. */
const resolved = (written: ReadonlyMap<string, string>, old: Frame | undefined): Map<string, string> =>
  new Map(
    [...written].flatMap(([name, value]): [string, string][] => {
      const kept = value === unchanged ? old?.locals.get(name) : value;
      return kept === undefined ? [] : [[name, kept]];
    }),
  );

const probabilityOf = ({ value, sure }: WrittenFrame): FieldProbability => ({
  event: Math.exp(sure.event),
  line: Math.exp(sure.line),
  locals: new Map([...sure.locals].map(([name, one]) => [name, Math.exp(one)])),
  ...(value === undefined ? {} : { value: Math.exp(sure.value) }),
});

/** The parts of a whole answer, for whoever watches. */
export function partsOf({ state, probability, popped, changed }: DecodedDelta): DecodedPart[] {
  const { line, locals } = currentFrame(state);
  return [
    ...(popped > 0 ? [{ kind: 'popped', count: popped } as const] : []),
    { kind: 'event', event: state.event, probability: probability.event },
    { kind: 'line', line, probability: probability.line },
    ...changed.map((name) => {
      const [value, sure] = [locals.get(name), probability.locals.get(name) ?? 1];
      return {
        kind: 'local',
        name,
        value: value ?? '',
        deleted: value === undefined,
        probability: sure,
      } as const;
    }),
    ...(state.value === undefined
      ? []
      : [{ kind: 'value', value: state.value, probability: probability.value ?? 1 } as const]),
    { kind: 'end' },
  ];
}
