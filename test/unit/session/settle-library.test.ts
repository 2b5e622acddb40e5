/** Statements that call what compares items: what they leave is told by comparisons, whatever the model believes. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A step from the line of a function with these names, which the model believes to leave `x` as 99 and `h` as it is. */
async function step(line: string, locals: Record<string, string>, answers: readonly string[] = []) {
  const imports = [
    'import heapq, bisect, collections',
    'from heapq import heappush',
    'from collections import Counter',
  ];
  const source = [...imports, 'def f(h, x):', `    ${line}`, '    return x', ''].join('\n');
  const program = parseProgram(source, 'f([], 1)');
  const before = at('line', [frameAt(5, locals)]);
  const wrong = at('line', [frameAt(6, { ...locals, x: '99' })]);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const delta = encodeDelta(program, before, wrong, 1);
  const reply = await scriptedStep(program, before, 'step_into', [...replies, delta]);
  return { asked: reply.asked, locals: Object.fromEntries(reply.delta.state.frames.at(-1)?.locals ?? []) };
}

describe('a call of heapq', () => {
  it('puts an item where its comparisons lead', async () => {
    expect(await step('heapq.heappush(h, 1)', { h: '[2, 5]', x: '0' }, ['True'])).toMatchObject({
      locals: { h: '[1, 5, 2]' },
    });
    expect(await step('heappush(h, 7)', { h: '[2, 5]', x: '0' }, ['False'])).toMatchObject({
      locals: { h: '[2, 5, 7]' },
    });
  });

  it('compares the first items of tuples that differ', async () => {
    const { locals } = await step('heapq.heappush(h, (3, 1))', { h: '[(3, 4)]', x: '0' }, ['True']);
    expect(locals).toMatchObject({ h: '[(3, 1), (3, 4)]' });
  });

  it('gives the least item, which is read, to what is around it', async () => {
    const names = { h: '[1, 3]', x: '0' };
    expect((await step('x = heapq.heappop(h)', names)).locals).toEqual({ h: '[3]', x: '1' });
    expect((await step('x = -heapq.heappop(h)', { ...names, h: '[-4, 3]' })).locals).toEqual({
      h: '[3]',
      x: '4',
    });
    expect((await step('x, y = heapq.heappop(h)', { ...names, h: '[(1, 2)]' })).locals).toMatchObject({
      h: '[]',
      x: '1',
    });
  });

  it.each([
    ['the list is used besides', 'x = heapq.heappop(h) + len(h)', { h: '[1, 3]', x: '0' }],
    ['the list is not told', 'x = heapq.heappop(h)', { x: '0' }],
    ['it may not be made', 'x = x and heapq.heappop(h)', { h: '[1]', x: '1' }],
    ['it is made several times', 'x = [heapq.heappop(h) for _ in range(x)]', { h: '[1]', x: '1' }],
  ])('is left to the model where %s', async (_, line, locals) => {
    expect((await step(line, locals)).locals.x).toBe('99');
  });
});

describe('a call of bisect', () => {
  it('asks as far as its halves need it', async () => {
    const names = { h: '[1, 3, 5]', x: '0' };
    const found = await step('x = bisect.bisect_left(h, 3)', names, ['True']);
    expect(found).toEqual({ asked: 2, locals: { h: '[1, 3, 5]', x: '1' } });
    expect(await step('x = bisect.bisect(h, 3)', names, ['True'])).toEqual({
      asked: 2,
      locals: { h: '[1, 3, 5]', x: '2' },
    });
  });

  it('puts an item into its list', async () => {
    const { locals } = await step('bisect.insort(h, 2)', { h: '[1, 3]', x: '0' }, ['True', 'False']);
    expect(locals.h).toBe('[1, 2, 3]');
  });
});

describe('a Counter', () => {
  it('is written with the most common item first', async () => {
    const { locals } = await step('x = collections.Counter(h)', { h: '[4, 7, 7]', x: '0' }, ['2', 'True']);
    expect(locals.x).toBe('Counter({7: 2, 4: 1})');
    expect((await step('x = Counter(h)', { h: '[]', x: '0' })).locals.x).toBe('Counter()');
  });

  it('has its items in another order once one comes more often', async () => {
    const names = { h: "Counter({'a': 1, 'b': 1, 'c': 1})", x: '0' };
    const found = await step("h['b'] = 2", names, ['True', 'True']);
    expect(found.locals.h).toBe("Counter({'b': 2, 'a': 1, 'c': 1})");
  });

  it('of a mapping is left to the model', async () => {
    expect((await step('x = Counter(h)', { h: "{'a': 2}", x: '0' })).locals.x).toBe('99');
  });

  it('is left to the model where its text does not tell the order', async () => {
    const names = { h: "Counter({'b': 2, 'a': 1})", x: '0' };
    expect((await step("h['a'] = 2", names)).asked).toBe(1);
  });
});
