/** What calls of data classes make, as far as their text tells it. */
import { describe, expect, it } from 'vitest';
import { dataClassesOf, madeOf } from '../../../src/debugger/language/data-classes.js';
import { parseProgram } from '../../../src/debugger/program.js';

const fieldsOf = (lines: readonly string[]) => {
  const program = parseProgram(
    ['from dataclasses import dataclass', ...lines, 'def f(x):', '    return x', ''].join('\n'),
    'f(1)',
  );
  return dataClassesOf(program).get('Node');
};
const node = ['@dataclass', 'class Node:', '    data: int', '    next_node: "Node | None" = None'];

describe('a data class', () => {
  it('has its fields, with defaults that are written canonically', () => {
    expect(fieldsOf(node)).toEqual([
      { name: 'data', otherwise: null },
      { name: 'next_node', otherwise: 'None' },
    ]);
    const more = [
      '',
      '    # more',
      '    size: float = 1e3',
      "    tag: str = 'a'  # a tag",
      '',
      '    def size2(self):',
      '        return 2',
    ];
    expect(fieldsOf([...node, ...more])?.slice(2)).toEqual([
      { name: 'size', otherwise: null },
      { name: 'tag', otherwise: "'a'" },
    ]);
    const others = [
      '    a: float = 0.5',
      '    b: float = 0.50',
      '    c: str = "x"',
      '    d: tuple = ()',
      '    e: int = 0b1',
    ];
    const texts = fieldsOf([...node, ...others])
      ?.slice(2)
      .map(({ otherwise }) => otherwise);
    expect(texts).toEqual(['0.5', null, "'x'", '()', null]);
  });

  it('may have fields that types of builtins make, and be frozen or ordered', () => {
    const [, ...lines] = node;
    const more = ['    more: list = field(default_factory=list)', '    size: int = field(default=3)'];
    expect(fieldsOf(['@dataclass(frozen=True, order=True)', ...lines, ...more])?.slice(2)).toEqual([
      { name: 'more', otherwise: '[]' },
      { name: 'size', otherwise: '3' },
    ]);
  });

  it.each([
    ['from collections import namedtuple', 'Node = namedtuple("Node", "data next_node")'],
    ['import collections', "Node = collections.namedtuple('Node', ['data', 'next_node'])"],
    ['from collections import namedtuple', 'Node = namedtuple("Node", ("data", "next_node"))  # a node'],
  ])('may be made by a call: %s, %s', (...lines) => {
    expect(fieldsOf(lines)).toEqual([
      { name: 'data', otherwise: null },
      { name: 'next_node', otherwise: null },
    ]);
  });

  it.each([
    ['from collections import namedtuple', 'Node = namedtuple("Other", "data")'],
    ['from collections import namedtuple', 'Node = namedtuple("Node", "data", defaults=[1])'],
    ['from collections import namedtuple', 'Node = namedtuple("Node", "data _x", rename=True)'],
    ['from mine import namedtuple', 'Node = namedtuple("Node", "data")'],
    ['from collections import namedtuple', 'Node = namedtuple("Node", "data")', 'Node = 3'],
  ])('is not what %s and %s make', (...lines) => {
    expect(fieldsOf(lines)).toBeUndefined();
  });

  it('may have a docstring', () => {
    const [decorator = '', head = '', ...fields] = node;
    expect(
      fieldsOf([decorator, head, '    """A node.', '', '    data: not this', '    """', ...fields]),
    ).toEqual(fieldsOf(node));
  });

  it.each([
    ['with arguments for its decorator', ['@dataclass(repr=False)', ...node.slice(1)]],
    ['with a base', ['class Base:', '    pass', '@dataclass', 'class Node(Base):', '    data: int']],
    ['with a field that a function makes', [...node, '    more: list = field(default_factory=f)']],
    ['with a field that is not written', [...node, '    more: int = field(default=0, repr=False)']],
    ['with a repr of its own', [...node, '    def __repr__(self):', "        return 'Node'"]],
    [
      'that does something once it is made',
      [...node, '    def __post_init__(self):', '        self.data += 1'],
    ],
    ['with another statement in its body', [...node, '    total = 0']],
    [
      'with a field behind a method',
      [...node, '    def size(self):', '        return 2', '    more: int = 0'],
    ],
    ['whose name is bound twice', [...node, 'Node = print']],
  ])('%s is none of these', (_, lines) => {
    expect(fieldsOf(lines)).toBeUndefined();
  });

  it('is written with what it is given', () => {
    const fields = fieldsOf(node) ?? [];
    expect(madeOf('Node', fields, ['1'], new Map())).toBe('Node(data=1, next_node=None)');
    expect(
      madeOf(
        'Node',
        fields,
        [],
        new Map([
          ['next_node', 'None'],
          ['data', '2'],
        ]),
      ),
    ).toBe('Node(data=2, next_node=None)');
    expect(madeOf('Node', fields, [], new Map())).toBeUndefined();
    expect(madeOf('Node', fields, ['1', '2', '3'], new Map())).toBeUndefined();
    expect(madeOf('Node', fields, ['1'], new Map([['data', '2']]))).toBeUndefined();
  });
});
