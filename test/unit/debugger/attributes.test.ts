/** What objects hold: read off their values, told by the lines that assign it, given to methods and left by them. */
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../../../src/debugger/language/arguments.js';
import { attributeOf, valueAt, withAttribute } from '../../../src/debugger/language/attributes.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { encodeHere } from '../../../src/debugger/language/here.js';
import type { KnownParts } from '../../../src/debugger/language/known-parts.js';
import { lineCalls } from '../../../src/debugger/language/line-calls.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import { resultsOf } from '../../../src/debugger/language/results.js';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import { eventToken, lineToken, special, tokenText } from '../../../src/debugger/language/tokens.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { leftBehind } from '../../../src/debugger/left-behind.js';
import { lineTokens, type Program, parseProgram } from '../../../src/debugger/program.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;

const classes = [
  'class Box:',
  '    def __init__(self, items, n=1):',
  '        self.items = items',
  '        self.n = n',
  '    def put(self, x):',
  '        self.items.append(x)',
  '        return self.n',
];
const box = '<Box object {items: [1, 2], n: 3}>';

/** A function with one line, behind the class. */
const program = (line: string, before: readonly string[] = []): Program =>
  parseProgram(
    [...before, ...classes, 'def f(b, x, q):', `    ${line}`, '    return b', ''].join('\n'),
    'f(1, 2, 3)',
  );
const lineOf = ({ codeLines }: Program): number => codeLines.at(-2) as number;
const scopeOf = ({ scopes }: Program) => scopes.at(-1) as Program['scopes'][number];
const locals: Locals = { b: box, x: "'a'", q: 'Point(x=1, items=[5])' };

describe('the value of an attribute', () => {
  const seen = program('return b.items.n.x').slots;
  const at = (value: string, name: string): string | undefined => {
    const of = program('return b.items.n.x');
    const found = attributeOf(of, encodeValue(of, value), seen.get(name) ?? -1);
    return found && (decodeValue(of, found) as string);
  };

  it('is what its object shows', () => {
    expect(at(box, 'items')).toBe('[1, 2]');
    expect(at(box, 'n')).toBe('3');
    expect(at("<f.<locals>.Box object {x: '}>', n: <Box object {n: 4}>}>", 'n')).toBe('<Box object {n: 4}>');
    expect(at("Point(x='(,=)', items={1: 2})", 'items')).toBe('{1: 2}');
    expect(at('f.<locals>.Point(x=(1, 2), n=3)', 'n')).toBe('3');
    // Of a value that is cut what stands before that.
    expect(at('<Box object {n: 1, items: [1, …', 'n')).toBe('1');
    expect(at('Point(n=1, items=[1, …', 'n')).toBe('1');
  });

  it.each([
    ['<Box object>', 'n'],
    [box, 'x'],
    ["{'n': 1}", 'n'],
    ['<Box object {n: 1, items: [1, …', 'items'],
    ['<Box object {n: 1…', 'n'],
    ['Point(n=1, items=[1, …', 'items'],
    ['deque([1], maxlen=3)', 'n'],
    ['Point(1, n=3)', 'n'],
    ['Counter({1: 2})', 'n'],
    ["'Point(n=1)'", 'n'],
    ['[Point(n=1)]', 'n'],
    ['5', 'n'],
  ])('is not told by %s', (value, name) => expect(at(value, name)).toBeUndefined());

  it('is read as far as names are attributes', () => {
    const of = program('b.items.n = x');
    const code = lineTokens(of, lineOf(of));
    const frame = frameAt(lineOf(of), { b: '<Box object {items: <Box object {n: 5}>}>', x: '1' });
    expect(valueAt(of, code, 0, frame)).toEqual({ value: encodeValue(of, '5'), end: 5 });
    expect(valueAt(of, code, 0, frameAt(lineOf(of), { b: box }))).toEqual({
      value: encodeValue(of, '[1, 2]'),
      end: 3,
    });
    expect(valueAt(of, code, 6, frame)).toEqual({ value: encodeValue(of, '1'), end: 7 });
  });

  it.each<[string, string, string, string | undefined]>([
    [box, 'n', '7', '<Box object {items: [1, 2], n: 7}>'],
    [box, 'x', "'a'", "<Box object {items: [1, 2], n: 3, x: 'a'}>"],
    ['<Box object>', 'x', '[]', '<Box object {x: []}>'],
    ['Point(x=1, n=2)', 'x', '5', 'Point(x=5, n=2)'],
    ['Point(x=1)', 'n', '5', undefined],
    ['<Box object {items: [], x: []}>', 'x', '[1]', '<Box object {items: [], x: [1]}>'],
    ['<Box object {items: 5, x: 5}>', 'x', '6', '<Box object {items: 5, x: 6}>'],
    ['<Box object {x: 1…', 'x', '6', undefined],
    ['<generator object f>', 'x', '6', undefined],
    ['[1]', 'x', '6', undefined],
  ])('of %s with another %s', (value, name, held, expected) => {
    const of = program('return b.items.n.x');
    const found = withAttribute(of, encodeValue(of, value), of.slots.get(name) ?? -1, encodeValue(of, held));
    expect(found && decodeValue(of, found)).toBe(expected);
  });
});

describe('a line tells', () => {
  const told = (line: string, names: Locals = locals, before: readonly string[] = []) => {
    const of = program(line, before);
    const code = lineTokens(of, lineOf(of));
    const parts = lineParts(code);
    if (parts === undefined) throw new Error('the line is read');
    const running = { frame: frameAt(lineOf(of), names), scope: scopeOf(of) };
    const { assigned, stays: _, ...rest } = resultsOf(of, running, code, parts, false);
    return { ...Object.fromEntries(assigned), ...rest };
  };

  it.each<[string, object]>([
    ['x = b.n', { x: '3' }],
    ['return b.items', { returned: '[1, 2]' }],
    ['x = q.items, b.n', { x: '([5], 3)' }],
    ['b.n = x', { b: "<Box object {items: [1, 2], n: 'a'}>" }],
    ['b.fresh = b.items', { b: '<Box object {items: [1, 2], n: 3, fresh: [1, 2]}>' }],
    ['b.n, b.items = b.items, b.n', { b: '<Box object {items: 3, n: [1, 2]}>' }],
    ['b.n = x = 5', { b: '<Box object {items: [1, 2], n: 5}>', x: '5' }],
    ['b.n = b.m = 0', { b: '<Box object {items: [1, 2], n: 0, m: 0}>' }],
    ['b.items[1] = x', { b: "<Box object {items: [1, 'a'], n: 3}>" }],
    ['b.items.append(b.n)', { b: '<Box object {items: [1, 2, 3], n: 3}>' }],
    ['x = b.items.pop()', { b: '<Box object {items: [1], n: 3}>', x: '2' }],
    ['q.x = b.n', { q: 'Point(x=3, items=[5])' }],
  ])('what %s leaves', (line, expected) => expect(told(line)).toEqual(expected));

  it.each([
    'b.n = b.n + 1',
    'b.n = b',
    'b.n, q.x = 1, 2',
    'b.n, b.items[0] = 1, 2',
    'b.n, *x = 1, 2',
    'b.n.m = 1',
    'x = b.gone',
    'b.gone.append(1)',
    'b.n.append(1)',
    'x.y = 1',
  ])('nothing of %s', (line) => expect(told(line)).toEqual({}));

  it('objects in lists and dicts, taken apart or looked up', () => {
    const [one, two] = ['<Box object {n: 1}>', '<Box object>'];
    const held = { ...locals, b: `[${one}, ${two}]`, q: `{'k': ${one}}` };
    expect(told('x, q = b', held)).toEqual({ x: one, q: two });
    expect(told('x = b[-1]', held)).toEqual({ x: two });
    expect(told("x = q['k'].n", held)).toEqual({ x: '1' });
    expect(told('x = b[2]', held)).toEqual({});
    expect(told('x, q = b', { ...held, b: `[${one}, <Box object {n…` })).toEqual({});
    expect(told('x = b[0]', { ...held, b: '[<Box object {n: [...]}>, 1]' })).toEqual({});
  });

  it('nothing of objects whose attributes are not what is assigned', () => {
    for (const special of ['__setattr__', '__getattribute__', '__slots__', 'property', '__set__'])
      expect(told('b.n = x', locals, [`NAME = '${special}'`])).toEqual({});
  });

  it('nothing of a list that its object may hold twice', () => {
    const twice = { ...locals, b: '<Box object {items: [], n: []}>' };
    expect(told('b.items.append(1)', twice)).toEqual({});
    expect(told('b.items = 5', twice)).toEqual({ b: '<Box object {items: 5, n: []}>' });
  });

  it('nothing of what holds itself', () => {
    expect(told('x = b.n', { ...locals, b: '<Box object {n: <Box ...>}>' })).toEqual({});
    expect(told('x = b.n', { ...locals, b: "<Box object {n: '...'}>" })).toEqual({ x: "'...'" });
  });
});

describe('a call', () => {
  const entered = (line: string, names = locals) => {
    const of = program(line);
    const code = lineTokens(of, lineOf(of));
    const { values, inner } = lineParts(code) ?? { values: [], inner: [] };
    const frame = frameAt(lineOf(of), names);
    const { calls, isWhole } = lineCalls(of, frame, code, [...values, ...inner]);
    const [call] = calls;
    const given = call && argumentsOf(of, { frame, scope: scopeOf(of) }, code, call, false);
    return [calls.map(({ callee }) => callee.qualifiedName).join(), isWhole, Object.fromEntries(given ?? [])];
  };

  it('of a method gets the object, of a class a bare one', () => {
    expect(entered('b.put(b.n)')).toEqual(['Box.put', true, { self: box, x: '3' }]);
    expect(entered('x = Box(b.items, n=2)')).toEqual([
      'Box.__init__',
      true,
      { self: '<Box object>', items: '[1, 2]', n: '2' },
    ]);
    expect(entered('x = b.put(1), Box(x)')).toEqual(['Box.put,Box.__init__', true, { self: box, x: '1' }]);
  });

  it('may come before an attribute that is not shown, which may run anything', () => {
    expect(entered('x = b.gone + b.put(1)')).toEqual(['', false, {}]);
    expect(entered('x = b.n + b.put(1)')[0]).toBe('Box.put');
  });

  it.each([
    ['with a base that is not known', ['class Made(dict):']],
    ['that is defined twice', ['class Made: pass', 'class Made:']],
    ['with a decorator', ['@print', 'class Made:']],
    ['that is another name', ['class Made:']],
  ])('of a class %s enters what cannot be told', (what, head) => {
    const body = ['    def __init__(self): pass', ...(what.includes('another') ? ['Made = len'] : [])];
    const of = program('x = Made()', [...head, ...body]);
    const code = lineTokens(of, lineOf(of));
    const { values = [] } = lineParts(code) ?? {};
    expect(lineCalls(of, frameAt(lineOf(of), locals), code, values)).toEqual({ calls: [], isWhole: false });
  });

  const behind = (line: string, callee: number, own: Locals, gots: readonly string[] = []) => {
    const of = program(line);
    const frames = [frameAt(lineOf(of), locals, gots), frameAt(callee, own)];
    return { of, state: { event: 'return' as const, frames, hiddenFrames: 0, value: 'None' } };
  };

  it('of a class gives the object that its __init__ leaves', () => {
    const own = { self: '<Box object {items: [], n: 1}>', items: '[]', n: '1' };
    const { of, state } = behind('x = Box([])', 4, own);
    expect(returnedLine(of, state)?.value).toBe('<Box object {items: [], n: 1}>');
    const two = behind('x = Box([]), Box([])', 4, own, ['None']);
    expect(returnedLine(two.of, two.state)).toBeUndefined();
  });

  it('of a method leaves the object as it is there', () => {
    const after = '<Box object {items: [1, 2, 9], n: 3}>';
    const { of, state } = behind('b.put(9)', 7, { self: after, x: '9' });
    const found = leftBehind(of, state, { kind: 'step_over', lines: [] });
    expect(Object.fromEntries(found)).toEqual({ b: after });
  });
});

describe('a here line', () => {
  it('has the values of attributes beside them', () => {
    const of = program('x.m = b.items[b.n] + b.gone + b.put(b.n)');
    const frame = frameAt(lineOf(of), { ...locals, b: "<Box object {items: ['a'], n: 0}>" });
    const tokens = encodeHere(of, { event: 'line', frames: [frame], hiddenFrames: 0 });
    const names = new Map([...of.slots].map(([name, slot]) => [slot, name]));
    const text = tokens
      .slice(1)
      .map((token) => names.get(token) ?? tokenText(token).replaceAll(/<\|[wo]:|\|>/g, ''));
    const shown = "<<|refBox object {items:['a'],<|refn:0}>";
    expect(text.join('')).toBe(`x'a'.m=b.items[<|it'a'][b.n0]+b${shown}.gone+b.put(b.n0)`);
  });
});

it('an object that is told is what it is told to be, whatever a patch makes of it', () => {
  const of = program('b.n = 7');
  const line = lineOf(of);
  const before = { event: 'line' as const, frames: [frameAt(line, locals)], hiddenFrames: 0 };
  const after = '<Box object {items: [1, 2], n: 7}>';
  const known: KnownParts = {
    frozen: new Set(),
    shared: new Map(),
    left: new Map(),
    heads: new Map(),
    results: { assigned: new Map([['b', after]]) },
  };
  const [slot, key] = [of.slots.get('b') ?? -1, encodeValue(of, 'n')];
  const patch = (value: string) => [slot, special.it, ...key, special.value, ...encodeValue(of, value)];
  for (const written of [[], patch('3'), patch('9'), patch('7')]) {
    const decoder = new DeltaDecoder(of, before, known);
    for (const token of [eventToken('line'), lineToken(9), ...written, special.end]) decoder.push(token);
    const delta = decoder.finish();
    expect(isDecodeProblem(delta) ? delta.message : delta.state.frames[0]?.locals.get('b')).toBe(after);
  }
});
