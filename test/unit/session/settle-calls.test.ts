/** Behind a `return`: where no call of the line is left, none can come, and what the call has changed is known where its value is stored. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { believedStep } from '../../support/believed-step.js';
import { stateOf as at } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

describe('a builtin that calls a function with each item', () => {
  const program = parseProgram(
    'def f(xs, n):\n    n = max(xs, key=lambda k: -k)\n    return n\n',
    'f([1, 2], 0)',
  );
  const returning = (k: string, gots: readonly string[]) =>
    at('return', [frameAt(2, { xs: '[4, 6]', n: '0' }, gots), frameAt(2, { k })], `-${k}`);
  const again = at('call', [frameAt(2, { xs: '[4, 6]', n: '0' }), frameAt(2, { k: '6' })]);
  const over = at('line', [frameAt(3, { xs: '[4, 6]', n: '4' })]);

  it('calls it no more once all items have been handed on', async () => {
    const { accepts } = await believedStep(program, returning('6', ['-4']), over, ['2']);
    expect([accepts(over), accepts(again)]).toEqual([true, false]);
  });

  it('leaves what they come to, once their keys are compared', async () => {
    const wrong = at('line', [frameAt(3, { xs: '[4, 6]', n: '6' })]);
    const { locals } = await believedStep(program, returning('6', ['-4']), wrong, ['2']);
    expect(locals).toEqual({ xs: '[4, 6]', n: '4' });
  });

  it('leaves a list in order, which its method sorts', async () => {
    const sorting = parseProgram('def f(xs, n):\n    xs.sort(key=lambda k: -k)\n    return n\n', 'f([], 0)');
    const before = at('return', [frameAt(2, { xs: '[4, 6]', n: '0' }, ['-4']), frameAt(2, { k: '6' })], '-6');
    const wrong = at('line', [frameAt(3, { xs: '[4, 6]', n: '0' })]);
    expect((await believedStep(sorting, before, wrong, ['-2'])).locals).toEqual({ xs: '[6, 4]', n: '0' });
  });

  it('calls it again before', async () => {
    const { accepts } = await believedStep(program, returning('4', []), again);
    expect([accepts(over), accepts(again)]).toEqual([false, true]);
  });
});

describe('what a method of the name of one of builtins', () => {
  const lines = [
    'class Bag:',
    '    def __init__(self):',
    '        self.items = []',
    '    def add(self, x):',
    '        self.items += [x]',
    '        return x',
  ];
  const object = (items: string) => `<Bag object {items: ${items}}>`;

  it('changes is what its caller has', async () => {
    const program = parseProgram(
      [...lines, 'def f(bag, n):', '    bag.add(n)', '    return n', ''].join('\n'),
      'f(Bag(), 1)',
    );
    const before = at(
      'return',
      [frameAt(8, { bag: object('[]'), n: '1' }), frameAt(6, { self: object('[1]'), x: '1' })],
      '1',
    );
    const wrong = at('line', [frameAt(9, { bag: object('[]'), n: '1' })]);
    expect((await believedStep(program, before, wrong)).locals).toEqual({ bag: object('[1]'), n: '1' });
  });

  it('changes is there when its value is stored', async () => {
    const store = ['    def put(self):', '        self.items[0] = self.add(3)', '        return 1', ''];
    const program = parseProgram([...lines, ...store].join('\n'), 'Bag().put()');
    const before = at(
      'return',
      [frameAt(8, { self: object('[7]') }), frameAt(6, { self: object('[7, 3]'), x: '3' })],
      '3',
    );
    const wrong = at('line', [frameAt(9, { self: object('[3]') })]);
    expect((await believedStep(program, before, wrong)).locals).toEqual({ self: object('[3, 3]') });
  });
});

describe('an object that is made', () => {
  const made = (maker: readonly string[]) =>
    parseProgram(
      [
        'class Node:',
        '    def __init__(self, v):',
        ...maker,
        'def f(x, n):',
        '    x.next = Node(n)',
        '    return n',
        '',
      ].join('\n'),
      'f(None, 1)',
    );
  const node = (next: string, v = '1') => `<Node object {next: ${next}, v: ${v}}>`;
  const second = node('None', '2');
  const waiting = (line: number, next: string) => frameAt(line, { x: node(next), n: '2' });

  it('is stored into what was there before, if making it changes nothing else', async () => {
    const maker = ['        self.next = None', '        self.v = v'];
    const before = at('return', [waiting(6, 'None'), frameAt(4, { self: second, v: '2' })], 'None');
    const wrong = at('line', [waiting(7, '7')]);
    const { locals } = await believedStep(made(maker), before, wrong);
    expect(locals).toEqual({ x: node(second), n: '2' });
  });

  it.each([
    ['something else', ['        v.next = self', '        self.v = v']],
    ['what it calls', ['        self.next = v.pop()', '        self.v = v']],
  ])('is left to the model where making it may change %s', async (_, maker) => {
    const before = at('return', [waiting(6, 'None'), frameAt(4, { self: second, v: '2' })], 'None');
    const wrong = at('line', [waiting(7, '7')]);
    expect((await believedStep(made(maker), before, wrong)).locals).toMatchObject({ x: node('7') });
  });
});
