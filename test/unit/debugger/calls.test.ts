/** With which names a call begins: parameters, and variables of the functions around it. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { argumentsOf } from '../../../src/debugger/language/arguments.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { lineCalls } from '../../../src/debugger/language/line-calls.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import { noResults } from '../../../src/debugger/language/results.js';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import { eventToken, lineToken, special, textTokens } from '../../../src/debugger/language/tokens.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import { sharedVariables } from '../../../src/debugger/shared-variables.js';
import type { DebuggerState, EventKind } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';

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

  it('behind a return only values that nobody can have changed', () => {
    const program = outer('return add(1) + add(2)');
    const returned = at(6, { x: '1', more: '3', y: '3', n: '2', xs: '[1, 3]', total: '0' }, 'return', locals);
    expect(shared(program, returned)).toEqual({ n: '2', total: '0' });
  });

  it('none where the function is handed on as a value, or an object has a repr of its own', () => {
    expect(shared(outer('return add(1) + len([add])'), at(7, locals))).toEqual({});
    const source = outer('return add(n)').source;
    const named = parseProgram(
      `${source}class C:\n    def __repr__(self):\n        return '1'\n`,
      'f(2, [1])',
    );
    expect(shared(named, at(7, locals))).toEqual({});
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
    'def g(x, y=1, *rest, k=0):',
    '    return x',
    'class C:',
    '    def put(self, item):',
    '        return item',
    'def f(n, xs, c):',
    '    LINE',
    '    return n',
    '',
  ].join('\n');
  const names: Locals = { n: '2', xs: '[1]', c: '<C object>' };
  /** The function that the line enters first, and what its parameters are bound to. */
  const entered = (line: string, isStale = false) => {
    const program = parseProgram(source.replace('LINE', line), 'f(2, [1], None)');
    const scope = program.scopes.find(({ name }) => name === 'f');
    const parts = lineParts(lineTokens(program, 7));
    const frame = at(7, names).frames[0];
    if (scope === undefined || frame === undefined || parts === undefined) throw new Error('no such line');
    const code = lineTokens(program, 7);
    const [call] = lineCalls(program, frame, code, [...parts.values, ...parts.inner]).calls;
    const values = call && argumentsOf(program, { frame, scope }, code, call, isStale);
    return call && [call.callee.name, Object.fromEntries(values ?? [])];
  };

  it.each<[string, string, object]>([
    ['n = g(n, xs)', 'g', { x: '2', y: '[1]' }],
    ['n = g([n, 3], 4, 5, 6)', 'g', { x: '[2, 3]', y: '4' }],
    ["n = g(y='a', x=c)", 'g', { x: '<C object>', y: "'a'" }],
    ['n = g(n + 1, 2)', 'g', { y: '2' }],
    ['n = g(*xs)', 'g', {}],
    ['n = c.put(7)', 'put', { self: '<C object>', item: '7' }],
    ['n = g(c.put(n))', 'put', { self: '<C object>', item: '2' }],
  ])('what %s calls first, and with which values', (line, name, values) => {
    expect(entered(line)).toEqual([name, values]);
  });

  it('only what nobody can have changed where something was called', () => {
    expect(entered('n = g(n, xs)', true)).toEqual(['g', { x: '2' }]);
  });

  it('nothing of a call that may not be made, or behind an unknown one', () => {
    expect(entered('n = n and g(n)')).toBeUndefined();
    expect(entered('n = c.run(n) + g(n)')).toBeUndefined();
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
    if (found?.next === undefined || scope === undefined) return undefined;
    return argumentsOf(program, { frame: caller, scope }, found.code, found.next, true).get('x');
  };
  expect(next([], '1')).toBe('2');
  expect(next(['1'], '2')).toBeUndefined();
  expect(next(['1', '2'], '3')).toBe('5');
  expect(next(['1', '2', '3'], '5')).toBe('6');
});
