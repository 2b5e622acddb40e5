/** What is known of names one line back, before a statement that can be taken back. */
import { describe, expect, it } from 'vitest';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { tokenText } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { undoneBy } from '../../../src/debugger/undone/index.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;

/** A program and its first function. */
function functionOf(source: string, call: string) {
  const program = parseProgram(source, call);
  const [scope] = program.scopes;
  if (scope === undefined) throw new Error('the program has a function');
  return { program, scope };
}

const locals = { xs: '[5, [6], 5]', d: "{'a': 1, 'b': 2}", s: "'abc'", n: '4' };

describe('a statement that is taken back', () => {
  const undone = (
    line: string,
    names: Locals = { ...locals, q: 'deque([7])' },
    answers: readonly string[] = [],
  ) => {
    const { program, scope } = functionOf(
      `def f(xs, d, s, n, q):\n    ${line}\n    return n\n`,
      'f([], {}, 0, 1, 2)',
    );
    let found = undoneBy(program, { frame: frameAt(3, names), scope }, 2);
    for (const answer of answers) {
      expect(expressionParts(found.asked?.code ?? [])).toBeDefined();
      found = found.asked?.follows(encodeValue(program, answer)) ?? found;
    }
    const { told, asked, logProbability } = found;
    return {
      ...Object.fromEntries(told),
      ...(asked && { asked: true }),
      ...(logProbability === undefined ? {} : { unsure: true }),
    };
  };

  it.each<[string, object]>([
    ['xs.append(n)', { xs: '[5, [6]]' }],
    ['n = xs.pop()', { xs: '[5, [6], 5, 4]' }],
    ['n = xs.pop(0)', { xs: '[4, 5, [6], 5]' }],
    ['n = q.popleft()', { q: 'deque([4, 7])' }],
    ['n, s = xs.pop()', { xs: "[5, [6], 5, (4, 'abc')]" }],
    ['n, s = s, n', { n: "'abc'", s: '4' }],
    ['n, s = s, xs', { s: '4' }],
    ['n, s, d = s, n, len(d)', { n: "'abc'", s: '4' }],
    ['xs[0], xs[1] = xs[1], xs[0]', { xs: '[[6], 5, 5]' }],
    ["d['a'], d['b'] = d['b'], d['a']", { d: "{'a': 2, 'b': 1}" }],
    ['xs[n % 2], xs[1] = xs[1], xs[n % 2]', { asked: true }],
    ['n = n - len(s)', { asked: true }],
    ['s = d + s', {}],
    ['s = str(n) + s', { asked: true }],
    ['n += len(s)', { asked: true }],
    ['xs[0] -= n', { asked: true }],
    ["d['a'] += 1", { asked: true }],
    ["s += 'bc'", { s: "'a'" }],
    ["s += 'abc'", { s: "''" }],
    ["s += 'x'", {}],
    ["s += 'xabc'", {}],
    ["s = s + 'c'", { s: "'ab'" }],
    ["s = 'a' + s", { s: "'bc'" }],
    ["s = 'c' + s", {}],
    ['xs += [5]', { xs: '[5, [6]]' }],
    ['xs = xs + [[6], 5]', { xs: '[5]' }],
    ['xs = [5] + xs', { xs: '[[6], 5]' }],
    ['xs += [7]', {}],
    ['xs *= 3', {}],
    ['xs.extend([[6], 5])', { xs: '[5]' }],
    ['xs.extend(g(n))', {}],
    ['xs.insert(0, n)', { xs: '[[6], 5]' }],
    ['xs.insert(n, n)', {}],
    ['q.appendleft(n)', { q: 'deque([])' }],
    ['xs[1].append(n)', { xs: '[5, [], 5]' }],
    ['xs[0].append(n)', {}],
    ["d['b'] = n", { d: "{'a': 1}", unsure: true }],
    ["d['a'] = n", {}],
    ["d['c'] = n", {}],
    ["d['b'] = g(d)", {}],
    ['s *= g(n)', {}],
    ['xs -= n', {}],
    ['xs[xs[0] - 3] += 1', {}],
    ['xs[len(xs) - 1] = xs[0]', {}],
    ["d['b'] = d.get('b', 0) + 1", { asked: true }],
    ['xs[0] = n', {}],
    ['s = n * s', {}],
  ])('%s', (line, expected) => expect(undone(line)).toEqual(expected));

  it('unbinds what a line binds that is no assignment', () => {
    const names = (source: readonly string[], at: number, bound: Locals) => {
      const { program, scope } = functionOf(`${source.join('\n')}\n`, 'f(1)');
      return [...undoneBy(program, { frame: frameAt(at, bound), scope }, at - 1).told];
    };
    const definition = ['def f(n):', '    def g(): return 1', '    return n'];
    expect(names(definition, 3, { n: '1', g: '<function f.<locals>.g>' })).toEqual([['g', undefined]]);
    expect(names(['def f(n):', '    import math', '    return n'], 3, { n: '1', math: '<module>' })).toEqual([
      ['math', undefined],
    ]);
  });

  it('takes lists apart that were repeated, and leaves alone what may be in two places', () => {
    expect(undone('xs *= 2', { xs: '[1, 2, 1, 2]' })).toEqual({ xs: '[1, 2]' });
    expect(undone('xs *= 2', { xs: '[1, 2, 1, 3]' })).toEqual({});
    expect(undone('xs[0].append(n)', { xs: '[[1, 2], [3]]', n: '2' })).toEqual({ xs: '[[1], [3]]' });
    expect(undone('xs[0].append(n)', { xs: '[[1, 2], [1, 2]]', n: '2' })).toEqual({});
    expect(undone('xs[0][1] += n', { xs: '[[1, 2], [3]]', n: '2' }, ['0'])).toEqual({ xs: '[[1, 0], [3]]' });
  });

  it('takes back what was done to attributes', () => {
    const object = { d: '<C object {n: 7, xs: [5, 7], ys: []}>', n: '7' };
    const back = (line: string, ...answers: string[]) => undone(line, object, answers);
    expect(back('d.n += 4', '3')).toEqual({ d: '<C object {n: 3, xs: [5, 7], ys: []}>' });
    expect(back('d.n = d.n - n', '14')).toEqual({ d: '<C object {n: 14, xs: [5, 7], ys: []}>' });
    expect(back('d.xs.append(d.n)')).toEqual({ d: '<C object {n: 7, xs: [5], ys: []}>' });
    expect(back('d.xs[1] += d.n', '0')).toEqual({ d: '<C object {n: 7, xs: [5, 0], ys: []}>' });
    for (const line of ['d.n += d.n', 'd.xs.append(d)', 'd.gone += 1', 'd.xs[d.xs[0] - 4] += 1', 'd.n = 7'])
      expect(back(line)).toEqual({});
    expect(undone('d.xs.append(5)', { d: '<C object {xs: [5], ys: [5]}>' })).toEqual({});
  });

  it('takes digits back that were cut off', () => {
    const source = [
      'def f(n):',
      '    while n:',
      '        r = n % 10',
      '        n //= 10',
      '    n, r = divmod(n, 10)',
      '    return r',
      '',
    ];
    const { program, scope } = functionOf(source.join('\n'), 'f(1)');
    const back = (line: number, at: number, names: Locals) => {
      const { asked } = undoneBy(program, { frame: frameAt(at, names), scope }, line);
      return asked && Object.fromEntries(asked.follows(encodeValue(program, '42')).told);
    };
    expect(back(4, 2, { n: '4', r: '2' })).toEqual({ n: '42' });
    expect(back(5, 6, { n: '4', r: '2' })).toEqual({ n: '42' });
    expect(back(4, 2, { n: '4', r: "'2'" })).toBeUndefined();
  });

  it.each<[string, string[], object]>([
    ['n += 1', ['3'], { n: '3' }],
    ['xs[0] -= n', ['9'], { xs: '[9, [6], 5]' }],
    ["d['b'] += 1", ['1'], { d: "{'a': 1, 'b': 1}" }],
    ["d['b'] = d.get('b', 0) + 1", ['1'], { d: "{'a': 1, 'b': 1}" }],
    ["d['b'] = d.get('b', 0) + 2", ['0'], { d: "{'a': 1}", unsure: true }],
    ["d['a'] = d.get('a', 0) + 1", ['0'], { d: "{'a': 0, 'b': 2}" }],
    ['n += 0.5', ['3.5'], {}],
    ['xs[n % 2], xs[1] = xs[1], xs[n % 2]', ['0'], { xs: '[[6], 5, 5]' }],
    ['xs[n % 2], xs[1] = xs[1], xs[n % 2]', ['7'], {}],
    ['xs[n - 2] += 1', ['2', '4'], { xs: '[5, [6], 4]' }],
    ['xs[n - 2] += 1', ['1'], {}],
    ['n = n + 1', ['3'], { n: '3' }],
    ['n = 2 * n', ['2'], { n: '2' }],
    ['n *= 2', ['2'], { n: '2' }],
    ['n ^= 1', ['5'], { n: '5' }],
    ['n <<= 2', ['1'], { n: '1' }],
    ['s += str(n)', ["'c'"], { s: "'ab'" }],
    ['xs.extend(list(d))', ['[[6], 5]'], { xs: '[5]' }],
  ])('%s, for which %o is answered', (line, answers, expected) =>
    expect(undone(line, locals, answers)).toEqual(expected));

  it('takes sums back that moved on', () => {
    const names = { n: '3', s: '5' };
    expect(undone('n, s = s, n + s', names)).toEqual({ s: '3', asked: true });
    expect(undone('n, s = s, n + s', names, ['2'])).toEqual({ n: '2' });
    expect(undone('n, s = s, s + n', names, ['2'])).toEqual({ n: '2' });
    expect(undone('n, s = s, n + n', names)).toEqual({ s: '3' });
    expect(undone('n, s = s, n - s', names)).toEqual({ s: '3' });
  });

  it.each([
    'n = 1',
    'n += n',
    's -= n',
    'xs[7] += 1',
    'xs[1] += [1]',
    'xs.append(xs.pop())',
    'xs.append(1, 2)',
    'd.append(1)',
    'n = xs.pop(1)',
    'n = d.pop(0)',
    'n, s = xs.pop(n)',
    'xs[0], s = xs.pop()',
    'n += g(s)',
    's *= n',
    'n = 1 - n',
    'n = n + n',
    'n = n % 2',
    'xs[n % 2], xs[n - 3] = xs[n - 3], xs[n % 2]',
    'n //= 2',
    'n, s = xs, n, d',
    'xs = xs.pop()',
    'xs[0], d[0] = d[0], xs[0]',
    'n, n = n, n',
    'del xs[0]',
    'pass',
  ])('nothing of %s', (line) => expect(undone(line)).toEqual({}));

  it('unbinds what it was the first to bind', () => {
    const source = [
      'def f(n):',
      '    for i in range(n):',
      '        x = g(i)',
      '        y, n = x, 1',
      '    x = 2',
      '    z = 3',
      '    return x',
      '',
    ];
    const { program, scope } = functionOf(source.join('\n'), 'f(1)');
    const unbound = (line: number, at: number, its: number[]) => {
      const frame = { ...frameAt(at, { n: '1', i: '0', x: '2', y: '2', z: '3' }), its };
      return [...undoneBy(program, { frame, scope }, line).told]
        .filter(([, value]) => value === undefined)
        .map(([name]) => name);
    };
    expect(unbound(3, 4, [0])).toEqual(['x']);
    expect(unbound(3, 4, [1])).toEqual([]);
    expect(unbound(4, 2, [1])).toEqual(['y']);
    expect(unbound(4, 2, [2])).toEqual([]);
    expect(unbound(5, 6, [])).toEqual([]);
    expect(unbound(6, 7, [])).toEqual(['z']);
  });

  it('leaves names bound in loops that may have run before', () => {
    const names = (source: readonly string[], at: number, its: readonly number[]) => {
      const { program, scope } = functionOf(`${source.join('\n')}\n`, 'f([])');
      const frame = { ...frameAt(at, { n: '[[1]]', i: '[1]', j: '1', x: '2' }), its };
      return [...undoneBy(program, { frame, scope }, at - 1).told.keys()];
    };
    const body = ['for j in i:', '    x = j', '    g(x)'];
    const inner = (head: string) => ['def f(n):', `    ${head}`, ...body.map((line) => `        ${line}`)];
    expect(names(inner('for i in n:'), 5, [0, 0])).toEqual(['x']);
    expect(names(inner('for i in n:'), 5, [0, 1])).toEqual([]);
    expect(names(inner('for i in n:'), 5, [1, 0])).toEqual([]);
    expect(names(inner('while (i := g(n)):'), 5, [0])).toEqual([]);
    const guarded = [
      'def f(n):',
      '    try:',
      '        x = 1',
      '        g(x)',
      '    except E:',
      '        x = 2',
    ];
    expect(names(guarded, 4, [])).toEqual([]);
  });

  it('leaves strings alone that may be written otherwise', () => {
    expect(undone("s += 'c'", { ...locals, s: '"it\'c"' })).toEqual({});
    expect(undone("s += 'c'", { ...locals, s: "'\\nc'" })).toEqual({});
  });
});

describe('what a pass of a loop bound before', () => {
  /** What is told of a line one step back, from the line behind it or the head of the loop, in a pass of the loop on line 3. */
  const undone = (
    body: readonly string[],
    {
      line = 4,
      pass = 2,
      names = {},
      answers = [],
    }: { line?: number; pass?: number; names?: Locals; answers?: readonly string[] },
  ) => {
    const source = [
      'def f(xs, n):',
      '    t = 0',
      '    for x in xs:',
      ...body.map((text) => `        ${text}`),
      '    return t',
    ];
    const { program, scope } = functionOf(`${source.join('\n')}\n`, 'f([], 1)');
    const isLast = line === body.length + 3;
    const frame = {
      ...frameAt(isLast ? 3 : line + 1, { xs: '[3, 4, 5]', n: '2', t: '9', x: '5', ...names }),
    };
    let found = undoneBy(program, { frame: { ...frame, its: [isLast ? pass + 1 : pass] }, scope }, line);
    const asked: number[][] = [];
    for (const answer of answers) {
      asked.push([...(found.asked?.code ?? [])]);
      found = found.asked?.follows(encodeValue(program, answer)) ?? found;
    }
    const texts = asked.map((code) => code.map(tokenText).join(''));
    return { told: Object.fromEntries(found.told), asked: texts, isOpen: found.asked !== undefined };
  };

  it('is worked out with what the names of the loop stood for', () => {
    const found = undone(['y = x * n'], { names: { y: '10' }, answers: ['8'] });
    expect(found.told).toEqual({ y: '8' });
    expect(found.asked[0]).toMatch(/^4/);
  });

  it('is worked out of what the body binds on the way', () => {
    const body = ['a = x + n', 'b = a * 2'];
    const found = undone(body, { line: 5, names: { a: '7', b: '14' }, answers: ['6', '12'] });
    expect(found.told).toEqual({ b: '12' });
    expect(found.asked[1]).toMatch(/^6/);
  });

  it.each<[string, readonly string[], { line?: number; pass?: number; names?: Locals }]>([
    ['in the first pass', ['y = x * n'], { pass: 0, names: { y: '6' } }],
    ['where a pass may go by', ['if x > n:', '    y = x * n', 'n = n'], { line: 5, names: { y: '10' } }],
    ['where something else binds the name', ['y = x * n', 'y = 1'], { names: { y: '10' } }],
    ['where what it reads is changed', ['y = xs[0]', 'xs.append(y)'], { names: { y: '3' } }],
    ['where what it reads is bound behind it', ['y = t * 2', 't = x'], { names: { y: '18' } }],
    ['where a list may have been changed since', ['y = [x]', 'y.append(n)'], { names: { y: '[5]' } }],
    ['of what is called', ['y = g(x)'], { names: { y: '3' } }],
    [
      'where an exception may have ended the pass',
      ['try:', '    y = x * n', 'except ValueError:', '    pass'],
      { line: 5, names: { y: '10' } },
    ],
  ])('is not told %s', (_, body, options) => {
    const { told, isOpen } = undone(body, { ...options, answers: ['[7]'] });
    expect([told.y, isOpen]).toEqual([undefined, false]);
  });
});

describe('a choice that is taken back', () => {
  const source = 'def f(xs, n, dp):\n    LINE\n    return n\n';
  const undone = (line: string, answers: readonly string[], names: Locals = {}) => {
    const { program, scope } = functionOf(source.replace('LINE', line), 'f([], 1, [])');
    const frame = frameAt(3, { xs: '[5, 6]', n: '4', dp: '[1, 2, 5]', ...names });
    let found = undoneBy(program, { frame, scope }, 2);
    for (const answer of answers) found = found.asked?.follows(encodeValue(program, answer)) ?? found;
    return { told: Object.fromEntries(found.told), unsure: found.logProbability !== undefined };
  };

  it('keeps what was larger or smaller than the other', () => {
    expect(undone('n = max(n, xs[0] - 2)', ['3']).told).toEqual({ n: '4' });
    expect(undone('n = min(xs[0], n)', ['5']).told).toEqual({ n: '4' });
    expect(undone('n = max(n, xs[0] - 1)', ['4']).told).toEqual({});
    expect(undone('n = max(n, n + 1)', ['5']).told).toEqual({});
    expect(undone('n = max(n, xs[0], 2)', ['5']).told).toEqual({});
  });

  it('looks beside the item that was changed', () => {
    expect(undone('dp[2] += dp[2 - 1]', ['3']).told).toEqual({ dp: '[1, 2, 3]' });
    expect(undone('dp[n] += dp[n - 1]', ['3'], { n: '2' }).told).toEqual({ dp: '[1, 2, 3]' });
    expect(undone('dp[n] += dp[n]', ['3'], { n: '2' }).told).toEqual({});
    expect(undone('dp[n] += dp[xs[0]]', ['3'], { n: '2' }).told).toEqual({});
  });

  it('takes an item away again that a defaultdict made', () => {
    const lists = { dp: "defaultdict(<class 'list'>, {1: [7], 4: [5]})" };
    expect(undone('dp[n].append(5)', [], lists)).toEqual({
      told: { dp: "defaultdict(<class 'list'>, {1: [7]})" },
      unsure: true,
    });
    const more = { dp: "defaultdict(<class 'list'>, {4: [5, 5], 1: [7]})" };
    expect(undone('dp[n].append(5)', [], more)).toEqual({
      told: { dp: "defaultdict(<class 'list'>, {4: [5], 1: [7]})" },
      unsure: false,
    });
    const counts = { dp: "defaultdict(<class 'int'>, {1: 2, 4: 1})" };
    expect(undone('dp[n] += 1', ['0'], counts)).toEqual({
      told: { dp: "defaultdict(<class 'int'>, {1: 2})" },
      unsure: true,
    });
  });
});
