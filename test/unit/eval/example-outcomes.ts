/** Outcomes written short, for tests. */
import type { ActionKind } from '../../../src/debugger/action.js';
import type { Outcome } from '../../../src/eval/outcome.js';
import type { Score } from '../../../src/eval/score.js';

export interface Example extends Partial<Omit<Outcome, 'action' | 'model' | 'rule'>> {
  readonly kind: ActionKind;
  readonly exact: boolean;
  readonly ruleExact?: boolean;
  readonly probability?: number;
}

const score = (exact: boolean, changed: number, changedRight: number): Score => ({
  event: true,
  line: exact,
  locals: exact,
  exact,
  changed,
  changedRight,
});

export function exampleOutcome(example: Example): Outcome {
  const { kind, exact, ruleExact = false, probability = 0.5, changes = [], ...given } = example;
  const right = (who: 'model' | 'rule'): number => changes.filter((change) => change[who]).length;
  return {
    id: 'case',
    program: 'e'.repeat(64),
    position: 0,
    action: { kind, lines: [] },
    horizon: 1,
    model: score(exact, changes.length, right('model')),
    rule: score(ruleExact, changes.length, right('rule')),
    changes,
    event: { probability: 1, right: true },
    line: { probability, right: exact },
    locals: [],
    value: undefined,
    answer: { probability, right: exact },
    codeLines: 5,
    promptTokens: 100,
    localCount: 2,
    statement: undefined,
    tags: [],
    ...given,
  };
}
