/** Members of enumerations: how they are written, what they hold, and what comparing them comes to. */
import { describe, expect, it } from 'vitest';
import { memberOf, memberText } from '../../../src/debugger/language/enums.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf as at, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const enumeration = (head: string, ...body: string[]) =>
  parseProgram(
    [
      'from enum import Enum, IntEnum, auto',
      '',
      `class ${head}:`,
      ...body.map((line) => `    ${line}`),
      'def f(x):',
      '    return x',
      '',
    ].join('\n'),
    'f(1)',
  );

describe('a member of an enumeration', () => {
  it.each<[string, string[], string, string | undefined]>([
    ['Color(Enum)', ['RED = 1', 'BLUE = "b"'], 'BLUE', "<Color.BLUE: 'b'>"],
    [
      'Color(Enum)',
      ['"""Colors."""', '', '# two of them', 'RED = auto()', 'BLUE = auto()'],
      'BLUE',
      '<Color.BLUE: 2>',
    ],
    ['Color(Enum)', ['RED = 1', 'CRIMSON = 1'], 'CRIMSON', '<Color.RED: 1>'],
    ['Color(str, Enum)', ["RED = 'r'"], 'RED', "<Color.RED: 'r'>"],
    ['Color(Enum)', ['RED = 1', 'def next(self):', '    return 2'], 'RED', '<Color.RED: 1>'],
    ['Color(Enum)', ['RED = 1', 'def __repr__(self):', "    return 'red'"], 'RED', '<Color.RED: 1>'],
    ['Color(Enum)', ['RED = make()'], 'RED', undefined],
    ['Color(Enum)', ['RED = "a"', 'BLUE = auto()'], 'BLUE', undefined],
    ['Color', ['RED = 1'], 'RED', undefined],
  ])('of %s with %j', (head, body, name, text) => {
    expect(memberText(enumeration(head, ...body), 'Color', name)).toBe(text);
  });

  it('is read off its text, if the program has it', () => {
    const program = enumeration('Color(Enum)', 'RED = 1');
    expect(memberOf(program, '<Color.RED: 1>')).toMatchObject({ name: 'RED', value: '1', isPure: true });
    expect(memberOf(program, '<Color.RED: 2>')).toBeUndefined();
    expect(memberOf(program, '<Shape.RED: 1>')).toBeUndefined();
    expect(memberOf(enumeration('Color(IntEnum)', 'RED = 1'), '<Color.RED: 1>')?.isPure).toBe(false);
  });
});

describe('a line about members', () => {
  const source = [
    'from enum import Enum',
    'class Color(Enum):',
    '    RED = 1',
    '    BLUE = "b"',
    'def f(x, y):',
  ];
  const settled = (line: string, x = '<Color.RED: 1>', y = '3') => {
    const program = parseProgram(
      [...source, `    ${line}`, ...(line.startsWith('if') ? ['        pass'] : []), '    return x', ''].join(
        '\n',
      ),
      'f(1, 2)',
    );
    return settledLine(stepOf(program, at('line', [frameAt(6, { x, y })]), 'step_into')).results;
  };

  it.each<[string, boolean | undefined]>([
    ['if x is Color.RED:', true],
    ['if x is Color.BLUE:', false],
    ['if x is not Color.BLUE:', true],
    ['if x == Color.RED and x != Color.BLUE:', true],
    ['if x in (Color.BLUE, Color.RED):', true],
    ['if x not in [Color.BLUE]:', true],
    ['if x == 1:', false],
    ['if x:', true],
    ['if x is y:', false],
    ['if x in (Color.BLUE, y):', false],
    ['if x in (Color.BLUE, z):', undefined],
  ])('%s', (line, holds) => expect(settled(line).holds).toBe(holds));

  it.each<[string, string | undefined]>([
    ['y = Color.BLUE', "<Color.BLUE: 'b'>"],
    ['y = x.value', '1'],
    ['y = x.name', "'RED'"],
    ['y = Color.BLUE.value', "'b'"],
    ['y = x is Color.RED', 'True'],
    ['y = x.other', undefined],
  ])('%s', (line, text) => expect(settled(line).assigned.get('y')).toBe(text));
});

describe('a dict of the module with members for keys', () => {
  const settled = (
    line: string,
    more: readonly string[] = [],
    base = 'Enum',
    x = "(<Door.OPEN: 'o'>, 'close')",
    other = '7',
  ) => {
    const source = [
      'from enum import Enum',
      `class Door(${base}):`,
      "    OPEN = 'o'",
      "    SHUT = 's'",
      'MOVES = {',
      '    (Door.OPEN, "close"): Door.SHUT,',
      `    Door.SHUT: ${other},`,
      '}',
      ...more,
      'def f(x, y):',
      `    ${line}`,
      ...(line.startsWith('if') ? ['        pass'] : []),
      '    return x',
      '',
    ];
    const program = parseProgram(source.join('\n'), 'f(1, 2)');
    const state = at('line', [frameAt(10 + more.length, { x, y: "<Door.SHUT: 's'>" })]);
    return settledLine(stepOf(program, state, 'step_into')).results;
  };

  it.each<[string, string | undefined]>([
    ['y = MOVES[x]', "<Door.SHUT: 's'>"],
    ['y = MOVES[(Door.OPEN, "close")]', "<Door.SHUT: 's'>"],
    ['y = MOVES[y]', '7'],
    ['y = MOVES.get(x)', "<Door.SHUT: 's'>"],
    ['y = MOVES.get((y, "close"))', 'None'],
    ['y = MOVES[(y, "close")]', undefined],
    ['y = MOVES.get((y, 1))', undefined],
  ])('%s', (line, text) => expect(settled(line).assigned.get('y')).toBe(text));

  it.each<[string, boolean | undefined]>([
    ['if x in MOVES:', true],
    ['if x not in MOVES:', false],
    ['if y in MOVES:', true],
    ['if z in MOVES:', undefined],
  ])('%s', (line, holds) => expect(settled(line).holds).toBe(holds));

  it('is not looked into where it may be changed, or members may be equal to something else', () => {
    expect(settled('y = MOVES[x]', ['def g():', '    MOVES[1] = 2']).assigned.get('y')).toBeUndefined();
    expect(settled('y = MOVES[x]', ['MOVES = {}']).assigned.get('y')).toBeUndefined();
    expect(settled('y = MOVES[y]', [], 'Enum', '1', '[7]').assigned.get('y')).toBeUndefined();
    expect(settled('y = MOVES[x]', [], 'str, Enum').assigned.get('y')).toBeUndefined();
    expect(settled('if x in MOVES:', [], 'str, Enum').holds).toBeUndefined();
    expect(settled('if x in MOVES:', [], 'Enum', "('o', 'close', 1)").holds).toBeUndefined();
  });
});
