/** A small program with known states, and a model that answers what a test writes down. */
import type { Action } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { EvaluationCase, Transition } from '../../../src/eval/cases.js';
import type { ModelAccess } from '../../../src/session/ask-model.js';
import type { ScriptedService } from '../../support/scripted-service.js';
import { stateAt as state } from '../../support/states.js';

export const source = 'def add(a, b):\n    total = a + b\n    return total\n';
export const call = 'add(1, 2)';
export const program = parseProgram(source, call);
export const start = state('call', 1, { a: '1', b: '2' });
export const second = state('line', 2, { a: '1', b: '2' });
export const third = state('line', 3, { a: '1', b: '2', total: '3' });
export const end = state('return', 3, { a: '1', b: '2', total: '3' }, '3');
export const action = (kind: Action['kind'], ...lines: number[]): Action => ({ kind, lines });

export const transitions: Transition[] = [
  { action: action('step_into'), before: start, after: second, horizon: 1, index: 0 },
  { action: action('breakpoint', 3), before: second, after: third, horizon: 1, index: 1 },
  { action: action('continue'), before: start, after: end, horizon: 3, index: 0 },
];

export const caseOf = (
  id: string,
  asked: readonly Transition[],
  tags: readonly string[] = [],
): EvaluationCase => ({ id, source, call, tags, transitions: asked });

/** Tokens of the true answer. */
export const deltaOf = ({ before, after }: Transition): number[] => encodeDelta(program, before, after, 1);

export const access = (service: ScriptedService, maxContext = 512): ModelAccess => ({
  service,
  modelDigest: 'm',
  maxContext,
  maxAnswerTokens: 64,
});

export const subject = {
  model: { name: 'tiny', digest: 'm'.repeat(64) },
  data: { name: 'cases.jsonl', sha256: 'd'.repeat(64) },
  device: 'cpu',
  mode: 'jump',
} as const;
