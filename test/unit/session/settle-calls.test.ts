/** Behind a `return`: where no call of the line is left, none can come, and what the call has changed is known where its value is stored. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A step behind a return, which the model believes to lead to `wrong`; accepts: whether its answer might lead to another state. */
async function step(
  program: Program,
  before: DebuggerState,
  wrong: DebuggerState,
  answers: readonly string[] = [],
) {
  const script = [
    ...answers.map((value) => [special.value, ...encodeValue(program, value), special.end]),
    encodeDelta(program, before, wrong, 1),
  ];
  const { delta, constraint, asked } = await scriptedStep(program, before, 'step_into', script);
  expect(asked).toBe(script.length);
  const accepts = (after: DebuggerState): boolean => {
    if (constraint === undefined) throw new Error('the step was held to nothing');
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, 200);
    return encodeDelta(program, before, after, 1).every((token) => walker.accept(token));
  };
  return { locals: Object.fromEntries(delta.state.frames.at(-1)?.locals ?? []), accepts };
}

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
    const { accepts } = await step(program, returning('6', ['-4']), over, ['False']);
    expect([accepts(over), accepts(again)]).toEqual([true, false]);
  });

  it('leaves what they come to, once their keys are compared', async () => {
    const wrong = at('line', [frameAt(3, { xs: '[4, 6]', n: '6' })]);
    const { locals } = await step(program, returning('6', ['-4']), wrong, ['False']);
    expect(locals).toEqual({ xs: '[4, 6]', n: '4' });
  });

  it('leaves a list in order, which its method sorts', async () => {
    const sorting = parseProgram('def f(xs, n):\n    xs.sort(key=lambda k: -k)\n    return n\n', 'f([], 0)');
    const before = at('return', [frameAt(2, { xs: '[4, 6]', n: '0' }, ['-4']), frameAt(2, { k: '6' })], '-6');
    const wrong = at('line', [frameAt(3, { xs: '[4, 6]', n: '0' })]);
    expect((await step(sorting, before, wrong, ['True'])).locals).toEqual({ xs: '[6, 4]', n: '0' });
  });

  it('calls it again before', async () => {
    const { accepts } = await step(program, returning('4', []), again);
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
    expect((await step(program, before, wrong)).locals).toEqual({ bag: object('[1]'), n: '1' });
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
    expect((await step(program, before, wrong)).locals).toEqual({ self: object('[3, 3]') });
  });
});
