/**
 * Whether to jump or to walk: one prediction of a far state is less often right than one of a near state, but walking there must be right at
 * every step. The numbers are measured (`foretrace eval steps --accuracy`) and lie beside the model; without them the defaults are those of the
 * published models (single steps 90 %, jumps 78 to 83 %), and a walk counts as right as independent steps would make it.
 */
import { type Action, type ActionKind, actionKinds, isReverse } from '../debugger/action.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { isSingle } from '../trajectory/index.js';

export interface ActionAccuracy {
  /** Share of exact answers to one prediction, 0..1. */
  readonly exact: number;
  /** Share of exact answers by walking, 0..1; absent: not measured. */
  readonly walked?: number;
  /** Mean number of events between question and answer, at least 1. */
  readonly horizon: number;
}

export type AccuracyTable = Readonly<Record<ActionKind, ActionAccuracy>>;

export const defaultAccuracy: AccuracyTable = {
  step_into: { exact: 0.9, horizon: 1 },
  step_over: { exact: 0.85, horizon: 2 },
  step_return: { exact: 0.78, horizon: 10 },
  breakpoint: { exact: 0.83, horizon: 6 },
  continue: { exact: 0.75, horizon: 20 },
  inv_step_into: { exact: 0.8, horizon: 1 },
  inv_step_over: { exact: 0.75, horizon: 2 },
  inv_step_call: { exact: 0.7, horizon: 10 },
  inv_breakpoint: { exact: 0.65, horizon: 6 },
  inv_continue: { exact: 0.7, horizon: 20 },
};

export interface ModeChoice {
  readonly mode: 'jump' | 'walk';
  /** Events expected on the way. */
  readonly expectedHorizon: number;
}

/** The mode that is more likely to be right. A walk that is expected to take more than `maxSteps` is not begun. */
export function chooseMode(
  table: AccuracyTable,
  state: DebuggerState,
  action: Action,
  maxSteps: number,
): ModeChoice {
  if (isSingle(state, action)) return { mode: 'jump', expectedHorizon: 1 };
  const { exact, horizon, walked } = table[action.kind];
  const single = table[isReverse(action.kind) ? 'inv_step_into' : 'step_into'].exact;
  const walks = (walked ?? single ** horizon) > exact && horizon <= maxSteps;
  return { mode: walks ? 'walk' : 'jump', expectedHorizon: horizon };
}

const form = `{"actions": {ACTION: {"exact": 0 to 1, "walked": 0 to 1 or absent, "horizon": at least 1}}} with the actions ${actionKinds.join(', ')}`;

/** Reads a table; actions it lacks keep their defaults. @throws ForetraceError invalid_model */
export function readAccuracy(text: string, place: string): AccuracyTable {
  const wrong = (actual: string): ForetraceError =>
    new ForetraceError('invalid_model', `${place} is not a table of accuracies`, { expected: form, actual });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw wrong(text.slice(0, 120));
  }
  const actions = (json as { actions?: unknown } | null)?.actions;
  if (typeof actions !== 'object' || actions === null) throw wrong('no actions');
  const table: Record<ActionKind, ActionAccuracy> = { ...defaultAccuracy };
  for (const [name, entry] of Object.entries(actions)) {
    const kind = actionKinds.find((known) => known === name);
    const { exact, walked, horizon } = (entry ?? {}) as Partial<Record<keyof ActionAccuracy, unknown>>;
    const isLength = typeof horizon === 'number' && horizon >= 1;
    const isMeasured = isShare(exact) && isLength && (walked === undefined || isShare(walked));
    if (kind === undefined || !isMeasured) throw wrong(`${name}: ${JSON.stringify(entry)}`);
    table[kind] = { exact, horizon, ...(walked === undefined ? {} : { walked }) };
  }
  return table;
}

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
