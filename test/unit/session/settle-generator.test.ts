/** Steps in frames of generator expressions: the line and the frame that waits on it tell the item, the model what is made of it. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { stepConstraint } from '../../../src/debugger/language/step-constraints.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../../src/debugger/state.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const summing = parseProgram(
  'def f(xs, k):\n    t = sum(x * k for x in xs if x > 1)\n    return t\n',
  'f([1, 2, 3], 3)',
);
const waiting = frameAt(2, { xs: '[1, 2, 3]', k: '3' });
const inside = (its: number, names: Record<string, string>): Frame => ({
  ...frameAt(2, { k: '3', ...names }),
  its: [its],
});
const answer = (value: string): number[] => [special.value, ...encodeValue(summing, value), special.end];

/** What comes of a step that the model, asked for it last, believes to lead to `wrong`. `kept`: frames that it leaves on the stack. */
async function step(
  before: DebuggerState,
  wrong: DebuggerState,
  kept: number,
  {
    answers = [],
    kind = 'step_into',
    program = summing,
  }: { answers?: string[]; kind?: ActionKind; program?: Program } = {},
) {
  const script = [...answers.map(answer), encodeDelta(program, before, wrong, kept)];
  const { delta, asked } = await scriptedStep(program, before, kind, script);
  expect(asked).toBe(script.length);
  const top = delta.state.frames.at(-1);
  const { event, value } = delta.state;
  return { event, its: top?.its, locals: Object.fromEntries(top?.locals ?? []), value };
}

describe('a generator expression', () => {
  const first = at('line', [waiting, inside(0, {})]);
  const second = at('line', [waiting, inside(1, { x: '1' })]);
  const given = at('return', [waiting, inside(1, { x: '2' })], '6');
  const called = at('call', [waiting, inside(1, { x: '2' })]);

  it('passes an item over', async () => {
    const wrong = at('line', [waiting, inside(1, { x: '7' })]);
    const found = await step(first, wrong, 2, { answers: ['False'] });
    expect(found).toEqual({ event: 'line', its: [1], locals: { k: '3', x: '1' } });
  });

  it('gives what it makes of an item', async () => {
    const wrong = at('return', [waiting, inside(1, { x: '1' })], '9');
    const found = await step(second, wrong, 2, { answers: ['True', '6'] });
    expect(found).toEqual({ event: 'return', its: [1], locals: { k: '3', x: '2' }, value: '6' });
  });

  it('ends behind the last item', async () => {
    const last = inside(3, { x: '3' });
    const wrong = at('return', [waiting, inside(3, { x: '4' })], '12');
    const found = await step(at('line', [waiting, last]), wrong, 2);
    expect(found).toEqual({ event: 'return', its: [3], locals: { k: '3', x: '3' }, value: 'None' });
  });

  it('is called again, with what it had', async () => {
    const found = await step(given, at('call', [waiting, inside(0, { x: '7' })]), 1);
    expect(found).toEqual({ event: 'call', its: [1], locals: { k: '3', x: '2' } });
    const resumed = at('line', [waiting, inside(1, { x: '3' })]);
    expect(await step(called, resumed, 2)).toEqual({ event: 'line', its: [2], locals: { k: '3', x: '2' } });
  });

  it('counts from its first pass on', async () => {
    const fresh = at('call', [waiting, inside(0, {})]);
    const found = await step(fresh, at('line', [waiting, inside(4, {})]), 2);
    expect(found).toEqual({ event: 'line', its: [0], locals: { k: '3' } });
  });

  it('leaves its caller to go on once it has decided', async () => {
    const deciding = parseProgram(
      'def f(xs):\n    ok = any(x > 1 for x in xs)\n    return ok\n',
      'f([1, 2])',
    );
    const caller = frameAt(2, { xs: '[1, 2]' });
    const decided = at('return', [caller, { ...frameAt(2, { x: '2' }), its: [1] }], 'True');
    const wrong = at('line', [frameAt(3, { xs: '[1, 2]', ok: 'False' })]);
    const found = await step(decided, wrong, 1, { program: deciding });
    expect(found.locals).toEqual({ xs: '[1, 2]', ok: 'True' });
    const over = at('return', [caller, { ...frameAt(2, { x: '1' }), its: [2] }], 'None');
    const right = at('line', [frameAt(3, { xs: '[1, 2]', ok: 'True' })]);
    expect((await step(over, right, 1, { program: deciding })).locals).toEqual({ xs: '[1, 2]', ok: 'False' });
  });

  const searching = parseProgram(
    'def f(xs):\n    i = next((i for i in range(2) if xs[i] > 1), -1)\n    return i\n',
    'f([1, 2])',
  );
  const waits = frameAt(2, { xs: '[1, 2]' });
  const searches = (its: number, names: Record<string, string>): Frame => ({
    ...frameAt(2, { xs: '[1, 2]', ...names }),
    its: [its],
  });

  it('gives next one item, and what there is otherwise', async () => {
    const program = searching;
    const wrong = at('line', [frameAt(3, { xs: '[1, 2]', i: '7' })]);
    const found = await step(at('return', [waits, searches(1, { i: '1' })], '1'), wrong, 0, { program });
    expect(found.locals).toEqual({ xs: '[1, 2]', i: '1' });
    const over = at('return', [frameAt(2, { xs: '[1, 1]' }), searches(2, { xs: '[1, 1]', i: '1' })], 'None');
    const none = at('line', [frameAt(3, { xs: '[1, 1]', i: '7' })]);
    expect((await step(over, none, 0, { program })).locals).toEqual({ xs: '[1, 1]', i: '-1' });
  });

  it('calls what it was handed with the next item once that has been worked out', async () => {
    const source =
      'def f(n):\n    return max(int(reduce(lambda x, y: x + y, n[i : i + 3])) for i in range(len(n)))\n';
    const program = parseProgram(`from functools import reduce\n${source}`, "f('2345')");
    const pass = { ...frameAt(3, { n: "'2345'", i: '0' }), its: [0] };
    const frames = [frameAt(3, { n: "'2345'" }), pass];
    const before = at('return', [...frames, frameAt(3, { x: "'2'", y: "'3'" })], "'23'");
    const wrong = at('call', [...frames, frameAt(3, { x: "'2'", y: "'3'" })]);
    const found = await step(before, wrong, 2, { program, answers: ['3'] });
    expect(found).toMatchObject({ event: 'call', locals: { x: "'23'", y: "'4'" } });
  });

  it('is left to the model where it comes back to its line within a pass', async () => {
    const program = parseProgram(
      'def f(n, k):\n    return sum(v for v in range(n)\n        if any(v % m == 0 for m in k))\n',
      'f(3, [2])',
    );
    const frames = [frameAt(2, { n: '3', k: '[2]' }), frameAt(2, { k: '[2]', v: '2' })];
    const right = at('return', frames, '2');
    expect(await step(at('line', frames), right, 2, { program })).toMatchObject({
      event: 'return',
      value: '2',
    });
  });

  it('is not told to leave a list that it changes', async () => {
    const program = parseProgram(
      'def f(s, xs):\n    return all(s[i] == xs.pop() for i in range(2))\n',
      "f('ab', ['b', 'a'])",
    );
    const names = { s: "'ab'", xs: "['b', 'a']" };
    const pass = (its: number, more: Record<string, string>) => ({
      ...frameAt(2, { ...names, ...more }),
      its: [its],
    });
    const before = at('line', [frameAt(2, names), pass(0, {})]);
    const right = at('return', [frameAt(2, names), pass(0, { i: '0', xs: "['b']" })], 'True');
    const { locals } = await step(before, right, 2, { program });
    expect(locals).toEqual({ s: "'ab'", xs: "['b']", i: '0' });
  });

  it('does not change what next is given', async () => {
    const wrong = at('return', [waits, searches(1, { i: '0' })], '0');
    const passing = at('line', [waits, searches(1, { i: '0' })]);
    const found = await step(passing, wrong, 2, { program: searching, answers: ['True'] });
    expect(found).toEqual({ event: 'return', its: [1], locals: { xs: '[1, 2]', i: '1' }, value: '1' });
  });

  it.each<[string, string]>([
    [
      'goes on in a statement on several lines',
      'def f(xs):\n    t = max(\n        sum(x * 2 for x in xs),\n        0)\n    return t\n',
    ],
    [
      'goes on in the head of a loop that takes all of it',
      'def f(xs):\n    t = 0\n    for t in sorted(x * 2 for x in xs):\n        pass\n    return t\n',
    ],
    [
      'goes on in what counts its items',
      'def f(xs):\n    t = (\n        Counter(x * 2 for x in xs))\n    return t\n',
    ],
  ])('%s', async (_, source) => {
    const program = parseProgram(source, 'f([1, 2])');
    const frame = (its: number, names: Record<string, string>): Frame => ({
      ...frameAt(3, names),
      its: [its],
    });
    const [scope] = program.scopes;
    const its = (scope?.loops.get(3) ?? []).map(() => 0);
    const caller = { ...frameAt(3, its.length > 0 ? { xs: '[1, 2]', t: '0' } : { xs: '[1, 2]' }), its };
    const before = at('line', [caller, frame(1, { x: '1' })]);
    const wrong = at('return', [caller, frame(1, { x: '1' })], '9');
    const found = await step(before, wrong, 2, { program, answers: ['4'] });
    expect(found).toEqual({ event: 'return', its: [1], locals: { x: '2' }, value: '4' });
  });

  it.each<[string, string, object]>([
    ['over behind its last item', '3', { event: 'line', locals: { xs: '[1, 3]', t: '8' } }],
    ['left to the model before that', '1', { event: 'call', locals: { x: '1' } }],
  ])('on several lines is %s', async (_, x, expected) => {
    const program = parseProgram(
      'def f(xs):\n    t = sum(\n        x * 2\n        for x in xs)\n    return t\n',
      'f([1, 3])',
    );
    const caller = { ...frameAt(2, { xs: '[1, 3]' }), gots: x === '3' ? ['2', '6'] : ['2'] };
    const before = at('return', [caller, frameAt(3, { x })], 'None');
    const answers = x === '3' ? ['2', '6', '8'] : [];
    const after =
      x === '3'
        ? at('line', [frameAt(5, { xs: '[1, 3]', t: '9' })])
        : at('call', [caller, frameAt(3, { x })]);
    const { event, locals } = await step(before, after, x === '3' ? 1 : 1, { program, answers });
    expect({ event, locals }).toEqual(expected);
  });

  it('goes back to where its pass began', async () => {
    const back = { kind: 'inv_step_into' } as const;
    const begun = await step(given, at('line', [waiting, inside(1, { x: '9' })]), 2, back);
    expect(begun).toEqual({ event: 'line', its: [1], locals: { k: '3', x: '1' } });
    const left = at('return', [waiting, inside(0, { x: '9' })], '8');
    const before = await step(called, left, 1, { ...back, answers: ['True', '6'] });
    expect(before).toEqual({ event: 'return', its: [1], locals: { k: '3', x: '2' }, value: '6' });
    const passed = await step(second, at('line', [waiting, inside(0, { x: '8' })]), 2, {
      ...back,
      answers: ['False'],
    });
    expect(passed).toEqual({ event: 'line', its: [0], locals: { k: '3' } });
    const third = at('line', [waiting, inside(2, { x: '2' })]);
    const again = await step(third, at('call', [waiting, inside(1, { x: '5' })]), 2, {
      ...back,
      answers: ['True', '6'],
    });
    expect(again).toEqual({ event: 'call', its: [1], locals: { k: '3', x: '2' } });
  });

  it('can only do what has been worked out', () => {
    const scope = summing.scopes[1];
    const events = (
      direction: 'forward' | 'reverse',
      event: EventKind,
      ended?: 'holds' | 'fails' | 'ended',
    ) => scope && [...(stepConstraint(scope, direction, { event, line: 2, ended })?.events.keys() ?? [])];
    expect(events('forward', 'line', 'holds')).toEqual(['return']);
    expect(events('forward', 'line', 'fails')).toEqual(['line']);
    expect(events('forward', 'call')).toEqual(['line']);
    expect(events('reverse', 'line', 'holds')).toEqual(['call']);
    expect(events('reverse', 'return', 'ended')).toEqual(['line']);
    expect(events('forward', 'line')).toEqual([]);
  });
});
