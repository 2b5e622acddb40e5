/** What exceptions say of themselves, as they stand in a frame. */
import { describe, expect, it } from 'vitest';
import {
  argumentsOfException,
  isLastingException,
  textOfException,
} from '../../../src/debugger/language/exception-values.js';
import { decodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { believedStep } from '../../support/believed-step.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const program = parseProgram(
  [
    'def f(x):',
    '    try:',
    '        x()',
    '    except Exception as e:',
    "        x = 'bad: ' + str(e)",
    '        x = e.args[0] if e.args else None',
    '        print(e)',
    '    return x',
    'class Own(KeyError):',
    '    pass',
    'class Told(ValueError):',
    '    def __str__(self):',
    "        return 'told'",
    'class Thing:',
    '    pass',
    '',
  ].join('\n'),
  'f(1)',
);

const shown = (of: Program, tokens: readonly number[] | undefined) => tokens && decodeValue(of, tokens);

describe('an exception', () => {
  it.each([
    ["ValueError('no')", "('no',)", "'no'"],
    ['ValueError()', '()', "''"],
    ['ValueError(7)', '(7,)', "'7'"],
    ["RuntimeError('a', 2)", "('a', 2)", '"(\'a\', 2)"'],
    ["KeyError('k')", "('k',)", '"\'k\'"'],
    ["Own('k')", "('k',)", '"\'k\'"'],
    ["Told('x')", "('x',)", undefined],
    ["OSError(2, 'gone')", "(2, 'gone')", undefined],
    ['ValueError(<Thing object>)', undefined, undefined],
    ["Thing('x')", undefined, undefined],
    ["'ValueError(1)'", undefined, undefined],
    ['ValueError("it\'s \\\\ \\"")', expect.anything(), undefined],
  ])('%s was given %s, and is %s as a text', (text, given, said) => {
    expect(shown(program, argumentsOfException(program, text))).toEqual(given);
    if (said !== undefined || !text.includes('it'))
      expect(shown(program, textOfException(program, text))).toBe(said);
  });

  it('stays as it is written unless somebody gives it other arguments', () => {
    expect(isLastingException(program, 'ValueError(1)')).toBe(true);
    expect(isLastingException(program, 'ValueError(<Thing object>)')).toBe(false);
    const changing = parseProgram('def f(e):\n    e.args = (2,)\n    return e\n', 'f(ValueError(1))');
    expect(isLastingException(changing, 'ValueError(1)')).toBe(false);
  });

  it.each([
    [5, 6, "'bad: no'"],
    [6, 7, "'no'"],
  ])('tells what line %d makes of it, and is still there on the next', async (line, next, expected) => {
    const e = "ValueError('no')";
    const before = stateOf('line', [frameAt(line, { x: '1', e })]);
    const wrong = stateOf('line', [frameAt(next, { x: "'what'" })]);
    expect((await believedStep(program, before, wrong)).locals).toEqual({ x: expected, e });
  });

  it('is unbound behind its clause', async () => {
    const before = stateOf('line', [frameAt(7, { x: '1', e: 'ValueError(1)' })]);
    const after = stateOf('line', [frameAt(8, { x: '1' })]);
    expect((await believedStep(program, before, after)).locals).toEqual({ x: '1' });
  });
});
