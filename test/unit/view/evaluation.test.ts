import { describe, expect, it } from 'vitest';
import { evaluationJson, evaluationText } from '../../../src/view/evaluation.js';
import { originNumbers, type WireEvaluation } from '../../../src/wire/messages.js';
import { tokens } from '../../support/shown-answer.js';

const evaluation = (change: Partial<WireEvaluation> = {}): WireEvaluation => ({
  session: 's',
  from: 4,
  expression: 'len(x)',
  origin: originNumbers.model,
  probability: 0.75,
  tokens,
  queueMillis: 0,
  computeMillis: 0,
  preemptions: 0,
  ...change,
});
describe('a value', () => {
  it('as JSON has the value or the exception', () => {
    expect(JSON.parse(evaluationJson(evaluation({ value: '3' })))).toEqual({
      expression: 'len(x)',
      state: 4,
      value: '3',
      origin: 'model',
      probability: 0.75,
      tokens,
    });
    const raised = JSON.parse(evaluationJson(evaluation({ exception: "TypeError('x')" })));
    expect(raised).toMatchObject({ exception: "TypeError('x')" });
    expect(raised).not.toHaveProperty('value');
  });

  it('as text says how sure it is and touches no terminal', () => {
    expect(evaluationText(evaluation({ value: '' }))).toBe('  (75 %, model)');
    expect(evaluationText(evaluation({ value: '3', origin: originNumbers.cache }))).toBe('3  (75 %, cache)');
    expect(evaluationText(evaluation({ exception: 'KeyError(1)' }))).toBe(
      'raises KeyError(1)  (75 %, model)',
    );
    expect(evaluationText(evaluation({ value: '\u001b[2J' }))).toContain('\\u{1b}');
  });
});
