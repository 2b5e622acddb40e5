/** Which lines a step back can lead to, as far as the frame rules some out. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { type Claim, cameFrom, claimsOf } from '../../../src/debugger/came-from.js';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { type Way, waysTo } from '../../../src/debugger/language/step-constraints.js';
import { eventToken, lineToken, special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, EventKind } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
const back = { kind: 'inv_step_over', lines: [] } as const;
const programOf = (lines: readonly string[]): Program => parseProgram(`${lines.join('\n')}\n`, 'f(1)');

const at = (line: number, locals: Locals, its: readonly number[] = [], event: EventKind = 'line') => ({
  event,
  frames: [{ ...frameAt(line, locals), its: [...its] }],
  hiddenFrames: 0,
  ...(event === 'return' ? { value: 'None' } : {}),
});

const left = (program: Program, state: DebuggerState): Way[] => {
  const scope = program.scopeOf(state);
  const all = scope ? waysTo(scope, state.frames[0]?.line ?? 0) : [];
  return [...(cameFrom(program, state, back) ?? all)];
};

describe('the head of a loop', () => {
  const program = programOf(['def f(n):', '    for i in range(n):', '        n += i', '    return n']);

  it('was come to from the outside before its first pass, from the inside after one', () => {
    expect(left(program, at(2, { n: '1' }, [0]))).toEqual(['call']);
    expect(left(program, at(2, { n: '1', i: '0' }, [1]))).toEqual([3]);
  });

  it('of a generator may have been come to by a call of what has yielded', () => {
    const yielding = programOf(['def f(n):', '    for i in range(n):', '        yield i']);
    expect(left(yielding, at(2, { n: '3', i: '0' }, [1]))).toEqual([3, 'call']);
  });
});

describe('a line with more than one line before it', () => {
  /** `first` and then a loop on line 3, whose last line is line 4. */
  const ways = (first: string, last: string, locals: Locals): Way[] =>
    left(
      programOf(['def f(n, xs=0):', `    ${first}`, '    while g():', `        ${last}`, '    return n']),
      at(3, locals),
    );

  it.each<[string, string, Locals, Way[]]>([
    ['x = 0', 'x += 1', { n: '3', x: '2' }, [4]],
    ['x = 0', 'x += 1', { n: '3', x: '0' }, [2, 4]],
    ['x = n', 'x += 1', { n: '3', x: '4' }, [4]],
    ['x, y = n, []', 'x += 1', { n: '3', x: '3', y: '[1]' }, [4]],
    ['x = y = 1', 'x += 1', { n: '3', x: '1', y: '2' }, [4]],
    ['xs[0] = n', 'n += 1', { n: '3', xs: '[1]' }, [4]],
    ['xs[0] = n', 'n += 1', { n: '3', xs: '[3]' }, [2, 4]],
    ['x = 0', 'y = g()', { n: '3', x: '0' }, [2]],
    ['x = g()', 'y = 2', { n: '3', x: '7', y: '2' }, [4]],
    ['x = g()', 'n = 2', { n: '2', x: '7' }, [2, 4]],
    ['xs.append(n)', 'n -= 1', { n: '3', xs: '[3, 4]' }, [4]],
    ['xs.append(n)', 'n -= 1', { n: '3', xs: '[4, 3]' }, [2, 4]],
    ['xs.append(n)', 'n -= 1', { n: '3', xs: '[]' }, [4]],
    ['xs.add(n)', 'n -= 1', { n: '3', xs: '{4}' }, [4]],
  ])('%s, then %s, of %o', (first, last, locals, expected) =>
    expect(ways(first, last, locals)).toEqual(expected));

  it.each<[string, Locals]>([
    ['x = x + 1', { n: '3', x: '9' }],
    ['x = xs.pop()', { n: '3', xs: '[4, 5]', x: '6' }],
    ['xs[0] = xs[1]', { n: '3', xs: '[4, 5]' }],
    ['xs.append(g(n))', { n: '3', xs: '[4]' }],
    ['x += 1', { n: '3', x: '9' }],
    ['import x', { n: '3', x: '9' }],
  ])('says nothing of %s', (first, locals) => expect(ways(first, 'pass', locals)).toEqual([2, 4]));

  it('says nothing where nothing that leads there fits', () =>
    expect(ways('x = 0', 'x = 1', { n: '3', x: '2' })).toEqual([2, 4]));

  it('was not come to by a line before the only one that binds a name', () => {
    const lines = [
      'def f(n):',
      '    x = 0',
      '    while n:',
      '        y = g()',
      '        x += 1',
      '    return n',
    ];
    expect(left(programOf(lines), at(3, { n: '3', x: '0', y: '7' }))).toEqual([5]);
    expect(left(programOf(lines), at(3, { n: '3', x: '0' }))).toEqual([2]);
    const within = [
      'def f(n):',
      '    while g():',
      '        x = 0',
      '        while n:',
      '            y = g()',
    ];
    expect(left(programOf(within), at(4, { n: '3', x: '0', y: '7' }))).toEqual([3, 5]);
  });

  it('says nothing of what several names were given, where one was read as it was before', () => {
    const last = 'x, y = n, x';
    expect(ways('x = 0', last, { n: '3', x: '3', y: '5' })).toEqual([4]);
    const program = programOf(['def f(n, x, y):', '    if n:', `        ${last}`, '    return n']);
    expect(left(program, at(4, { n: '3', x: '3', y: '5' }))).toEqual([3]);
  });

  it('was not come to by the call once another name is bound', () => {
    const program = programOf([
      'def f(n):',
      '    while n:',
      '        n -= 1',
      '        x = n',
      '    return n',
    ]);
    expect(left(program, at(2, { n: '3' }))).toEqual(['call']);
    expect(left(program, at(2, { n: '3', x: '3' }))).toEqual([4]);
  });
});

describe('a condition', () => {
  const program = programOf(['def f(n):', '    if n:', '        g()', '    return n']);
  const running = ({ frames: [frame] }: DebuggerState, lines?: readonly string[]) => {
    const [scope] = (lines ? programOf(lines) : program).scopes;
    if (scope === undefined || frame === undefined) throw new Error('a program has a scope');
    return { frame, scope };
  };

  it('that would have led elsewhere is ruled out', () => {
    expect(left(program, at(4, { n: '1' }))).toEqual([3]);
    expect(left(program, at(4, { n: '0' }))).toEqual([2]);
  });

  it('that must have held before the way is ruled out with it', () => {
    const lines = ['def f(n, x):', '    for i in x:', '        if n > i:', '            g()', '    return n'];
    const state = at(2, { n: '1', x: '[1, 2]', i: '1' }, [1]);
    const at3 = claimsOf(programOf(lines), running(state, lines), 3);
    const at4 = claimsOf(programOf(lines), running(state, lines), 4);
    const fits = (claims: readonly Claim[]) =>
      claims.map(({ fits }) => ['False', 'True'].map((value) => fits(encodeValue(programOf(lines), value))));
    expect(fits(at3)).toEqual([[true, false]]);
    expect(fits(at4)).toEqual([[false, true]]);
    expect(at3[0]?.code).toEqual(at4[0]?.code);
  });

  it.each([
    'n += 1', // changes what the condition was about
    'n = g()',
  ])('says nothing once it may have changed: %s', (line) => {
    const lines = ['def f(n):', '    while g():', '        if n:', `            ${line}`, '    return n'];
    expect(claimsOf(programOf(lines), running(at(2, { n: '1' }), lines), 4)).toEqual([]);
  });

  it('claims that it did not hold', () => {
    const [claim] = claimsOf(program, running(at(4, { n: '1' })), 2);
    expect(expressionParts(claim?.code ?? [])?.kind).toBe('name');
    const fits = ['False', '0', '1', "'a'"].map((value) => claim?.fits(encodeValue(program, value)));
    expect(fits).toEqual([true, true, false, false]);
    expect(claimsOf(program, running(at(4, { n: '1' })), 'call')).toEqual([]);
  });
});

describe('a statement', () => {
  const claims = (line: string, values: readonly string[]) => {
    const program = programOf(['def f(n, xs, x):', `    ${line}`, '    return n']);
    const [scope] = program.scopes;
    if (scope === undefined) throw new Error('a program has a scope');
    const locals = { n: '3', xs: '[4, 5]', x: '{1, 2}' };
    const [claim] = claimsOf(program, { frame: frameAt(3, locals), scope }, 2);
    return claim && values.map((value) => claim.fits(encodeValue(program, value)));
  };

  it.each<[string, string[], boolean[]]>([
    ['n = x % 5', ['3', '4'], [true, false]],
    ['xs.append(n + 1)', ['5', '4'], [true, false]],
    ['x.add(n - 1)', ['2', '7'], [true, false]],
  ])('%s claims what the frame shows', (line, values, expected) =>
    expect(claims(line, values)).toEqual(expected));

  it.each([
    'n = n % 5',
    'n = g(x)',
    'n, x = x',
    'xs[0] = n % 2',
    'n += 1',
    'xs.append(xs[0] + 1)',
    'xs.insert(0, n)',
    'g(n)',
  ])('%s claims nothing', (line) => expect(claims(line, [])).toBeUndefined());
});

it('says nothing of other actions and events', () => {
  const program = programOf(['def f(n):', '    for i in range(n):', '        n += i', '    return n']);
  expect(cameFrom(program, at(2, { n: '1' }, [0]), { kind: 'step_over', lines: [] })).toBeUndefined();
  expect(cameFrom(program, at(2, { n: '1' }, [0]), { kind: 'inv_continue', lines: [] })).toBeUndefined();
  expect(cameFrom(program, at(4, { n: '1' }, [], 'return'), back)).toBeUndefined();
  expect(cameFrom(program, null, back)).toBeUndefined();
});

describe('the grammar', () => {
  const source = [
    'def g(a):',
    '    if a:',
    '        return 1',
    '    raise ValueError',
    'def f(n):',
    '    y = g(n)',
    '    return y',
  ];
  const accepts = (kind: ActionKind, state: DebuggerState, ...tokens: number[]): boolean => {
    const program = programOf(source);
    const ways = cameFrom(program, state, { kind, lines: [] });
    const { data, start } = compileGrammar(program).forQuestion(state, { kind, lines: [] }, { ways });
    const walker = new GrammarWalker(data, start.state, start.frames, 100);
    return tokens.every((token) => walker.accept(token));
  };
  const line = eventToken('line');
  const behind = at(7, { n: '1', y: '1' });

  it('leads back into the function that a line surely entered, to a line that returns', () => {
    expect(accepts('inv_step_into', behind, line)).toBe(false);
    expect(accepts('inv_step_over', behind, line)).toBe(true);
    const into = [special.push, lineToken(6), eventToken('return')];
    expect(accepts('inv_step_into', behind, ...into, lineToken(3))).toBe(true);
    expect(accepts('inv_step_into', behind, ...into, lineToken(4))).toBe(false);
    expect(accepts('inv_step_into', behind, ...into, lineToken(7))).toBe(false);
  });

  it('leads back from a `return` of a constant to its line alone', () => {
    const given: DebuggerState = { ...at(3, { a: '1' }, [], 'return'), value: '1' };
    expect(accepts('inv_step_over', given, line)).toBe(true);
    expect(accepts('inv_step_over', given, eventToken('exception'))).toBe(false);
    const named: DebuggerState = { ...at(7, { n: '1', y: '1' }, [], 'return'), value: '1' };
    expect(accepts('inv_step_over', named, eventToken('exception'))).toBe(true);
  });

  it('holds a step to one or two of many ways', () => {
    const tests = ['a', 'b', 'c', 'd'].flatMap((name) => [
      `        if n == '${name}':`,
      '            continue',
    ]);
    const program = programOf(['def f(n):', '    while g():', ...tests, '        pass', '    return n']);
    const state = at(2, { n: "'z'" });
    const lines = program.scopes[0] ? waysTo(program.scopes[0], 2) : [];
    expect(lines.length).toBe(6);
    const accepted = (ways: readonly Way[]) => {
      const { data, start } = compileGrammar(program).forQuestion(state, back, { ways: new Set(ways) });
      return lines.filter((way) => {
        const walker = new GrammarWalker(data, start.state, start.frames, 100);
        const tokens = way === 'call' ? [eventToken('call')] : [eventToken('line'), lineToken(way)];
        return tokens.every((token) => walker.accept(token));
      });
    };
    expect(accepted([4])).toEqual([4]);
    expect(accepted([6, 11])).toEqual([6, 11]);
    expect(accepted([4, 6, 11])).toEqual(lines); // not told apart
  });

  it('holds a step to the ways that the frame allows', () => {
    const program = programOf(['def f(n):', '    for i in range(n):', '        n += i', '    return n']);
    const state = at(2, { n: '1', i: '0' }, [1]);
    const { data, start } = compileGrammar(program).forQuestion(state, back, { ways: new Set([3]) });
    const walk = (...tokens: number[]) => {
      const walker = new GrammarWalker(data, start.state, start.frames, 100);
      return tokens.every((token) => walker.accept(token));
    };
    expect(walk(eventToken('call'))).toBe(false);
    expect(walk(line, lineToken(3))).toBe(true);
    expect(walk(line, lineToken(4))).toBe(false);
  });
});
