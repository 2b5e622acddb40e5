/** Objects in the making: how long they cannot write themselves, and what they write then. */
import { describe, expect, it } from 'vitest';
import { frozenNames } from '../../../src/debugger/frozen.js';
import { writersOf, writtenBy } from '../../../src/debugger/object-text.js';
import { OpenedObjects } from '../../../src/debugger/opened-objects.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A class whose objects are made by these lines, the first of which is the third of the program, and write themselves by those. */
const classOf = (made: readonly string[], written: readonly string[], ...more: readonly string[]): string =>
  [
    'class Thing:',
    '    def __init__(self, a, b):',
    ...made.map((line) => `        ${line}`),
    '    def __repr__(self):',
    ...written.map((line) => `        ${line}`),
    ...more.map((line) => `    ${line}`),
    'def f(a, b):',
    '    return Thing(a, b)',
  ].join('\n');

const plain = ['self.a = a', 'self.b = b', 'self.c = 0'];
const shown = ["return f'Thing({self.a}, {self.b!r})'"];

/** Something else that assigns what is read. */
const filling = ['def fill(self):', '    self.b = 1'];

/** A line of such an `__init__`, as its frame stands there. */
const stateAt = (line: number, self = '<unrepresentable Thing>') =>
  stateOf('line', [frameAt(1, {}), frameAt(line, { self, a: '7', b: "'x'" })]);

const staysOn = (source: string, line: number, self?: string): boolean =>
  frozenNames(parseProgram(source, 'f(1, 2)'), stateAt(line, self), { kind: 'step_into', lines: [] }).has(
    'self',
  );

describe('an object in the making that cannot write itself', () => {
  it('still cannot while an attribute is missing that it reads, and may as soon as none is', () => {
    expect([3, 4].map((line) => staysOn(classOf(plain, shown), line))).toEqual([true, false]);
  });

  it.each([
    ['may not read it', ["return f'Thing({self.a}' + (f'{self.b}' if self.a else '') + ')'"]],
    ['may have set it before', ["return f'Thing({self.fill()} {self.b})'"]],
    ['may have been handed on before', ["return f'Thing({fill(self) if self.a else 0} {self.b})'"]],
    ['may not come to it', ['if self.a:', "    return f'Thing({self.a})'", "return f'Thing({self.b})'"]],
    [
      'catches that it is missing',
      ['try:', "    return f'Thing({self.b})'", 'except AttributeError:', "    return 'Thing()'"],
    ],
  ])('may where it %s', (_, written) => {
    expect(staysOn(classOf(plain, written, ...filling), 3)).toBe(false);
  });

  it.each([
    ['its class has it', plain, ['b = 3']],
    ['its class makes it', plain, ['@property', 'def b(self):', '    return 1']],
    ['it was handed on', ['register(self)', 'self.a = a', 'self.b = b'], []],
    ['its own method ran', ['self.fill()', 'self.a = a', 'self.b = b'], []],
    ['its base has made it', ['super().__init__()', 'self.a = a', 'self.b = b'], []],
  ])('may where %s', (_, made, more) => {
    expect(staysOn(classOf(made, shown, ...filling, ...more), made.indexOf('self.a = a') + 3)).toBe(false);
  });

  it('may where a class that is derived from that of the function has begun it', () => {
    const begun = ['class Other(Thing):', '    def __init__(self, a, b):', '        self.b = b'];
    const derived = [classOf(plain, shown), ...begun, '        super().__init__(a, b)'].join('\n');
    expect(staysOn(derived, 3, '<unrepresentable Other>')).toBe(false);
    expect(staysOn(derived, 3)).toBe(true);
  });
});

describe('an object of which all is known', () => {
  const attributes = { a: '7', b: "'x'", c: '[1, 2]' };
  const opened = (all: Readonly<Record<string, string>>): string =>
    `<Thing object {${Object.entries(all)
      .map(([name, text]) => `${name}: ${text}`)
      .join(', ')}}>`;
  const textOf = (program: Program, all: Readonly<Record<string, string>>) => {
    const method = writersOf(program).get('Thing');
    return method && writtenBy(program, method, 'Thing', opened(all), new Set(Object.keys(all)));
  };

  it.each([
    [["return f'Thing({self.a}, {self.b!r})'"], "Thing(7, 'x')"],
    [["return f'Thing({self.a:03d}|{self.b!r:>5}|{self.b})'"], "Thing(007|  'x'|x)"],
    [["return f'{type(self).__name__}({self.a})'"], 'Thing(7)'],
    [["return f'{self.__class__.__name__}({self.a})'"], 'Thing(7)'],
    [['if self.b:', "    return 'Thing(much)'", "return 'Thing(less)'"], 'Thing(much)'],
    [["mark = '!' if self.a else ''", "return f'Thing({self.b}{mark})'"], 'Thing(x!)'],
    [['if not self.a:', "    return 'Thing()'", 'else:', "    return f'Thing({self.c})'"], 'Thing([1, 2])'],
  ])('writes itself by %j', (written, expected) => {
    expect(textOf(parseProgram(classOf(plain, written), 'f(1, 2)'), attributes)).toBe(expected);
  });

  it('cannot where an attribute is missing that it comes to read', () => {
    const program = parseProgram(
      classOf(plain, ['if self.a:', "    return f'Thing({self.d})'", "return 'Thing()'"]),
      'f(1, 2)',
    );
    expect(textOf(program, attributes)).toBeNull();
    expect(textOf(program, { ...attributes, a: '0' })).toBe('Thing()');
  });

  it.each([
    ['is not read', "return 'Thing(' + ''.join(sorted(self.b, key=ord)) + ')'"],
    ['has to be reckoned', "return f'Thing({self.a + 1})'"],
  ])('is not told what it writes where that %s', (_, written) => {
    expect(textOf(parseProgram(classOf(plain, [written]), 'f(1, 2)'), attributes)).toBeUndefined();
  });

  it('is written with what the lines before have assigned, unless that may have changed', () => {
    const opening = (made: readonly string[]): string | undefined => {
      const program = parseProgram(classOf(made, ["return f'Thing({self.c})'"]), 'f(1, 2)');
      const { state } = OpenedObjects.in(program, stateAt(made.length + 2)) ?? {};
      return state?.frames.at(-1)?.locals.get('self');
    };
    const last = 'self.c = 0';
    expect(opening(['self.a, self.b = a, [a]', 'n = 3', 'self.d = (b, 2)', last])).toBe(
      "<Thing object {a: 7, b: [7], d: ('x', 2)}>",
    );
    expect(opening(['self.a = a', 'a = 3', last])).toBe('<Thing object>');
    expect(opening(['self.a = []', 'c = self.a', 'c.append(1)', last])).toBe('<Thing object>');
    expect(opening(['if a:', '    self.a = a', last])).toBeUndefined();
    expect(opening(['b.c = self', last])).toBeUndefined();
  });
});
