/** Classes with `__slots__`: their attributes stand in the order of the alphabet. */
import { expect, it } from 'vitest';
import { hasPlainAttributes, withAttribute } from '../../../src/debugger/language/attributes.js';
import { slotsOf } from '../../../src/debugger/language/slots.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';

const program = (slots: string, head = 'class Node:', more: readonly string[] = []) =>
  parseProgram(
    [head, `    ${slots}`, '    def put(self, next, value):', '        self.next = next', ...more, ''].join(
      '\n',
    ),
    'Node().put(1, 2)',
  );

it.each<[string, string[] | undefined]>([
  ["__slots__ = ('value', 'next')", ['next', 'value']],
  ['__slots__ = ["value"]', ['value']],
  ["__slots__ = 'value'", ['value']],
  ["__slots__ = ('__value', 'next')", undefined],
  ['__slots__ = names()', undefined],
])('%s', (slots, names) => {
  const found = slotsOf(program(slots));
  expect(found?.get('Node')).toEqual(names);
  expect(hasPlainAttributes(program(slots))).toBe(names !== undefined);
});

it('are not told of classes with bases', () => {
  expect(slotsOf(program("__slots__ = ('value',)", 'class Node(Base):'))).toBeUndefined();
  expect(
    slotsOf(program("__slots__ = ('value',)", 'class Node:', ['class Leaf(Node):', '    pass'])),
  ).toBeUndefined();
});

it('say where a new attribute stands', () => {
  const of = program("__slots__ = ('value', 'next', 'last')");
  const put = (object: string, name: string) => {
    const found = withAttribute(of, encodeValue(of, object), of.slots.get(name) ?? -1, encodeValue(of, '5'));
    return found && decodeValue(of, found);
  };
  expect(put("<Node object {value: 'a'}>", 'next')).toBe("<Node object {next: 5, value: 'a'}>");
  expect(put('<Node object {last: 1}>', 'next')).toBe('<Node object {last: 1, next: 5}>');
  expect(put('<Node object>', 'value')).toBe('<Node object {value: 5}>');
  expect(put('<Other object {value: 1}>', 'next')).toBe('<Other object {value: 1, next: 5}>');
});
