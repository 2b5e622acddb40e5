/** Steps of which a part is known before they are asked: it is asked for where it has to be, and stands in the answer. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const program = parseProgram(
  [
    'def g(x):',
    '    return x * x',
    'def f(a, b):',
    '    total = a',
    '    total, b = b, total',
    '    total = g(a) + g(b) - 1',
    '    b = g(total)',
    '    return b',
    '',
  ].join('\n'),
  'f(3, 4)',
);
const answer = (value: string): number[] => [special.value, ...encodeValue(program, value), special.end];

/** The model's answers to a step, and what it was asked. */
async function step(
  before: DebuggerState,
  script: readonly number[][],
  of: Program = program,
  kind: ActionKind = 'step_over',
) {
  const { delta, probability, asked } = await scriptedStep(of, before, kind, script);
  return { ...delta, sure: probability, asked };
}
const localsOf = ({ state }: { readonly state: DebuggerState }) =>
  Object.fromEntries(state.frames.at(-1)?.locals ?? []);

describe('a step back', () => {
  const back = parseProgram(
    'def f(n, xs):\n    for x in xs:\n        n += x * 2\n    return n\n',
    'f(0, [])',
  );
  const looping = (line: number, its: number[], names: Record<string, string>) =>
    at('line', [{ ...frameAt(line, names), its }]);

  it('asks for what an addition began with', async () => {
    const before = looping(2, [1], { n: '7', xs: '[1, 2]', x: '1' });
    const wrong = looping(3, [0], { n: '8', xs: '[1, 2]', x: '1' });
    const script = [answer('2'), answer('5'), encodeDelta(back, before, wrong, 1)];
    const found = await step(before, script, back, 'inv_step_over');
    expect(localsOf(found)).toEqual({ n: '5', xs: '[1, 2]', x: '1' });
    expect(found.asked).toBe(3);
    const unknown = [answer("'x'"), answer("'y'"), encodeDelta(back, before, wrong, 1)];
    expect(localsOf(await step(before, unknown, back, 'inv_step_over'))).toMatchObject({ n: '8' });
  });

  it('asks what a condition came to, and is as sure as what it rests on', async () => {
    const deciding = parseProgram(
      'def f(n, m):\n    if n > m:\n        g()\n        m = h()\n    return m\n',
      'f(0, 1)',
    );
    const before = at('line', [frameAt(5, { n: '3', m: '1' })]);
    const script = (value: string) => [
      answer(value),
      encodeDelta(deciding, before, at('line', [frameAt(4, { n: '3', m: '1' })]), 1),
    ];
    const ruledOut = await step(before, script('True'), deciding, 'inv_step_over');
    const possible = await step(before, script('False'), deciding, 'inv_step_over');
    expect([ruledOut.asked, possible.asked]).toEqual([2, 2]);
    expect(ruledOut.sure).toBeLessThan(possible.sure);
  });

  it('is not less sure for what was asked of another line', async () => {
    const either = parseProgram('def f(n, m):\n    while g():\n        n += m\n    return n\n', 'f(0, 1)');
    const before = at('line', [frameAt(2, { n: '3', m: '1' })]);
    const sure = async (to: DebuggerState) =>
      (await step(before, [answer('2'), encodeDelta(either, before, to, 1)], either, 'inv_step_over')).sure;
    const through = await sure(at('line', [frameAt(3, { n: '2', m: '1' })]));
    const into = await sure(at('call', [frameAt(1, { n: '3', m: '1' })]));
    expect(into).toBeGreaterThan(2 * through);
  });

  it('knows the item before, and how many there were', async () => {
    const inside = looping(3, [1], { n: '7', xs: '[1, 2]', x: '2' });
    const wrong = looping(2, [1], { n: '7', xs: '[1, 2]', x: '5' });
    const found = await step(inside, [encodeDelta(back, inside, wrong, 1)], back, 'inv_step_into');
    expect(localsOf(found)).toEqual({ n: '7', xs: '[1, 2]', x: '1' });
    const behind = at('line', [frameAt(4, { n: '7', xs: '[1, 2]', x: '2' })]);
    const head = looping(2, [1], { n: '7', xs: '[1, 2]', x: '2' });
    const left = await step(behind, [encodeDelta(back, behind, head, 1)], back, 'inv_step_into');
    expect(left.state.frames.at(-1)?.its).toEqual([2]);
  });
});

describe('a loop', () => {
  const source =
    'def g(n):\n    yield n\n    return [n]\ndef h(n):\n    return [n, 2]\ndef f(n, rows):\n    for x in h(n):\n        n += x\n    for y in rows[n]:\n        pass\n    for z in g(n):\n        pass\n';
  const looping = parseProgram(source, 'f(1, [])');
  const head = (line: number, its: number[], names: Record<string, string>): Frame => ({
    ...frameAt(line, names),
    its,
  });
  const line = (frame: Frame) => at('line', [frame]);
  const taken = async (before: DebuggerState, wrong: DebuggerState, kept = 1) =>
    localsOf(await step(before, [encodeDelta(looping, before, wrong, kept)], looping));

  it('goes over the list that a call gives it', async () => {
    const returned = at('return', [head(7, [0], { n: '7', rows: '[]' }), frameAt(5, { n: '7' })], '[7, 2]');
    const wrong = line(head(8, [1], { n: '7', rows: '[]', x: '5' }));
    expect(await taken(returned, wrong)).toMatchObject({ x: '7' });
  });

  it('goes over what it looks up', async () => {
    const names = { n: '0', rows: "['ab', '']" };
    const wrong = line(head(10, [1], { ...names, y: "'x'" }));
    expect(await taken(line(head(9, [0], names)), wrong)).toMatchObject({ y: "'a'" });
  });

  it('takes what a generator yields, but not None, with which one ends', async () => {
    const yielded = (value: string) =>
      at('return', [head(11, [0], { n: '4', rows: '[]' }), frameAt(2, { n: '4' })], value);
    const wrong = line(head(12, [1], { n: '4', rows: '[]', z: '9' }));
    expect(await taken(yielded('4'), wrong)).toMatchObject({ z: '4' });
    expect(await taken(yielded('None'), wrong)).toMatchObject({ z: '9' });
  });
});

describe('a step that copies', () => {
  it('has the value that stands in its line, whatever the model says', async () => {
    const before = at('line', [frameAt(4, { a: '3', b: '4' })]);
    const wrong = at('line', [frameAt(5, { a: '3', b: '5', total: '4' })]);
    const found = await step(before, [encodeDelta(program, before, wrong, 1)]);
    expect(localsOf(found)).toEqual({ a: '3', b: '4', total: '3' });
    expect(found.probability.locals.get('total')).toBe(1);
  });

  it('is as sure, however long the model is about what is told', async () => {
    const before = at('line', [frameAt(4, { a: '3', b: '4' })]);
    const sure = async (total: string) => {
      const after = at('line', [frameAt(5, { a: '3', b: '4', total })]);
      return (await step(before, [encodeDelta(program, before, after, 1)])).sure;
    };
    expect(await sure('3')).toBeCloseTo(await sure("'a long text'"));
    expect(await sure('3')).toBeLessThan(0.5);
    const returning = at('line', [frameAt(8, { a: '3', b: '144', total: '12' })]);
    const returned = async (value: string) => {
      const after = at('return', returning.frames as Frame[], value);
      return (await step(returning, [encodeDelta(program, returning, after, 1)])).sure;
    };
    expect(await returned('1')).toBeCloseTo(await returned('[1, 2, 3]'));
  });

  it('leaves a list in the order that was worked out for it', async () => {
    const sorting = parseProgram('def f(xs):\n    xs.sort()\n    return xs\n', 'f([3, 1])');
    const before = at('line', [frameAt(2, { xs: '[3, 1]' })]);
    const wrong = encodeDelta(sorting, before, at('line', [frameAt(3, { xs: '[3, 1, 1]' })]), 1);
    const found = await step(before, [answer('True'), wrong], sorting);
    expect(localsOf(found)).toEqual({ xs: '[1, 3]' });
    expect(found.asked).toBe(2);
  });

  it('assigns several names at once', async () => {
    const before = at('line', [frameAt(5, { a: '3', b: '4', total: '3' })]);
    const wrong = at('line', [frameAt(6, { a: '3', b: '4', total: '3' })]);
    const found = await step(before, [encodeDelta(program, before, wrong, 1)]);
    expect(localsOf(found)).toEqual({ a: '3', b: '3', total: '4' });
    expect(found.changed).toEqual(['b', 'total']);
  });

  it('does not know a list that a finalizer may change meanwhile', async () => {
    const closing = parseProgram(
      'def g(xs):\n    try:\n        yield 1\n    finally:\n        xs.append(3)\ndef f(it, xs):\n    it = xs\n    return it\n',
      'f(None, [])',
    );
    const before = at('line', [frameAt(7, { it: '<generator object g>', xs: '[1]' })]);
    const after = at('line', [frameAt(8, { it: '[1, 3]', xs: '[1, 3]' })]);
    const found = await step(before, [encodeDelta(closing, before, after, 1)], closing);
    expect(localsOf(found)).toEqual({ it: '[1, 3]', xs: '[1, 3]' });
  });

  it('returns it', async () => {
    const before = at('line', [frameAt(8, { a: '3', b: '144', total: '12' })]);
    const wrong = at('return', before.frames as Frame[], '14');
    const found = await step(before, [encodeDelta(program, before, wrong, 1)]);
    expect(found.state.value).toBe('144');
    expect(found.probability.value).toBe(1);
  });
});

describe('an exception', () => {
  const raising = parseProgram(
    "def g(x):\n    raise ValueError(\n        'no', x)\ndef f(n):\n    return g(n)\n",
    'f(3)',
  );
  const inside = (event: 'line' | 'exception' | 'return', value?: string) =>
    at(event, [frameAt(5, { n: '3' }), frameAt(2, { x: '3' })], value);
  const wrong = "KeyError('on')";

  it('is what the line raises', async () => {
    const before = inside('line');
    const found = await step(before, [encodeDelta(raising, before, inside('exception', wrong), 2)], raising);
    expect(found.state.value).toBe("ValueError('no', 3)");
    expect(found.probability.value).toBe(1);
  });

  it('goes on in the caller, and was met before the frame was left', async () => {
    const before = inside('return', 'None');
    const after = at('exception', [frameAt(5, { n: '3' })], wrong);
    const found = await step(before, [encodeDelta(raising, before, after, 1)], raising, 'step_into');
    expect(found.state.value).toBe("ValueError('no', 3)");
    const script = [encodeDelta(raising, before, inside('exception', wrong), 2)];
    const back = await step(before, script, raising, 'inv_step_over');
    expect(back.state.value).toBe("ValueError('no', 3)");
  });
});

describe('behind a return', () => {
  const names = { a: '3', b: '4', total: '4' };
  const returned = (line: number, gots: readonly string[], value: string) =>
    at('return', [frameAt(line, names, gots), frameAt(2, { x: '2' })], value);

  it('the caller has what its only call gave', async () => {
    const before = returned(7, [], '16');
    const wrong = at('line', [frameAt(8, { ...names, b: '17' })]);
    const found = await step(before, [encodeDelta(program, before, wrong, 1)]);
    expect(localsOf(found)).toEqual({ ...names, b: '16' });
    expect(found.asked).toBe(1);
  });

  it('what is left of the line is worked out', async () => {
    const before = returned(6, ['9'], '16');
    const wrong = at('line', [frameAt(7, { ...names, total: '9' })]);
    // 9 + 16, 25 - 1, and the step.
    const found = await step(before, [answer('25'), answer('24'), encodeDelta(program, before, wrong, 1)]);
    expect(localsOf(found)).toEqual({ ...names, total: '24' });
    expect(found.probability.locals.get('total')).toBeCloseTo(0.5 ** 8, 6);
    expect(found.asked).toBe(3);
  });

  it('nothing is, as long as another call is to come', async () => {
    const before = returned(6, [], '9');
    const next = at('call', [frameAt(6, names, ['9']), frameAt(1, { x: '4' })]);
    const found = await step(before, [encodeDelta(program, before, next, 1)]);
    expect(found.state.event).toBe('call');
    expect(found.asked).toBe(1);
  });

  it('the next call has what the one before has changed', async () => {
    const changes = parseProgram(
      'def g(ys):\n    ys.append(1)\n    return 1\ndef f(xs):\n    return g(xs) + g(xs)\n',
      'f([2])',
    );
    const before = at('return', [frameAt(5, { xs: '[2]' }), frameAt(3, { ys: '[2, 1]' })], '1');
    const wrong = at('call', [frameAt(5, { xs: '[2]' }, ['1']), frameAt(1, { ys: '[2]' })]);
    const found = await step(before, [encodeDelta(changes, before, wrong, 1)], changes);
    expect(localsOf(found)).toEqual({ ys: '[2, 1]' });
  });
});
