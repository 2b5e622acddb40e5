/** Statements that call `heapq`: the list that they leave is told by comparisons, whatever the model believes. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A step from line 4 of a function with these names, which the model believes to leave `x` as 99 and `h` as it is. */
async function step(line: string, locals: Record<string, string>, answers: readonly string[] = []) {
  const source = [
    'import heapq',
    'from heapq import heappush',
    'def f(h, x):',
    `    ${line}`,
    '    return x',
    '',
  ];
  const program = parseProgram(source.join('\n'), 'f([], 1)');
  const before = at('line', [frameAt(4, locals)]);
  const wrong = at('line', [frameAt(5, { ...locals, x: '99' })]);
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
