/** A model that is shown workings: what is asked before a step or a question, and what becomes of the answers. */
import { describe, expect, it } from 'vitest';
import { blank } from '../../../src/debugger/blank.js';
import { encodeAsked, encodeEvaluation, encodePrompt } from '../../../src/debugger/language/encode.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { charToken, eventToken, special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';
import { greedy } from '../../../src/scheduler/request.js';
import { askModel, askValue } from '../../../src/session/ask-model.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt } from '../../support/states.js';

const program = parseProgram('def f(a, b):\n    c = (a + b) * (a - b)\n    return c\n', 'f(5, 4)');
const state = stateAt('line', 2, { a: '5', b: '4' });
const step = { kind: 'step_over', lines: [] } as const;
const tokensOf = (text: string): number[] => [...encodeExpression(program, text).tokens];
const answer = (text: string, mark: number = special.value): number[] => [
  mark,
  ...encodeValue(program, text),
  special.end,
];
const ended = new ForetraceError('internal', 'the test has seen enough');

function world(showsWorkings = true, maxContext = 512) {
  const service = new ScriptedService();
  const predictions: number[] = [];
  const access = { modelDigest: 'm', maxContext, maxAnswerTokens: 64, showsWorkings, service };
  const asked = {
    program,
    grammar: grammarOf(program),
    state,
    sampling: greedy,
    client: 'me',
    priority: 'interactive',
    fresh: false,
    onPrediction: (count: number) => predictions.push(count),
  } as const;
  const prompts = () => service.requests.map(({ prompt }) => [...prompt]);
  return { service, access, asked, predictions, prompts };
}

/** Without names, and so without the program. */
const closed = (text: string): number[] => [
  ...encodeAsked(blank().program, blank().state, [special.evaluate, ...tokensOf(text)]),
];
const evaluation = (text: string): number[] => [...encodeEvaluation(program, state, tokensOf(text))];
const worked = (text: string): number[] => [
  ...encodePrompt(program, state, step, [...tokensOf('c'), charToken('='), ...tokensOf(text)]),
];

describe('a step', () => {
  it('is asked with values in place of what was worked out, and is the only prediction', async () => {
    const { service, access, asked, predictions, prompts } = world();
    service.script.push(answer('9'), answer('1'), answer('9'), ended);
    expect(await codeOf(askModel(access, { ...asked, action: step }))).toBe('internal');
    expect(prompts()).toEqual([closed('5 + 4'), closed('5 - 4'), closed('9 * 1'), worked('9')]);
    expect(predictions).toEqual([1]);
  });

  it('shows what raises, and keeps what has no answer of use', async () => {
    const first = world();
    first.service.script.push(answer("TypeError('x')", eventToken('exception')), answer('1'), ended);
    expect(await codeOf(askModel(first.access, { ...first.asked, action: step }))).toBe('internal');
    expect(first.prompts().at(-1)).toContain(eventToken('exception'));
    const second = world();
    second.service.script.push(answer('<object>'), answer('1'), answer('<object>'), ended);
    expect(await codeOf(askModel(second.access, { ...second.asked, action: step }))).toBe('internal');
    expect(second.prompts().at(-1)).toEqual(worked('(a + b) * 1'));
  });

  it('is asked as it is where the model knows nothing of workings, or they do not fit', async () => {
    const plain = [...encodePrompt(program, state, step)];
    const { service, access, asked, prompts } = world(false);
    service.script.push(ended);
    expect(await codeOf(askModel(access, { ...asked, action: step }))).toBe('internal');
    expect(prompts()).toEqual([plain]);
    const tight = world(true, plain.length - 5);
    tight.service.script.push(answer('9'), answer('1'), answer('9'));
    expect(await codeOf(askModel(tight.access, { ...tight.asked, action: step }))).toBe('context_too_long');
    expect(tight.prompts()).toEqual([closed('5 + 4'), closed('5 - 4'), closed('9 * 1')]);
  });

  it('fails as its workings fail, and the others are stopped', async () => {
    const { service, access, asked } = world();
    service.script.push(new ForetraceError('overloaded', 'full'), answer('1'));
    expect(await codeOf(askModel(access, { ...asked, action: step }))).toBe('overloaded');
    expect(service.requests.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  });

  it('is asked as it is where what was worked out does not fit', async () => {
    const plain = [...encodePrompt(program, state, step)];
    const { service, access, asked, prompts } = world(true, plain.length + 32);
    const long = `'${'x'.repeat(40)}'`;
    service.script.push(answer(long), answer(long), ended);
    expect(await codeOf(askModel(access, { ...asked, action: step }))).toBe('internal');
    expect(prompts().at(-1)).toEqual(plain);
  });

  it('asks for the items of a comprehension eight at a time', async () => {
    const { service, access, asked } = world();
    const items = parseProgram('def f(n):\n    c = [x + n for x in range(20)]\n    return c\n', 'f(5)');
    const before = stateAt('line', 2, { n: '5' });
    service.script.push(...Array.from({ length: 20 }, () => answer('7')), ended);
    service.hold();
    const reply = askModel(access, {
      ...asked,
      program: items,
      grammar: grammarOf(items),
      state: before,
      action: step,
    });
    expect(service.requests).toHaveLength(8);
    service.release();
    expect(await codeOf(reply)).toBe('internal');
    expect(service.requests).toHaveLength(21);
  });

  it('that looks ahead asks for one working at a time', async () => {
    const { service, access, asked } = world();
    service.script.push(answer('9'), answer('1'), answer('9'), ended);
    service.hold();
    const reply = askModel(access, { ...asked, priority: 'ahead', action: step });
    expect(service.requests).toHaveLength(1);
    service.release();
    expect(await codeOf(reply)).toBe('internal');
    expect(service.requests).toHaveLength(4);
  });
});

describe('a question', () => {
  it('has values in place of what is inside it', async () => {
    const { service, access, asked, prompts } = world();
    service.script.push(answer('9'), answer('9'));
    const expression = encodeExpression(program, 'max(a + b, 2)');
    const reply = await askValue(access, { ...asked, expression });
    expect(prompts()).toEqual([closed('5 + 4'), evaluation('max(9, 2)')]);
    expect(reply.answer).toMatchObject({ outcome: 'value', text: '9' });
    // Three tokens each, each one half.
    expect(reply.answer.probability).toBeCloseTo(0.5 ** 6, 9);
    // Both questions are paid for.
    expect(reply.result).toMatchObject({ queueMillis: 2, computeMillis: 4, counts: { cached: 2, new: 6 } });
  });

  it('that was worked out to the end is not asked', async () => {
    const { service, access, asked, prompts } = world();
    service.script.push(answer('60'), answer('-30'), answer('18'), answer('6'));
    const expression = encodeExpression(program, '30 % 12');
    const reply = await askValue(access, { ...asked, expression });
    expect(prompts()).toHaveLength(4);
    expect(reply.answer).toMatchObject({ outcome: 'value', text: '6' });
    expect(reply.result).toMatchObject({ origin: 'model', queueMillis: 4 });
    // A power of ten moves the digits.
    const moved = await askValue(access, { ...asked, expression: encodeExpression(program, '1230 // 100') });
    expect(prompts()).toHaveLength(4);
    expect(moved).toMatchObject({ answer: { text: '12', probability: 1 }, result: { counts: { new: 0 } } });
  });
});
