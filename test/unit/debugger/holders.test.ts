/** Objects that hold the one which a line changes change with it, where the function has looked it up in them. */
import { describe, expect, it } from 'vitest';
import { withHolders } from '../../../src/debugger/holders.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

type Locals = Readonly<Record<string, string>>;

/** What the last line but one of `f(xs, ys)` leaves besides what it leaves of `x`, behind a call of `C` if it makes one. */
function held(lines: readonly string[], x: string, locals: Locals): Locals {
  const source = [
    'class C:',
    '    def __init__(self):',
    '        self.a = 1',
    'def f(xs, ys):',
    ...lines.map((line) => `    ${line}`),
    '    return x',
    '',
  ];
  const program = parseProgram(source.join('\n'), 'f([], [])');
  const standing = frameAt(source.length - 2, locals);
  const isBehind = lines.at(-1)?.includes('C()');
  const before = isBehind
    ? at('return', [standing, frameAt(3, { self: leaf })], 'None')
    : at('line', [standing]);
  const after = at('line', [frameAt(source.length - 1, { ...locals, x })]);
  const { frames } = withHolders(program, before, { kind: 'step_into', lines: [] }, after);
  const left = [...(frames[0]?.locals ?? [])].filter(([name, text]) => name !== 'x' && text !== locals[name]);
  return Object.fromEntries(left);
}

const leaf = '<C object {a: 1}>';
const tree = (inner: string): string => `<C object {a: ${inner}, b: None}>`;
const list = { xs: '[[1], [2]]', ys: '[3]', x: '[1]' };

describe('what holds the object that a line changes', () => {
  it.each<[string, string[], Locals]>([
    ['an item', ['x = xs[0]', 'x.append(5)'], { xs: '[[1, 5], [2]]' }],
    ['one item after the other', ['for x in xs:', '    x.append(5)'], { xs: '[[1, 5], [2]]' }],
    ['items with their numbers', ['for i, x in enumerate(xs):', '    x.append(5)'], { xs: '[[1, 5], [2]]' }],
    ['nothing yet', ['x = None', 'x = xs[0]', 'x.append(5)'], { xs: '[[1, 5], [2]]' }],
    ['what `get` gives', ['x = ys.get(1)', 'x.append(5)'], { ys: '{1: [1, 5]}' }],
    ['what `get` gives or something else', ['x = ys.get(1, [2])', 'x.append(5)'], {}],
    ['values of a dict', ['for x in ys.values():', '    x.append(5)'], { ys: '{1: [1, 5]}' }],
    ['entries of a dict', ['for k, x in ys.items():', '    x.append(5)'], { ys: '{1: [1, 5]}' }],
    ['a copy', ['x = xs[0][:]', 'x.append(5)'], {}],
    ['what a call gives', ['x = sorted(xs[0])', 'x.append(5)'], {}],
    ['something else besides', ['x = xs[0]', 'x = [1]', 'x.append(5)'], {}],
    ['another list', ['x = ys[0]', 'x.append(5)'], {}],
    ['a name that the line binds anew', ['x = xs[0]', 'x += [5]'], {}],
  ])('is told where a name stands for %s', (_, lines, expected) => {
    const dict = lines.some((line) => line.includes('ys.')) ? { ys: '{1: [1]}', xs: '[]' } : {};
    expect(held(lines, '[1, 5]', { ...list, ...dict })).toEqual(expected);
  });

  it('is told of objects in objects, and of what holds these', () => {
    const lines = ['x = xs', 'while x.a:', '    x = x.a', 'x.a = 2'];
    const left = '<C object {a: 2}>';
    const locals = { xs: tree(leaf), ys: tree(tree(leaf)), x: leaf };
    expect(held(lines, left, locals)).toEqual({ xs: tree(left), ys: tree(tree(left)) });
  });

  it('is told of a data class, and of what is made where it is stored', () => {
    const [before, after] = ['P(a=1)', 'P(a=2)'];
    const locals = { xs: `{1: ${before}}`, ys: '[]', x: before };
    expect(held(['x = xs[1]', 'x.a = 2'], after, locals)).toEqual({ xs: `{1: ${after}}` });
    expect(held(['x = xs[1] = P(1)', 'x.a = 2'], after, locals)).toEqual({ xs: `{1: ${after}}` });
    const twice = { ...locals, xs: `{1: ${before}, 2: ${before}}` };
    expect(held(['x = xs[1]', 'x.a = 2'], after, twice)).toEqual({});
  });

  it('is told behind the call that makes what is stored into it', () => {
    const left = '<C object {a: <C object {a: 1}>}>';
    expect(held(['x = xs.a', 'x.a = C()'], left, { xs: tree(leaf), ys: '[]', x: leaf })).toEqual({
      xs: tree(left),
    });
  });

  it('is told of another name of the same object, unless that may stand for a new one', () => {
    expect(held(['x = xs', 'x.append(5)'], '[1, 5]', { ...list, xs: '[1]' })).toEqual({ xs: '[1, 5]' });
    expect(held(['x = xs', 'xs = [1]', 'x.append(5)'], '[1, 5]', { ...list, xs: '[1]' })).toEqual({});
  });

  it('is told of the name that a name begins as, if that is bound once', () => {
    const locals = { xs: '[]', ys: '[]', d: leaf, x: leaf };
    const left = '<C object {a: 2}>';
    const begun = ['d = C()', 'x = d'];
    expect(held([...begun, 'while x:', '    x.a = 2'], left, locals)).toEqual({ d: left });
    const again = begun.map((line) => `    ${line}`);
    expect(held(['while xs:', ...again, '    x.a = 2'], left, locals)).toEqual({});
    expect(held([...begun, 'd = C()', 'x.a = 2'], left, locals)).toEqual({});
    expect(held([...begun, 'x = xs', 'x.a = 2'], left, locals)).toEqual({});
  });

  it('is not told of what looks the same where it may have been taken out of it', () => {
    const locals = { xs: '[]', ys: '[]', d: leaf, x: leaf };
    const left = '<C object {a: 2}>';
    expect(held(['d = C()', 'x = d', 'x = x.b', 'x.a = 2'], left, locals)).toEqual({ d: left });
    expect(held(['d = C()', 'x = d.b', 'd.b = 1', 'x.a = 2'], left, locals)).toEqual({});
    expect(held(['d = C()', 'x = d.b', 'ys(d)', 'x.a = 2'], left, locals)).toEqual({});
  });

  it('is not told where the object is written twice', () => {
    expect(held(['x = xs[0]', 'x.append(5)'], '[1, 5]', { ...list, xs: '[[1], [1]]' })).toEqual({});
  });
});
