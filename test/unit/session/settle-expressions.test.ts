/** Steps in the frames of lambdas and generator expressions, and over comprehensions: what their text tells, against a model that believes something else. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** What comes of a step that the model, asked for it last, believes to lead to `wrong`. kept: frames that it leaves on the stack. */
async function step(
  program: Program,
  before: DebuggerState,
  wrong: DebuggerState,
  kept: number,
  answers: readonly string[] = [],
) {
  const answer = (value: string): number[] => [special.value, ...encodeValue(program, value), special.end];
  const script = [...answers.map(answer), encodeDelta(program, before, wrong, kept)];
  const { delta, asked, constraint } = await scriptedStep(program, before, 'step_into', script);
  expect(asked).toBe(script.length);
  const accepts = (after: DebuggerState, left: number): boolean => {
    if (constraint === undefined) throw new Error('the step was held to nothing');
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, 200);
    return encodeDelta(program, before, after, left).every((token) => walker.accept(token));
  };
  const { event, value, frames } = delta.state;
  return { event, value, locals: Object.fromEntries(frames.at(-1)?.locals ?? []), accepts };
}

const counted = (frame: Frame, its: number): Frame => ({ ...frame, its: [its] });

describe('a lambda', () => {
  const sorting = parseProgram(
    'def f(xs, k):\n    return sorted(xs, key=lambda x: (x[1], k)), max(xs, key=lambda y: y[0])\n',
    'f([(1, 2)], 3)',
  );
  const waiting = frameAt(2, { xs: '[(1, 2)]', k: '3' });

  it('gives what its body comes to in its frame', async () => {
    const own = frameAt(2, { k: '3', x: '(1, 2)' });
    const wrong = at('return', [waiting, own], '7');
    const found = await step(sorting, at('line', [waiting, own]), wrong, 2);
    expect(found).toMatchObject({ event: 'return', value: '(2, 3)' });
  });

  it('is told from another one on its line by its names', async () => {
    const own = frameAt(2, { y: '(1, 2)' });
    const wrong = at('return', [waiting, own], '7');
    expect(await step(sorting, at('line', [waiting, own]), wrong, 2)).toMatchObject({ value: '1' });
  });

  it('stops nowhere else on its line', async () => {
    const own = frameAt(2, { y: '(1, 2)' });
    const { accepts } = await step(sorting, at('line', [waiting, own]), at('return', [waiting, own], '1'), 2);
    expect(accepts(at('line', [waiting, own]), 2)).toBe(false);
    expect(accepts(at('return', [waiting, own], '1'), 2)).toBe(true);
  });

  it('enters what its body calls, and gives what that gave', async () => {
    const program = parseProgram(
      'def g(n):\n    return n\ndef f(xs):\n    return max(xs, key=lambda x: g(x) + 1)\n',
      'f([4])',
    );
    const [caller, own] = [frameAt(4, { xs: '[4]' }), frameAt(4, { x: '4' })];
    const entered = at('call', [caller, own, frameAt(1, { n: '9' })]);
    const into = await step(program, at('line', [caller, own]), entered, 2);
    expect(into).toMatchObject({ event: 'call', locals: { n: '4' } });
    const back = at('return', [caller, own, frameAt(2, { n: '4' })], '4');
    const left = at('return', [caller, own], '9');
    expect(await step(program, back, left, 2, ['5'])).toMatchObject({ event: 'return', value: '5' });
  });

  it('with defaults is left to the model', async () => {
    const program = parseProgram('def f(xs):\n    return max(xs, key=lambda x=1: -x)\n', 'f([4])');
    const [caller, own] = [frameAt(2, { xs: '[4]' }), frameAt(2, { x: '4' })];
    const believed = at('return', [caller, own], '9');
    expect(await step(program, at('line', [caller, own]), believed, 2)).toMatchObject({ value: '9' });
  });
});

describe('a generator expression that calls a function', () => {
  const calling = parseProgram(
    'def g(n, k):\n    return n * k\ndef f(xs, k):\n    return sum(g(x, k) + 1 for x in xs)\n',
    'f([4, 5], 2)',
  );
  const caller = frameAt(4, { xs: '[4, 5]', k: '2' });
  const own = (its: number, names: Record<string, string>): Frame =>
    counted(frameAt(4, { k: '2', ...names }), its);

  it('hands it the item that comes next', async () => {
    const before = at('line', [caller, own(1, { x: '4' })]);
    const wrong = at('call', [caller, own(1, { x: '4' }), frameAt(1, { n: '4', k: '9' })]);
    const found = await step(calling, before, wrong, 2);
    expect(found).toMatchObject({ event: 'call', locals: { n: '5', k: '2' } });
    expect(found.accepts(at('return', [caller, own(1, { x: '5' })], '11'), 2)).toBe(false);
  });

  it('gives what it makes of what that gave', async () => {
    const before = at('return', [caller, own(1, { x: '4' }), frameAt(2, { n: '5', k: '2' })], '10');
    const wrong = at('return', [caller, own(1, { x: '4' })], '3');
    const found = await step(calling, before, wrong, 2, ['11']);
    expect(found).toMatchObject({ event: 'return', value: '11', locals: { k: '2', x: '5' } });
  });

  it('passes an item over where a condition that was called for does not hold', async () => {
    const program = parseProgram(
      'def g(n):\n    return n > 4\ndef f(xs):\n    return sum(x for x in xs if g(x))\n',
      'f([4, 5])',
    );
    const waits = frameAt(4, { xs: '[4, 5]' });
    const inside = (its: number, names: Record<string, string>) => counted(frameAt(4, names), its);
    const behind = (n: string, value: string) =>
      at('return', [waits, inside(n === '4' ? 0 : 1, n === '4' ? {} : { x: '4' }), frameAt(2, { n })], value);
    const passed = await step(program, behind('4', 'False'), at('line', [waits, inside(1, { x: '9' })]), 2);
    expect(passed).toMatchObject({ event: 'line', locals: { x: '4' } });
    const given = await step(program, behind('5', 'True'), at('return', [waits, inside(1, {})], '9'), 2);
    expect(given).toMatchObject({ event: 'return', value: '5', locals: { x: '5' } });
  });

  it('says nothing of a list that what it calls may have changed', async () => {
    const program = parseProgram(
      'def g(ys, n):\n    ys.append(n)\n    return n\ndef f(xs, k):\n    return sum(g(xs, x) for x in xs)\n',
      'f([4, 5], 2)',
    );
    const waits = frameAt(5, { xs: '[4, 5]', k: '2' });
    const inside = counted(frameAt(5, { xs: '[4, 5]', x: '4' }), 1);
    const before = at('return', [waits, inside, frameAt(3, { ys: '[4, 5, 4, 7]', n: '7' })], '7');
    const believed = at('return', [waits, counted(frameAt(5, { xs: '[4, 5, 4, 7]', x: '7' }), 1)], '7');
    expect(await step(program, before, believed, 1)).toMatchObject({
      locals: { xs: '[4, 5, 4, 7]', x: '7' },
    });
  });
});

describe('a generator expression without counters', () => {
  const nested = parseProgram(
    'def f(m, n):\n    return sum(r * 10 + c for r in range(m) for c in range(n) if c != 1)\n',
    'f(2, 3)',
  );
  const caller = frameAt(2, { m: '2', n: '3' });
  const own = (names: Record<string, string>): Frame => frameAt(2, { n: '3', ...names });
  const next = (names: Record<string, string>, wrong: DebuggerState, answers: string[] = []) =>
    step(nested, at('line', [caller, own(names)]), wrong, 2, answers);

  it('begins with the first items of both', async () => {
    const wrong = at('return', [caller, own({ r: '1', c: '2' })], '12');
    const found = await next({}, wrong, ['True', '0']);
    expect(found).toMatchObject({ event: 'return', value: '0', locals: { n: '3', r: '0', c: '0' } });
  });

  it('goes on with the inner one', async () => {
    const wrong = at('line', [caller, own({ r: '1', c: '0' })]);
    expect(await next({ r: '0', c: '0' }, wrong, ['False'])).toMatchObject({
      event: 'line',
      locals: { n: '3', r: '0', c: '1' },
    });
  });

  it('may or may not have found out that the last one was the last', async () => {
    const stays = at('line', [caller, own({ r: '0', c: '2' })]);
    const found = await next({ r: '0', c: '2' }, stays);
    expect(found.locals).toEqual({ n: '3', r: '0', c: '2' });
    expect(found.accepts(at('return', [caller, own({ r: '1', c: '0' })], '10'), 2)).toBe(true);
  });

  it('passes over what has nothing inside, and leaves what it has not come to unbound', async () => {
    const program = parseProgram(
      'def f(rows):\n    return sum(x for row in rows for x in row)\n',
      'f([[], [3]])',
    );
    const waits = frameAt(2, { rows: '[[], [3]]' });
    const wrong = at('line', [waits, frameAt(2, { row: '[3]', x: '3' })]);
    const first = await step(program, at('line', [waits, frameAt(2, {})]), wrong, 2);
    expect(first).toMatchObject({ event: 'line', locals: { row: '[]' } });
    expect(first.locals).not.toHaveProperty('x');
    const given = at('return', [waits, frameAt(2, { row: '[3]', x: '9' })], '9');
    const second = await step(program, at('line', [waits, frameAt(2, { row: '[]' })]), given, 2);
    expect(second).toMatchObject({ value: '3', locals: { row: '[3]', x: '3' } });
  });

  const spread = parseProgram(
    'def f(xs, k):\n    return sum(\n        x * k\n        for x in xs\n    )\n',
    'f([4, 5, 5], 2)',
  );
  const spreads = (names: Record<string, string>): DebuggerState =>
    at('line', [frameAt(3, { xs: '[4, 5, 5]', k: '2' }), frameAt(3, { k: '2', ...names })]);

  it('goes on in several lines behind the value of its name', async () => {
    const wrong = at('return', spreads({ x: '5' }).frames.slice(), '9');
    const found = await step(spread, spreads({ x: '4' }), wrong, 2, ['10']);
    expect(found).toMatchObject({ event: 'return', value: '10', locals: { k: '2', x: '5' } });
  });

  it('says nothing where that value is there twice', async () => {
    const believed = at('return', spreads({ x: '5' }).frames.slice(), '9');
    expect(await step(spread, spreads({ x: '5' }), believed, 2)).toMatchObject({ value: '9' });
  });
});

describe('a comprehension', () => {
  it.each<[string, string, string, string[]]>([
    ['with two loops', '[(i, j) for i in range(2) for j in range(i, 2)]', '[(0, 0), (0, 1), (1, 1)]', []],
    ['whose inner loop goes over a name of the outer', '[x for row in xs for x in row if x]', '[1, 2]', []],
    ['with a condition between its loops', '[x for row in xs if row[0] for x in row]', '[1, 2]', []],
    ['of a dict', '{row[0]: row for row in xs}', '{1: [1, 2], 0: [0]}', []],
    ['of a dict with one key twice', '{len(row) // 9: row for row in xs}', '{0: [0]}', ['0', '0']],
    ['of a set', '{x for row in xs for x in row}', '{0, 1, 2}', []],
  ])('%s', async (_, code, value, answers) => {
    const program = parseProgram(`def f(xs):\n    y = ${code}\n    return y\n`, 'f([[1, 2], [0]])');
    const before = at('line', [frameAt(2, { xs: '[[1, 2], [0]]' })]);
    const wrong = at('line', [frameAt(3, { xs: '[[1, 2], [0]]', y: '7' })]);
    expect((await step(program, before, wrong, 1, answers)).locals).toEqual({
      xs: '[[1, 2], [0]]',
      y: value,
    });
  });

  it('that calls a function of the program is left to its steps', async () => {
    const program = parseProgram(
      'def g(n):\n    return n\ndef f(xs):\n    y = {g(x): x for x in xs}\n    return y\n',
      'f([3])',
    );
    const before = at('line', [frameAt(4, { xs: '[3]' })]);
    const entered = at('call', [frameAt(4, { xs: '[3]' }), frameAt(1, { n: '3' })]);
    expect(await step(program, before, entered, 1)).toMatchObject({ event: 'call', locals: { n: '3' } });
  });
});

it('what something may have changed that was called is not reckoned with', async () => {
  const program = parseProgram(
    'def g(ys):\n    ys.append(1)\n    return 0\ndef f(xs):\n    x = g(xs) + pow(len(xs), 2)\n    return x\n',
    'f([1, 2])',
  );
  const before = at('return', [frameAt(5, { xs: '[1, 2]' }), frameAt(3, { ys: '[1, 2, 1]' })], '0');
  const after = at('line', [frameAt(6, { xs: '[1, 2, 1]', x: '9' })]);
  expect((await step(program, before, after, 1)).locals).toEqual({ xs: '[1, 2, 1]', x: '9' });
});

describe('a comprehension that calls a function', () => {
  const primes = parseProgram(
    'def g(n):\n    return n > 1\ndef f(xs):\n    ys = [x * 2 for x in xs if g(x)]\n    return ys\n',
    'f([1, 2, 3])',
  );
  const behind = (n: string, gots: string[], value: string): DebuggerState =>
    at('return', [frameAt(4, { xs: '[1, 2, 3]' }, gots), frameAt(2, { n })], value);
  const entered = (gots: string[]): DebuggerState =>
    at('call', [frameAt(4, { xs: '[1, 2, 3]' }, gots), frameAt(1, { n: '9' })]);

  it('hands it one item after the other', async () => {
    const first = at('line', [frameAt(4, { xs: '[1, 2, 3]' })]);
    expect((await step(primes, first, entered([]), 1)).locals).toEqual({ n: '1' });
    const second = await step(primes, behind('1', [], 'False'), entered(['False']), 1);
    expect(second.locals).toEqual({ n: '2' });
    const third = await step(primes, behind('2', ['False'], 'True'), entered(['False', 'True']), 1, ['4']);
    expect(third.locals).toEqual({ n: '3' });
  });

  it('leaves what its items come to', async () => {
    const last = behind('3', ['False', 'True'], 'True');
    const wrong = at('line', [frameAt(5, { xs: '[1, 2, 3]', ys: '[7]' })]);
    expect((await step(primes, last, wrong, 1, ['4', '6'])).locals).toEqual({
      xs: '[1, 2, 3]',
      ys: '[4, 6]',
    });
  });
});
