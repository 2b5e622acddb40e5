/** With which names a call begins: parameters, and variables of the functions around it. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { argumentsOf } from '../../../src/debugger/language/arguments.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { noResults } from '../../../src/debugger/language/results.js';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import { eventToken, lineToken, special, textTokens } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { sharedVariables } from '../../../src/debugger/shared-variables.js';
import type { DebuggerState, EventKind } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { settledLine } from '../../../src/session/settle.js';
import { stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const outer = (...lines: string[]) =>
  parseProgram(
    [
      'def f(n, xs):',
      '    total = 0',
      '    def add(x, more=3):',
      '        y = x + n',
      '        xs.append(y + total)',
      '        return y',
      ...lines.map((line) => `    ${line}`),
      '',
    ].join('\n'),
    'f(2, [1])',
  );
const add = '<function f.<locals>.add>';
type Locals = Record<string, string>;
const at = (line: number, locals: Locals, event: EventKind = 'line', below?: Locals): DebuggerState => {
  const frame = (place: number, names: Locals) => ({
    line: place,
    locals: new Map(Object.entries(names)),
    its: [],
    gots: [],
  });
  const frames = below === undefined ? [frame(line, locals)] : [frame(7, below), frame(line, locals)];
  return { event, frames, hiddenFrames: 0, ...(event === 'return' ? { value: '3' } : {}) };
};

/** Whether an answer that enters `add` with these names (and the value 7 for each) is let through. */
function accepts(names: readonly string[]): boolean {
  const program = outer('return add(n)');
  const before = at(7, { n: '2', xs: '[1]', total: '0', add });
  const { data, start } = compileGrammar(program).forQuestion(before, { kind: 'step_into', lines: [] });
  const walker = new GrammarWalker(data, start.state, start.frames, 200);
  const slots = names.map((name) => program.slots.get(name) ?? -1).sort((a, b) => a - b);
  const call = [eventToken('call'), lineToken(3), ...slots.flatMap((slot) => [slot, ...textTokens('7')])];
  return [special.push, lineToken(7), ...call, special.end].every((token) => walker.accept(token));
}

describe('a call begins', () => {
  it('with all parameters and any variables of the functions around it', () => {
    expect(accepts(['x', 'more'])).toBe(true);
    expect(accepts(['x', 'more', 'n', 'xs', 'total'])).toBe(true);
  });

  it('without a local that is bound later, and never without a parameter', () => {
    expect(accepts(['x', 'more', 'y'])).toBe(false);
    expect(accepts(['x', 'more', 'add'])).toBe(false);
    expect(accepts(['x', 'n'])).toBe(false);
    expect(accepts([])).toBe(false);
  });
});

describe('shared with the function that is called are', () => {
  const shared = (program: ReturnType<typeof outer>, state: DebuggerState, kind: ActionKind = 'step_into') =>
    Object.fromEntries(sharedVariables(program, state, { kind, lines: [] }).get(3) ?? []);
  const locals = { n: '2', xs: '[1]', total: '0', add };

  it('the variables that it takes from the calling frame, bound or not', () => {
    const program = outer('return add(n)');
    expect(shared(program, at(7, locals))).toEqual({ n: '2', xs: '[1]', total: '0' });
    expect(shared(program, at(7, { n: '2', xs: '[1]', add }))).toEqual({
      n: '2',
      xs: '[1]',
      total: undefined,
    });
    expect(shared(program, at(7, locals), 'step_over')).toEqual({});
  });

  it('the same ones where a function calls itself', () => {
    const program = parseProgram(
      'def f(n):\n    def down(k):\n        return down(k - 1) if k > n else k\n    return down(4)\n',
      'f(2)',
    );
    const down = '<function f.<locals>.down>';
    const found = sharedVariables(program, at(3, { n: '2', k: '4', down }), { kind: 'step_into', lines: [] });
    expect(Object.fromEntries(found.get(2) ?? [])).toEqual({ n: '2', down });
  });

  it('none that the statement binds, and no lists that it may change before the call', () => {
    expect(shared(outer('n = add(n)'), at(7, locals))).toEqual({ xs: '[1]', total: '0' });
    expect(shared(outer('return add(xs.pop())'), at(7, locals))).toEqual({ n: '2', total: '0' });
    expect(shared(outer('return add(len(xs))'), at(7, locals))).toEqual({ n: '2', xs: '[1]', total: '0' });
  });

  it('all of them where it is the first that is entered, but what its line may have changed by then', () => {
    const first = (line: string) => {
      const program = outer(line);
      const step = stepOf(program, at(7, locals), 'step_into');
      const { entered } = settledLine(step);
      return Object.keys(
        Object.fromEntries(sharedVariables(program, step.state, step.action, entered).get(3) ?? []),
      ).sort();
    };
    expect(first('n = xs.append(add(n))')).toEqual(['more', 'n', 'total', 'x', 'xs']);
    expect(first('return xs.pop() + add(n)')).toEqual(['n', 'total']);
    expect(first('xs.sort(key=add)')).not.toContain('xs');
  });

  it('behind a return only values that nobody can have changed', () => {
    const program = outer('return add(1) + add(2)');
    const returned = at(6, { x: '1', more: '3', y: '3', n: '2', xs: '[1, 3]', total: '0' }, 'return', locals);
    expect(shared(program, returned)).toEqual({ n: '2', total: '0' });
  });

  it('none where the function is handed on as a value', () => {
    expect(shared(outer('return add(1) + len([add])'), at(7, locals))).toEqual({});
  });

  it.each<[string, string[], Record<string, string>]>([
    ['has them', [], { n: '2', xs: '[1, 2]' }],
    ['changes what they hold', ['xs.append(1)'], { n: '2' }],
    ['assigns what they hold besides others', ['xs[0], m = 3, 4'], { n: '2' }],
    ['gives what they hold away', ['ys = xs'], { n: '2' }],
    ['binds them anew', ['def g():', '    nonlocal n', '    n = 3'], { xs: '[1, 2]' }],
  ])('variables that the calling frame does not see, where one below it %s', (_, lines, expected) => {
    const program = parseProgram(
      [
        'def search(check):',
        '    return check(1)',
        'def f(n, xs):',
        '    def ok(k):',
        '        return k < n and k in xs',
        ...lines.map((line) => `    ${line}`),
        '    return search(ok)',
        '',
      ].join('\n'),
      'f(2, [1, 2])',
    );
    const ok = '<function f.<locals>.ok>';
    const below = frameAt(6 + lines.length, { n: '2', xs: '[1, 2]', ok });
    const state = { event: 'line' as const, frames: [below, frameAt(2, { check: ok })], hiddenFrames: 0 };
    const found = sharedVariables(program, state, { kind: 'step_into', lines: [] }).get(4);
    expect(Object.fromEntries(found ?? [])).toEqual(expected);
  });

  it.each<[string, string, string, boolean]>([
    ['sorted(ys)', 'xs', '[1, 2]', true],
    ['[n, 2]', 'xs', '[1, 2]', true],
    ['ys', 'xs', '[1, 2]', false],
    ['ys or [1]', 'xs', '[1, 2]', false],
    ['[[n], [2]]', 'xs[0]', '[[1], [2]]', true],
    ['[[n for _ in ys], [2]]', 'xs[0]', '[[1], [2]]', true],
    ['[ys, [2]]', 'xs[0]', '[[1], [2]]', false],
    ['[[n], [2]]', 'xs', '[[1], [2]]', false],
  ])('what is bound to %s and searched as %s, if no other name can have it', (made, searched, text, isTold) => {
    const program = parseProgram(
      [
        'def search(check, n):',
        '    return check(n)',
        'def f(n, ys):',
        `    xs = ${made}`,
        '    def ok(k):',
        `        return k in ${searched}`,
        '    return search(ok, n)',
        '',
      ].join('\n'),
      'f(1, [1, 2])',
    );
    const ok = '<function f.<locals>.ok>';
    const frames = [frameAt(7, { n: '1', ys: '[1, 2]', xs: text, ok }), frameAt(2, { check: ok, n: '1' })];
    const state = { event: 'line' as const, frames, hiddenFrames: 0 };
    const found = (from: DebuggerState) =>
      sharedVariables(program, from, { kind: 'step_into', lines: [] }).get(5)?.get('xs');
    expect(found(state)).toBe(isTold ? text : undefined);
    expect(found({ ...state, hiddenFrames: 1 })).toBeUndefined();
  });

  it('no list of a function below that another one has given it', () => {
    const program = parseProgram(
      [
        'def search(check, grow):',
        '    grow()',
        '    return check(9)',
        'def f(xs, grow):',
        '    def ok(k):',
        '        return k in xs',
        '    return search(ok, grow)',
        'def main(data):',
        '    def grow():',
        '        data.append(9)',
        '    return f(data, grow)',
        '',
      ].join('\n'),
      'main([1])',
    );
    const [ok, grow] = ['<function f.<locals>.ok>', '<function main.<locals>.grow>'];
    const frames = [
      frameAt(11, { data: '[1]', grow }),
      frameAt(7, { xs: '[1]', grow, ok }),
      frameAt(3, { check: ok, grow }),
    ];
    const state = { event: 'line' as const, frames, hiddenFrames: 0 };
    expect(
      sharedVariables(program, state, { kind: 'step_into', lines: [] }).get(5)?.get('xs'),
    ).toBeUndefined();
  });

  it('what an answer is completed with, whatever it says', () => {
    const program = outer('return add(n)');
    const before = at(7, locals);
    const known = {
      frozen: new Set<string>(),
      shared: sharedVariables(program, before, { kind: 'step_into', lines: [] }),
      results: noResults,
      heads: new Map(),
      left: new Map(),
    };
    const decoder = new DeltaDecoder(program, before, known);
    const slot = (name: string): number => program.slots.get(name) ?? -1;
    const tokens = [special.push, lineToken(7), eventToken('call'), lineToken(3)];
    const answer = [
      slot('xs'),
      ...textTokens('[9]'),
      slot('x'),
      ...textTokens('2'),
      slot('more'),
      ...textTokens('3'),
    ];
    const parts = [...tokens, ...answer, special.end].flatMap((token) => decoder.push(token));
    const decoded = decoder.finish();
    if (isDecodeProblem(decoded)) throw new Error(decoded.message);
    expect([...(decoded.state.frames[1]?.locals ?? [])]).toEqual(
      Object.entries({ n: '2', xs: '[1]', total: '0', x: '2', more: '3' }),
    );
    expect(parts.flatMap((part) => (part.kind === 'local' ? [part.name] : []))).toEqual([
      'n',
      'xs',
      'total',
      'x',
      'more',
    ]);
  });
});

describe('a line tells', () => {
  const source = [
    'from math import isqrt',
    'def g(x, y=1, *rest, k=0):',
    '    return x',
    'class C:',
    '    def __init__(self, size, name=None):',
    '        self.size = size',
    '    def put(self, item):',
    '        return item',
    'def f(n, xs, c):',
    '    LINE',
    '    return n',
    '',
  ].join('\n');
  const names: Locals = { n: '2', xs: '[1]', c: '<C object>' };
  /** The function that the line enters first, and what is known of the names that it begins with. */
  const entered = (line: string, special: readonly string[] = [], its: readonly number[] = []) => {
    const text = line.endsWith(':') ? `${line}\n        pass` : line;
    const program = parseProgram([...special, source.replace('LINE', text)].join('\n'), 'f(2, [1], None)');
    const state = at(10 + special.length, names);
    const frames = state.frames.map((frame) => ({ ...frame, its }));
    const step = stepOf(program, { ...state, frames }, 'step_into');
    const { entered: found } = settledLine(step);
    if (found === undefined) return undefined;
    const callee = program.scopes.findLast(({ firstLine }) => firstLine === found.line);
    return [
      callee?.qualifiedName,
      Object.fromEntries(sharedVariables(program, step.state, step.action, found).get(found.line) ?? []),
    ];
  };
  const generator = 'f.<locals>.<genexpr>';
  const lambda = 'f.<locals>.<lambda>';

  it.each<[string, string, object]>([
    ['n = g(n, xs)', 'g', { x: '2', y: '[1]', rest: '()', k: '0' }],
    ['n = g([n, 3], 4, 5, 6)', 'g', { x: '[2, 3]', y: '4', rest: '(5, 6)', k: '0' }],
    ["n = g(y='a', x=c)", 'g', { x: '<C object>', y: "'a'", rest: '()', k: '0' }],
    ['n = g(n + 1, 2)', 'g', { y: '2', rest: '()', k: '0' }],
    ['n = g(k=n, x=float)', 'g', { x: "<class 'float'>", y: '1', rest: '()', k: '2' }],
    ['n = g(lambda: n)', 'g', { x: `<function ${lambda}>`, y: '1', rest: '()', k: '0' }],
    ['n = g(*xs)', 'g', { x: '1', y: '1', rest: '()', k: '0' }],
    ['n = c.put(7)', 'C.put', { self: '<C object>', item: '7' }],
    ['n = g(c.put(n))', 'C.put', { self: '<C object>', item: '2' }],
    ['n = C(n)', 'C.__init__', { self: '<C object>', size: '2', name: 'None' }],
    // What decides whether it is called is told, or comes behind it.
    ['n = n and g(n)', 'g', { x: '2', y: '1', rest: '()', k: '0' }],
    ['n = g(3) or g(4)', 'g', { x: '3', y: '1', rest: '()', k: '0' }],
    ['n = 5 if [] else g(n, 6)', 'g', { x: '2', y: '6', rest: '()', k: '0' }],
    ['n = g(5) if xs else g(6)', 'g', { x: '5', y: '1', rest: '()', k: '0' }],
    ['n = isqrt(n) + g(n)', 'g', { x: '2', y: '1', rest: '()', k: '0' }],
    // Generators that are asked for their first item.
    ['n = sum(x + n for x in xs)', generator, { n: '2' }],
    ['if any(x == n for x in xs):', generator, { n: '2' }],
    ['n = list(enumerate(n for x in xs))', generator, { n: '2' }],
    // Functions that builtins are handed.
    ['n = max(xs, key=lambda x: x - n)', lambda, { x: '1', n: '2' }],
    ['xs.sort(key=lambda x: -x)', lambda, { x: '1' }],
    ['n = sorted([5, 6], key=g)', 'g', { x: '5', y: '1', k: '0' }],
    ['n = list(map(lambda x, y: x, [3], xs))', lambda, { x: '3', y: '1' }],
    ['n = min(7, 8, key=lambda x: x)', lambda, { x: '7' }],
    ['n = [g(x, y) for x, y in zip(xs, [9])]', 'g', { x: '1', y: '9', rest: '()', k: '0' }],
  ])('what %s enters first, and with which values', (line, name, values) => {
    expect(entered(line)).toEqual([name, values]);
  });

  it('what the head of a loop asks, before its first pass', () => {
    const many = ['def many(a, b=2):', '    yield a'];
    expect(entered('for x in many(n):', many, [0])).toEqual(['many', { a: '2', b: '2' }]);
    expect(entered('for x in many(n):', many, [1])).toBeUndefined();
    expect(entered('for x in map(lambda y: y, xs):', [], [0])).toEqual([lambda, { y: '1' }]);
  });

  it.each([
    'n = n - 2 and g(n)',
    'n = c.run(n) + g(n)',
    'n = xs.pop() + g(n)',
    'n = (x for x in xs)',
    'n = max([], key=lambda x: x)',
    'n = [g(x) for x in xs if x > 3]',
    'n = map(lambda x: x, xs)',
    'a, b = map(lambda x: x, xs)',
  ])('nothing of %s', (line) => expect(entered(line)).toBeUndefined());

  it('what comes first beside operators of classes', () => {
    const special = ['class D:', '    def __add__(self, other):', '        return g(other)'];
    expect(entered('n = C(n + 1)', special)).toEqual(['C.__init__', { self: '<C object>', name: 'None' }]);
    expect(entered('n = c + g(n)', special)).toEqual(['g', { x: '2', y: '1', rest: '()', k: '0' }]);
    expect(entered('n = (c + n) + g(n)', special)).toBeUndefined();
    const derived = ['class D(int):', ...special.slice(1)];
    // What looks like a number may be added by a method.
    expect(entered('n = (n + 1) * g(n)', derived)).toBeUndefined();
    expect(entered('n = C(n)', derived)).toEqual([
      'C.__init__',
      { self: '<C object>', size: '2', name: 'None' },
    ]);
  });
});

it('a caller that has called tells what it calls next', () => {
  const program = parseProgram(
    'def g(x):\n    return x\ndef f(n):\n    return g(1) + g(g(2) + 1) + sum([g(k) for k in (5, 6)])\n',
    'f(2)',
  );
  const next = (gots: readonly string[], value: string) => {
    const caller = { line: 4, locals: new Map([['n', '2']]), its: [], gots };
    const state = at(2, { x: '1' }, 'return');
    const found = returnedLine(program, { ...state, frames: [caller, ...state.frames], value });
    const scope = program.scopes[1];
    if (found?.next?.part === undefined || scope === undefined) return undefined;
    return argumentsOf(
      program,
      { frame: caller, scope },
      found.code,
      { callee: found.next.callee, part: found.next.part },
      true,
    ).get('x');
  };
  expect(next([], '1')).toBe('2');
  expect(next(['1'], '2')).toBeUndefined();
  expect(next(['1', '2'], '3')).toBe('5');
  expect(next(['1', '2', '3'], '5')).toBe('6');
});
