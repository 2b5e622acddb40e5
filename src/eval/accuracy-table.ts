/** The table by which `auto` chooses between one prediction and a walk: measured here, shipped as `accuracy.json` beside the model. */
import { type ActionKind, actionKinds } from '../debugger/action.js';

/** The part of an outcome that the table is made of. */
export interface MeasuredAnswer {
  readonly action: { readonly kind: ActionKind };
  /** Real events between question and answer. */
  readonly horizon: number;
  readonly model: { readonly exact: boolean };
}

/** Fewer answers than this say nothing: the action is left out, and readers take their default. */
const leastAnswers = 20;

/** `{"model", "data", "actions": {ACTION: {"n", "exact", "horizon"}}}` as text. */
export function accuracyText(
  subject: { readonly model: string; readonly data: string },
  outcomes: readonly MeasuredAnswer[],
): string {
  const rows = actionKinds.flatMap((kind) => {
    const asked = outcomes.filter(({ action }) => action.kind === kind);
    if (asked.length < leastAnswers) return [];
    const mean = (of: (outcome: MeasuredAnswer) => number): number =>
      asked.reduce((sum, outcome) => sum + of(outcome), 0) / asked.length;
    const exact = mean(({ model }) => Number(model.exact));
    const horizon = Math.max(
      1,
      mean((outcome) => outcome.horizon),
    );
    return [[kind, { n: asked.length, exact: rounded(exact), horizon: rounded(horizon) }] as const];
  });
  return `${JSON.stringify({ ...subject, actions: Object.fromEntries(rows) }, null, 2)}\n`;
}

const rounded = (value: number): number => Number(value.toFixed(4));
