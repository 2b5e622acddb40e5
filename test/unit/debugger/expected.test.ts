/** What answers are expected to be: tokens to draft from, which begin like the true answer nearly always and need not. */
import { describe, expect, it } from 'vitest';
import { expectedStep } from '../../../src/debugger/expected-step.js';
import { AnswerDecoder } from '../../../src/debugger/language/decode-answer.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { expectedAnswer } from '../../../src/debugger/language/expected-answer.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { withValues } from '../../../src/debugger/language/here.js';
import { charToken, operatorToken, special, tokenText } from '../../../src/debugger/language/tokens.js';
import { leftBehind } from '../../../src/debugger/left-behind.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf as at, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';
import { goldenTransitions, stateOf } from './golden.js';

const program = parseProgram('def f(n, x, s, t, g):\n    return n\n', 'f(1, 2.5, "ab", "", None)');
const frame = frameAt(2, { n: '-7', x: '2.5', s: "'ab'", t: "''", g: 'None' });

/** The text of the expected answer, as it is read from a model's. */
function read(asked: readonly number[]): string | undefined {
  const tokens = expectedAnswer(program, [special.evaluate, ...asked]);
  if (tokens === undefined) return undefined;
  const decoder = new AnswerDecoder(program);
  for (const token of tokens) decoder.push(token, 0);
  const answer = decoder.finish();
  return 'text' in answer ? answer.text : JSON.stringify(answer);
}

describe('the expected answer to an expression', () => {
  const answer = (text: string): string | undefined =>
    read(withValues(program, encodeExpression(program, text).tokens, frame));

  it.each<[string, string]>([
    ['n + 1', '-6'],
    ['n // 2', '-4'],
    ['n % 2', '1'],
    ['2 ** 5', '32'],
    ['7 / 2', '3.5'],
    ['6 / 2', '3.0'],
    ['x * 2', '5.0'],
    ['n < 0', 'True'],
    ['1 == 1.0', 'True'],
    ['s + "c"', "'abc'"],
    ['"it" + "\'s"', '"it\'s"'],
    ['"b" in s', 'True'],
    ['"b" not in s', 'False'],
    ['s.upper()', "'AB'"],
    ['s.isalpha()', 'True'],
    ['len(s)', '2'],
    ['not t', 'True'],
    ['g is None', 'True'],
    ['s is not None', 'True'],
    ['int("12")', '12'],
  ])('%s is %s', (text, expected) => expect(answer(text)).toBe(expected));

  it.each([
    'n // 0',
    'n << 1',
    's * 3',
    's < 1',
    'g(1)',
    '[n][0]',
    'f(n)',
    's.split()',
    'int("x")',
    '2 ** -1',
    '(((9 ** 64) ** 64) ** 64) ** 64',
    '1 < n < 2',
  ])('of %s none comes to mind', (text) => expect(answer(text)).toBeUndefined());

  const columns = (text: string): number[] => [
    special.it,
    ...Array.from(text, (char) => (char === '|' ? operatorToken('//') : charToken(char))),
  ];
  it.each<[string, string]>([
    ['8210+7000', '135'],
    ['8210-7000', '121'],
    ['410-440', '-30'],
    ['7000-8210', '-121'],
    ['8210*6', '768'],
    ['000+000', '0'],
    ['543|7', '(77, 4)'],
  ])('%s in columns is %s', (text, expected) => expect(read(columns(text))).toBe(expected));
});

describe('the expected answer to a step', () => {
  const source = [
    'def g(x):',
    '    return x * 2',
    'def f(xs, d):',
    '    n = 3',
    '    for k, v in d.items():',
    '        try:',
    '            n += g(v)',
    '        except ValueError:',
    '            raise KeyError(k)',
    '    if xs:',
    '        xs.append(n)',
    '    return n',
    '',
  ].join('\n');
  const of = parseProgram(source, "f([], {'a': 1})");
  const locals = { xs: '[]', d: "{'a': 1}" };
  const looping = (line: number, passes: number, names: Record<string, string>) => ({
    ...frameAt(line, { ...locals, ...names }),
    its: [passes],
  });
  const line = (frame: Frame) => at('line', [frame]);

  function expected(before: DebuggerState, kind: 'step_into' | 'step_over' | 'step_return' = 'step_into') {
    const action = { kind, lines: [] };
    const known = { ...settledLine(stepOf(of, before, kind)), left: leftBehind(of, before, action) };
    return expectedStep(of, before, action, known);
  }
  const delta = (before: DebuggerState, after: DebuggerState, common: number, holds?: boolean) =>
    encodeDelta(of, before, after, common, holds);

  it.each<[string, DebuggerState, DebuggerState, boolean?]>([
    ['a call', at('call', [frameAt(3, locals)]), line(frameAt(4, locals))],
    ['an assignment', line(frameAt(4, locals)), line({ ...looping(5, 0, { n: '3' }) })],
    [
      'the next pass',
      line(looping(5, 0, { n: '3' })),
      line(looping(6, 0, { n: '3', k: "'a'", v: '1' })),
      true,
    ],
    [
      'the last pass',
      line(looping(5, 1, { n: '3', k: "'a'", v: '1' })),
      line(frameAt(10, { ...locals, n: '3', k: "'a'", v: '1' })),
      false,
    ],
    [
      'a return',
      line(frameAt(12, { ...locals, n: '3' })),
      at('return', [frameAt(12, { ...locals, n: '3' })], '3'),
    ],
    [
      'a raise',
      line(looping(9, 0, { k: "'a'" })),
      at('exception', [looping(9, 0, { k: "'a'" })], "KeyError('a')"),
    ],
    [
      'a condition',
      line(frameAt(10, { ...locals, n: '3' })),
      line(frameAt(12, { ...locals, n: '3' })),
      false,
    ],
    [
      'a method',
      line(frameAt(11, { ...locals, n: '3' })),
      line(frameAt(12, { ...locals, xs: '[3]', n: '3' })),
    ],
    [
      'what is entered',
      line(looping(7, 0, { n: '3', v: '1' })),
      at('call', [looping(7, 0, { n: '3', v: '1' }), frameAt(1, { x: '1' })]),
    ],
  ])('of %s is the whole of it', (_, before, after, holds) => {
    expect(expected(before)?.map(tokenText)).toEqual(delta(before, after, 1, holds).map(tokenText));
  });

  it('ends where something is not known', () => {
    const before = line(looping(7, 0, { n: '3', v: '1' }));
    const after = line(looping(5, 1, { n: '3', v: '1' }));
    expect(expected(before, 'step_over')).toEqual(delta(before, after, 1).slice(0, -1));
    const inside = at('line', [looping(7, 0, { n: '3' }), frameAt(2, { x: '1' })]);
    const begun = delta(inside, at('return', [looping(7, 0, { n: '3' }), frameAt(2, { x: '1' })], '2'), 2);
    expect(expected(inside)).toEqual(begun.slice(0, 3));
  });

  it('is none of what leads further than one line, or from nowhere', () => {
    expect(expected(line(frameAt(4, locals)), 'step_return')).toBeUndefined();
    expect(
      expectedStep(
        of,
        null,
        { kind: 'step_into', lines: [] },
        { results: { assigned: new Map() }, left: new Map() },
      ),
    ).toBeUndefined();
    expect(expected(at('exception', [frameAt(4, locals)], 'KeyError()'))).toBeUndefined();
  });
});

it('begins like the true answer in nearly all steps of real runs', () => {
  let [found, right, whole] = [0, 0, 0];
  for (const { source, call, cases } of goldenTransitions()) {
    const program = parseProgram(source, call);
    for (const { stack, action: kind, delta } of cases) {
      if (kind !== 'step_into' && kind !== 'step_over') continue;
      const [state, action] = [stateOf(stack), { kind, lines: [] }];
      if (state.event === 'return') continue; // what is known then is asked for
      const known = {
        ...settledLine(stepOf(program, state, kind)),
        left: leftBehind(program, state, action),
      };
      const tokens = expectedStep(program, state, action, known);
      if (tokens === undefined) continue;
      const isRight = tokens.every((token, index) => token === delta[index]);
      found += 1;
      right += Number(isRight);
      whole += Number(isRight && tokens.length === delta.length);
    }
  }
  expect(found).toBeGreaterThan(130);
  expect(right / found).toBeGreaterThan(0.95);
  expect(whole / found).toBeGreaterThan(0.5);
});
