/** Keys that a statement looks up in a `defaultdict` are there from then on, whatever the model believes. */
import { expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const counts = "defaultdict(<class 'int'>, {1: 2})";

/** A step from a line of a function, which the model believes to change `x` alone. */
async function step(line: string, d: string, answers: readonly string[] = []) {
  const more = line.endsWith(':') ? ['        x = 7'] : [];
  const program = parseProgram(
    ['def f(d, x):', `    ${line}`, ...more, '    return x', ''].join('\n'),
    'f({}, 1)',
  );
  const before = at('line', [frameAt(2, { d, x: '5' })]);
  const wrong = at('line', [frameAt(3, { d, x: '99' })]);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const reply = await scriptedStep(program, before, 'step_into', [
    ...replies,
    encodeDelta(program, before, wrong, 1),
  ]);
  return { asked: reply.asked, ...Object.fromEntries(reply.delta.state.frames.at(-1)?.locals ?? []) };
}

it.each<[string, string, string, string, string[]]>([
  ['x = d[3]', counts, "defaultdict(<class 'int'>, {1: 2, 3: 0})", '0', []],
  ['x = d[x] + d[1]', counts, "defaultdict(<class 'int'>, {1: 2, 5: 0})", '2', ['2']],
  ['d[x] = d[4]', counts, "defaultdict(<class 'int'>, {1: 2, 4: 0, 5: 0})", '5', []],
  ['d[3] += 1', counts, "defaultdict(<class 'int'>, {1: 2, 3: 1})", '5', ['1']],
  ['d[1] -= x', counts, "defaultdict(<class 'int'>, {1: -3})", '5', ['-3']],
  ['d[x, 1] += x', counts, "defaultdict(<class 'int'>, {1: 2, (5, 1): 5})", '5', ['5']],
  ['x = len(d[2])', "defaultdict(<class 'list'>, {})", "defaultdict(<class 'list'>, {2: []})", '0', []],
])('%s', async (line, d, left, x, answers) => {
  expect(await step(line, d, answers)).toMatchObject({ d: left, x });
});

it('a condition that looks a key up is decided with it', async () => {
  const found = await step('if d[3]:', counts);
  expect(found).toMatchObject({ d: "defaultdict(<class 'int'>, {1: 2, 3: 0})", x: '5' });
});

it.each([
  ['the key is there', 'x = d[1]', counts, '2'],
  ['it may not be looked up', 'x = x and d[3]', counts, '99'],
  ['the factory is a function', 'x = d[3]', 'defaultdict(<function f.<locals>.<lambda>>, {})', '99'],
  ['a list is added to', 'd[1] += [x]', "defaultdict(<class 'list'>, {1: []})", '5'],
  ['another key may be the same', 'x = d[1.0]', counts, '99'],
])('nothing is added where %s', async (_, line, d, x) => {
  expect(await step(line, d)).toMatchObject({ d, x });
});
