/** Lines that bind a name by `:=` first: what it is bound to is told, and where the rest of the line leads. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
const own = { x: '3', s: "'abc'", xs: '[5, 6]', d: "{'a': 2}", n: '0' };

/** A step from a line that the model believes to go on with `n` as it is: where it goes, and which names are others then. */
async function step(line: string, answers: readonly string[] = [], locals: Locals = own) {
  const isHead = line.endsWith(':');
  const source = [
    'def g(v):',
    '    return v',
    'def find(v):',
    '    return v',
    'def f(x, s, xs, d, n):',
    `    ${line}`,
  ];
  const program = parseProgram(
    [...source, ...(isHead ? ['        n = 7'] : []), '    return n', ''].join('\n'),
    'f(1, 2, 3, 4, 5)',
  );
  const before = at('line', [frameAt(6, locals)]);
  const believed = at('line', [frameAt(isHead ? 8 : 7, locals)]);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const delta = encodeDelta(program, before, believed, 1, isHead ? false : undefined);
  const reply = await scriptedStep(program, before, 'step_over', [...replies, delta], true);
  const [after] = reply.delta.state.frames;
  const left = [...(after?.locals ?? [])].filter(([name, text]) => locals[name] !== text);
  return { asked: reply.asked, line: after?.line, left: Object.fromEntries(left) };
}

describe('a name that a line binds first', () => {
  it.each<[string, number, Locals]>([
    ['if n := x:', 7, { n: '3' }],
    ["if n := d.get('z'):", 8, { n: 'None' }],
    ['while n := xs[2:]:', 8, { n: '[]' }],
    ["n = (q := s.split('b'))", 7, { n: "['a', 'c']", q: "['a', 'c']" }],
    ['n = q = (r := xs)', 7, { n: '[5, 6]', q: '[5, 6]', r: '[5, 6]' }],
    ["if (n := s.index('c')) and x:", 7, { n: '2' }],
  ])('is told by %s without a question', async (line, to, left) => {
    expect(await step(line)).toEqual({ asked: 0, line: to, left });
  });

  it('is asked for, and what the line makes of it', async () => {
    expect(await step('if (n := x * 2) == 6:', ['6', 'True'])).toEqual({
      asked: 2,
      line: 7,
      left: { n: '6' },
    });
    expect(await step('if (n := x * 2) == n:', ['6', 'True'])).toEqual({
      asked: 2,
      line: 7,
      left: { n: '6' },
    });
    expect(await step('if not (n := x):', ['False'])).toEqual({ asked: 1, line: 8, left: { n: '3' } });
    expect(await step('n = (q := x * 2) + 1', ['6', '7'])).toMatchObject({ left: { n: '7', q: '6' } });
  });

  it('is told by a method of builtins that is called like a function of the program', async () => {
    expect((await step("if (n := s.find('z')) and x:")).left).toEqual({ n: '-1' });
  });

  it('changes with what the line calls', async () => {
    expect((await step('n = (x := [4, 8]).pop()')).left).toEqual({ x: '[4]', n: '8' });
  });

  it.each([
    'if x and (n := s):',
    'n = [(x := v) for v in xs]',
    'n = ((x := v) for v in xs)',
    'n = (x := s) if d else 2',
    'n = (x := s), (x := d)',
    'if (n := g(x)):',
    'if n := xs.pop():',
    'if n := sorted(xs, key=g):',
    'if n := v.find(s):',
    'n = (n := [1]) + n',
    'n = g(x := s)',
    'n = (x := s); x = 2',
    'if (x := s): x = n',
  ])('is left to the model in %s', async (line) => {
    const { left } = await step(line);
    expect(left).toEqual({});
  });
});
