/** What a statement takes out of lists and deques is taken, and the rest of it goes on from there, whatever the model believes. */
import { expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const names = { xs: '[1, 7]', ys: '[[4], 5]', q: 'deque([1, 2])', n: '2' };
type Locals = Readonly<Record<string, string>>;

/** What changes by a step from a line of a function, of which the model believes that it makes 99 of `n`. */
async function step(line: string, answers: readonly string[] = [], locals: Locals = names) {
  const program = parseProgram(
    [
      'import heapq',
      'def g(x):',
      '    return x',
      'def f(xs, ys, q, n):',
      `    ${line}`,
      '    return n',
      '',
    ].join('\n'),
    'f([], [], [], 1)',
  );
  const before = at('line', [frameAt(5, locals)]);
  const wrong = at('line', [frameAt(6, { ...locals, n: '99' })]);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const reply = await scriptedStep(program, before, 'step_over', [
    ...replies,
    encodeDelta(program, before, wrong, 1),
  ]);
  expect(reply.asked).toBe(answers.length + 1);
  const left = Object.fromEntries(reply.delta.state.frames[0]?.locals ?? []);
  return Object.fromEntries(Object.entries(left).filter(([name, text]) => text !== locals[name]));
}

it.each<[string, Locals, string[]]>([
  ['n = xs.pop() + 1', { xs: '[1]', n: '8' }, ['8']],
  ['n += xs.pop(0)', { xs: '[7]', n: '3' }, ['3']],
  ['n, xs[0] = xs.pop(), 4', { n: '99' }, []],
  ['n, ys = xs.pop(), [xs.pop(0)]', { xs: '[]', n: '7', ys: '[1]' }, []],
  ['ys = [q.popleft(), n]', { q: 'deque([2])', ys: '[1, 2]' }, []],
  ['n = ys[xs.pop(0)] * (n - xs[-1])', { xs: '[7]', n: '-25' }, ['-5', '25']],
  ['ys.append(xs.pop())', { xs: '[1]', ys: '[[4], 5, 7]' }, []],
  ['xs.append(xs.pop(0) + 1)', { xs: '[7, 2]' }, ['2']],
  ['heapq.heappush(xs, ys.pop(0)[0])', { xs: '[1, 7, 4]', ys: '[5]' }, ['False']],
  ['n = xs[0] + xs.pop()', { xs: '[1]', n: '8' }, ['8']],
])('%s', async (line, changed, answers) => {
  expect(await step(line, answers)).toEqual(changed);
});

it.each([
  ['it reads the list before', 'n = [xs, xs.pop()]'],
  ['it may take nothing', 'n = n and xs.pop()'],
  ['the list may be another one', 'n = ys[0].pop() + 1'],
  ['a function may change the list', 'n = g(xs) + xs.pop()'],
  ['there is nothing to take', 'n = xs.pop(5) + 1'],
])('nothing is taken where %s', async (_, line) => {
  expect(await step(line)).toEqual({ n: '99' });
});
