/** What is known of steps from lines before they are asked: asserts, and what follows calls whose number and arguments depend on what the ones before gave. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { eventToken, lineToken, special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { scopeOf } from '../../../src/debugger/running.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { settledLine } from '../../../src/session/settle.js';
import { scriptedStep, stateOf, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const answer = (program: Program, value: string): number[] => [
  special.value,
  ...encodeValue(program, value),
  special.end,
];

describe('behind a call', () => {
  const program = (body: string, callee = 'return x * 2') =>
    parseProgram(`def g(x, k=None):\n    ${callee}\ndef f(xs, n):\n    ${body}\n    return xs\n`, 'f([], 2)');
  const behind = async (of: Program, names: Record<string, string>, value: string) => {
    const frames = [frameAt(4, names), frameAt(2, { x: '2', k: 'None' })];
    const { delta, asked } = await scriptedStep(of, stateOf('return', frames, value), 'step_into', [], true);
    return [asked, delta.state.event, Object.fromEntries(delta.state.frames[0]?.locals ?? [])];
  };

  it('a list has what that gave, where it changes nothing itself', async () => {
    const names = { xs: '[[7], []]', n: '1' };
    expect(await behind(program('xs.append((g(n), n))'), names, '4')).toEqual([
      0,
      'line',
      { xs: '[[7], [], (4, 1)]', n: '1' },
    ]);
    expect(await behind(program('xs[n].insert(0, g(n))'), names, '4')).toEqual([
      0,
      'line',
      { xs: '[[7], [4]]', n: '1' },
    ]);
  });

  it.each([
    ['what is called changes the list', 'xs.append(g(n, xs))', 'return k.pop()'],
    ['what is called comes back to the line', 'xs.append(g(n))', 'return f([], x)'],
  ])('is asked for where %s', async (_, body, callee) => {
    const changing = program(body, callee);
    await expect(behind(changing, { xs: '[1, 4]', n: '1' }, '4')).rejects.toThrow('the script has ended');
  });
});

describe('behind a call that has made an object', () => {
  const program = (line: string, more = '', last = 'self.x = x') =>
    parseProgram(
      `class C:\n    def __init__(self, x):\n        ${last}\n    def __repr__(self):\n        return str(self.x)\n${more}def f(xs, n):\n    ${line}\n    return xs\n`,
      'f([], 2)',
    );
  const behind = async (of: Program, names: Record<string, string>) => {
    const line = of.lines.findIndex((text) => text.startsWith('def f')) + 2;
    const frames = [frameAt(line, names), frameAt(3, { self: '<C object {x: 2}>', x: '2' })];
    const { delta, asked } = await scriptedStep(of, stateOf('return', frames, 'None'), 'step_into', [], true);
    return [asked, delta.state.event, Object.fromEntries(delta.state.frames[0]?.locals ?? [])];
  };
  const names = { xs: '[<C object {x: 1}>]', n: '2' };

  it('a list takes that, and what an object holds', async () => {
    const left = { xs: '[<C object {x: 1}>, <C object {x: 2}>]', n: '2' };
    expect(await behind(program('xs.append(C(n))'), names)).toEqual([0, 'line', left]);
    expect(await behind(program('xs.items.append(C(n))'), { xs: '<D object {items: []}>', n: '2' })).toEqual([
      0,
      'line',
      { xs: '<D object {items: [<C object {x: 2}>]}>', n: '2' },
    ]);
  });

  it.each([
    [
      'the program has a method of this name',
      'xs.append(C(n))',
      'class D:\n    def append(self, x):\n        pass\n',
      undefined,
    ],
    ['something else is called', 'xs.append(C(len(f([], n))))', '', undefined],
    ['what makes it may change something', 'xs.append(C(n))', '', 'self.x = x; x.y = 1'],
  ])('is asked for where %s', async (_, line, more, last) => {
    const changing = program(line, more, last);
    await expect(behind(changing, names)).rejects.toThrow('the script has ended');
  });
});

describe('a comprehension without items', () => {
  it('raises nothing that its items would', async () => {
    const program = parseProgram(
      'def f(grid):\n    q = [(r, c) for r in range(len(grid)) for c in range(len(grid[0]))]\n    return q\n',
      'f([])',
    );
    const state = stateOf('line', [frameAt(2, { grid: '[]' })]);
    const raised = [eventToken('exception'), ...encodeValue(program, "IndexError('x')"), special.end];
    const { delta } = await scriptedStep(program, state, 'step_over', [raised, raised], true);
    expect([delta.state.event, delta.state.frames[0]?.locals.get('q')]).toEqual(['line', '[]']);
  });
});

describe('an assert', () => {
  const settled = (line: string) => {
    const program = parseProgram(`def f(n, s):\n    ${line}\n    return n\n`, "f(2, 'a')");
    const state = stateOf('line', [frameAt(2, { n: '2', s: "'a'" })]);
    return { program, state, ...settledLine(stepOf(program, state, 'step_over')) };
  };

  it('passes, or fails with what it says, once its condition is told', () => {
    expect(settled('assert True').ended).toBe('passes');
    expect(settled('assert s, n').ended).toBe('passes');
    expect(settled('assert False')).toMatchObject({
      ended: 'raised',
      results: { raised: 'AssertionError()' },
    });
    expect(settled("assert '', (n, s)").results.raised).toBe("AssertionError((2, 'a'))");
    expect(settled('assert 0, n + 1')).toMatchObject({ ended: 'raised', results: { raised: undefined } });
    expect(settled('assert n > 1').ended).toBeUndefined();
  });

  it('has a way of its own in a generator, too', () => {
    const program = parseProgram('def f(x):\n    assert x\n    yield x\n', 'list(f(2))');
    const state = stateOf('line', [frameAt(2, { x: '2' })]);
    const { ended } = settledLine(stepOf(program, state, 'step_into'));
    expect(ended).toBe('passes');
    const question = { kind: 'step_into', lines: [] } as const;
    const { data, start } = grammarOf(program).forQuestion(state, question, { ended });
    const walker = new GrammarWalker(data, start.state, start.frames, 50);
    expect(walker.legalTokens()).toEqual([eventToken('line')]);
  });

  it('can then go nowhere else', () => {
    const leads = (line: string) => {
      const { program, state, ended } = settled(line);
      const { data, start } = grammarOf(program).forQuestion(
        state,
        { kind: 'step_over', lines: [] },
        { ended },
      );
      const accepts = (event: 'line' | 'exception', ordinal: number): boolean => {
        const walker = new GrammarWalker(data, start.state, start.frames, 50);
        return walker.accept(eventToken(event)) && walker.accept(lineToken(ordinal));
      };
      return [accepts('line', 3), accepts('exception', 2)];
    };
    expect(leads('assert s')).toEqual([true, false]);
    expect(leads('assert 0')).toEqual([false, true]);
    expect(leads('assert n > 1')).toEqual([true, true]);
  });

  it('has its condition asked', async () => {
    const program = parseProgram('def f(n):\n    assert n > 1\n    return n\n', 'f(2)');
    const before = stateOf('line', [frameAt(2, { n: '2' })]);
    const after = stateOf('line', [frameAt(3, { n: '2' })]);
    const script = [answer(program, 'True'), encodeDelta(program, before, after, 1)];
    expect((await scriptedStep(program, before, 'step_over', script)).asked).toBe(2);
  });
});

describe('a list where a generator may be closed', () => {
  it.each([
    ['is told where that runs nothing', ['    yield 1'], '[1]'],
    [
      'is not where that runs what cleans up',
      ['    try:', '        yield 1', '    finally:', '        print(1)'],
      undefined,
    ],
    ['is not where that leaves a context', ["    with open('a'):", '        yield 1'], undefined],
  ])('%s', (_, body, expected) => {
    const source = ['def g():', ...body, 'def f(xs):', '    ys = xs', '    return ys', ''].join('\n');
    const program = parseProgram(source, 'f([1])');
    const state = stateOf('line', [frameAt(body.length + 3, { xs: '[1]' })]);
    expect(settledLine(stepOf(program, state, 'step_over')).results.assigned.get('ys')).toBe(expected);
  });
});

describe('behind a call', () => {
  const program = parseProgram(
    [
      'def g(x, y):',
      '    return x > y',
      'def f(n, xs):',
      '    n = g(n, 1) and g(n * 2, 3)',
      '    n = max(xs, key=lambda k: -k)',
      '    n = list(map(lambda k: k + 1, xs))',
      '    return n',
      '',
    ].join('\n'),
    'f(2, [5, 6])',
  );
  const names = { n: '2', xs: '[5, 6]' };
  const returned = (line: number, gots: readonly string[], own: Record<string, string>, value: string) =>
    stateOf('return', [frameAt(line, names, gots), frameAt(line === 4 ? 2 : line, own)], value);
  /** The names of the frame that the step leads to, whatever the model says of them. */
  const next = async (
    before: ReturnType<typeof returned>,
    line: number,
    wrong: Record<string, string>,
    asked: readonly string[] = [],
  ) => {
    const [caller] = before.frames;
    const gots = [...(caller?.gots ?? []), before.value ?? ''];
    const after = stateOf('call', [frameAt(caller?.line ?? 0, names, gots), frameAt(line, wrong)]);
    const script = [...asked.map((value) => answer(program, value)), encodeDelta(program, before, after, 1)];
    const { delta } = await scriptedStep(program, before, 'step_into', script);
    return Object.fromEntries(delta.state.frames.at(-1)?.locals ?? []);
  };

  it('the next one of `and` begins with what is worked out for it', async () => {
    const before = returned(4, [], { x: '2', y: '1' }, 'True');
    expect(await next(before, 1, { x: '9', y: '9' }, ['4'])).toEqual({ x: '4', y: '3' });
  });

  it('a lambda has the next item', async () => {
    expect(await next(returned(5, [], { k: '5' }, '-5'), 5, { k: '5' })).toEqual({ k: '6' });
  });

  it('the values that were given stand in place of a map', async () => {
    const before = returned(6, ['6'], { k: '6' }, '7');
    const wrong = stateOf('line', [frameAt(7, { ...names, n: '[0]' })]);
    const { delta } = await scriptedStep(program, before, 'step_into', [
      encodeDelta(program, before, wrong, 1),
    ]);
    expect(delta.state.frames.at(-1)?.locals.get('n')).toBe('[6, 7]');
  });
});

describe('of two functions on one line a frame is in', () => {
  const program = parseProgram('def f(n, xs):\n    return sum(x for x in xs if x > n)\n', 'f(2, [5])');
  const name = (names: Record<string, string>, its: readonly number[]) =>
    scopeOf(program, { ...frameAt(2, names), its }, 'line')?.name;

  it('the one that has as many loops, and its parameters', () => {
    expect(name({ n: '2', xs: '[5]' }, [])).toBe('f');
    expect(name({ n: '2' }, [0])).toBe('<genexpr>');
    expect(name({ n: '2', x: '5' }, [0])).toBe('<genexpr>');
    expect(name({ n: '2' }, [])).toBeUndefined();
  });
});
