/** Values of expressions in a session: which are asked, what comes back, and that nothing moves. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeEvaluation } from '../../../src/debugger/language/encode.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { greedy } from '../../../src/scheduler/request.js';
import { createScheduler } from '../../../src/scheduler/scheduler.js';
import { DebugSession } from '../../../src/session/debug-session.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt } from '../../support/states.js';

const program = parseProgram(
  'def add(a, b):\n    total = a + b\n    count = 1\n    return total\n',
  'add(1, 2)',
);
const start = stateAt('line', 3, { a: '1', b: '2', total: '3' });
const settings = { id: 's', client: 'me', sampling: greedy, maxStates: 4 };
const access = { modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };

let service: ScriptedService;
let session: DebugSession;
beforeEach(async () => {
  service = new ScriptedService();
  session = await DebugSession.open({ ...access, service }, program, settings, { start });
});

/** The next answer of the model. */
function answer(outcome: 'value' | 'exception', text: string): void {
  const marker = outcome === 'value' ? special.value : 8;
  service.script.push([marker, ...encodeValue(program, text), special.end]);
}

describe('an expression', () => {
  it('is asked of the state and makes none', async () => {
    answer('value', '[3]');
    const evaluation = await session.evaluate(' [total] ');
    expect(evaluation).toMatchObject({
      from: 1,
      expression: '[total]',
      outcome: 'value',
      text: '[3]',
      origin: 'model',
      queueMillis: 1,
      computeMillis: 2,
      counts: { new: 5 },
    });
    // Marker, three tokens, end: each one half.
    expect(evaluation.probability).toBeCloseTo(0.5 ** 5, 6);
    expect(session.answers()).toHaveLength(1);
    const [request] = service.requests;
    const { tokens } = encodeExpression(program, '[total]');
    expect(request?.prompt).toEqual(encodeEvaluation(program, start, tokens));
    expect(request?.sharedTokens).toBe(program.tokens.length);
  });

  it('may raise', async () => {
    answer('exception', "NameError('x')");
    expect(await session.evaluate('a.real')).toMatchObject({ outcome: 'exception', text: "NameError('x')" });
  });

  it('that is a local is read off the state', async () => {
    expect(await session.evaluate('total')).toMatchObject({
      outcome: 'value',
      text: '3',
      origin: 'derived',
      probability: 1,
      counts: { cached: 0, new: 0, forced: 0, drafted: 0, accepted: 0 },
    });
    expect(service.requests).toHaveLength(0);
    // A name that is not bound here may be a global: the model is asked.
    answer('exception', "UnboundLocalError('count')");
    expect((await session.evaluate('count')).origin).toBe('model');
  });

  it('that is a literal as values are written tells itself', async () => {
    const literal = await session.evaluate("['a',-2]");
    expect(literal).toMatchObject({ outcome: 'value', text: "['a', -2]", origin: 'derived', probability: 1 });
    expect(service.requests).toHaveLength(0);
    expect(await session.evaluate('0x10')).toMatchObject({ text: '16', origin: 'derived' });
    answer('value', '[1, 1]');
    expect(await session.evaluate('[1] * 2')).toMatchObject({ text: '[1, 1]', origin: 'model' });
  });

  it('sees the locals of the current frame, not of those below it', async () => {
    const nested = parseProgram('def f(n):\n    if n: f(n - 1)\n    return n\n', 'f(2)');
    const frames = [...stateAt('line', 2, { n: '2' }).frames, ...stateAt('line', 3, { n: '1' }).frames];
    const deep = await DebugSession.open({ ...access, service }, nested, settings, {
      start: { event: 'line', frames, hiddenFrames: 0 },
    });
    expect((await deep.evaluate('n')).text).toBe('1');
  });

  it('is asked of the state that is named', async () => {
    session.edit(1, new Map([['a', '7']]));
    expect((await session.evaluate('a')).text).toBe('7');
    expect(await session.evaluate('a', { from: 1 })).toMatchObject({ text: '1', from: 1 });
    expect(session.current.number).toBe(2);
    expect(await codeOf(session.evaluate('a', { from: 9 }))).toBe('unknown_state');
  });

  it('that cannot be asked is refused with its place', async () => {
    expect(await codeOf(session.evaluate('a +'))).toBe('invalid_expression');
    await expect(session.evaluate('a + zzz')).rejects.toMatchObject({
      details: { column: 5, actual: 'zzz' },
    });
    expect(service.requests).toHaveLength(0);
  });

  it('has a key of its own, and none when it must be fresh', async () => {
    const keys: (string | undefined)[] = [];
    for (const [expression, fresh] of [
      ['a + b', false],
      ['a+b', false],
      ['b + a', false],
      ['a + b', true],
    ] as const) {
      answer('value', '3');
      await session.evaluate(expression, { fresh });
      keys.push(service.requests.at(-1)?.key);
    }
    expect(keys[0]).toBeDefined();
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys[3]).toBeUndefined();
  });

  it('waits for nobody and holds up nobody', async () => {
    service.hold();
    service.script.push([special.value, 690, special.end]);
    const running = session.evaluate('a + b');
    service.script.push([6, 42, special.end]);
    const acting = session.act({ kind: 'step_into', lines: [] });
    service.release();
    expect((await running).text).toBe('0');
    expect((await acting).number).toBe(2);
  });

  it('reports an answer that the grammar should have prevented as a defect', async () => {
    service.script.push([special.value, special.end]);
    expect(await codeOf(session.evaluate('a + b'))).toBe('internal');
  });

  it('must fit into the context', async () => {
    const tight = { ...access, service, maxContext: program.tokens.length + 20 };
    const small = await DebugSession.open(tight, program, settings, { start });
    expect(await codeOf(small.evaluate('a + b'))).toBe('context_too_long');
  });
});

it('is answered by an engine with random weights, the second time from the store', async () => {
  const scheduler = createScheduler(new FakeEngine({ pages: 256, pageTokens: 16 }));
  const real = await DebugSession.open({ ...access, service: scheduler }, program, settings, { start });
  const first = await real.evaluate('max(a, b) - total');
  const second = await real.evaluate('max(a, b) - total');
  expect(second).toMatchObject({ origin: 'cache', text: first.text, probability: first.probability });
  expect(first.probability).toBeGreaterThan(0);
  expect(first.probability).toBeLessThan(1);
});

describe('an entry that hides its arguments', () => {
  const hidden = parseProgram(program.source, 'add(...)');
  const end = stateAt('return', 4, { a: '1', b: '2', total: '3', count: '1' }, '3');

  it('opens at a start state only', async () => {
    await expect(DebugSession.open({ ...access, service }, hidden, settings)).rejects.toMatchObject({
      code: 'hidden_arguments',
      details: { expected: expect.stringContaining('start state') },
    });
    expect(service.requests).toHaveLength(0);
    expect(
      (await DebugSession.open({ ...access, service }, hidden, settings, { start: end })).current,
    ).toMatchObject({ origin: 'given', atEnd: true, number: 1 });
  });

  it.each([
    'inv_continue',
    'inv_step_call',
  ] as const)('%s from its return predicts the arguments', async (kind) => {
    const scheduler = createScheduler(new FakeEngine({ pages: 256, pageTokens: 16 }));
    const real = await DebugSession.open({ ...access, service: scheduler }, hidden, settings, { start: end });
    const answered = await real.act({ kind, lines: [] });
    expect(answered).toMatchObject({ origin: 'model', atStart: true, state: { event: 'call' } });
    expect(await codeOf(real.act({ kind, lines: [] }))).toBe('past_start');
  });
});
