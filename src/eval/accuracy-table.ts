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

/**
 * `{"model", "data", "actions": {ACTION: {"n", "exact", "walked", "horizon"}}}` as text.
 * @param jumped the questions answered by one prediction
 * @param walked the same questions answered by walking
 */
export function accuracyText(
  subject: { readonly model: string; readonly data: string },
  jumped: readonly MeasuredAnswer[],
  walked: readonly MeasuredAnswer[],
): string {
  const rows = actionKinds.flatMap((kind) => {
    const isAsked = ({ action }: MeasuredAnswer): boolean => action.kind === kind;
    const answers = jumped.filter(isAsked);
    if (answers.length < leastAnswers) return [];
    const row = {
      n: answers.length,
      exact: rounded(shareOfExact(answers)),
      walked: rounded(shareOfExact(walked.filter(isAsked))),
      horizon: rounded(
        Math.max(
          1,
          mean(answers, ({ horizon }) => horizon),
        ),
      ),
    };
    return [[kind, row] as const];
  });
  return `${JSON.stringify({ ...subject, actions: Object.fromEntries(rows) }, null, 2)}\n`;
}

const mean = (answers: readonly MeasuredAnswer[], of: (answer: MeasuredAnswer) => number): number =>
  answers.reduce((sum, answer) => sum + of(answer), 0) / answers.length;

const shareOfExact = (answers: readonly MeasuredAnswer[]): number =>
  mean(answers, ({ model }) => Number(model.exact));

const rounded = (value: number): number => Number(value.toFixed(4));
