/** Objects that write themselves by an f-string are read by it, and written as Python writes them. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import { readWritten, templatesOf, written } from '../../../src/debugger/language/repr-templates.js';
import { OpenedObjects } from '../../../src/debugger/opened-objects.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const shape = (text: string, init = ['self.a = 0', "self.b = ''", 'self.c = []']): string =>
  `class Shape:\n    def __init__(self):\n${init.map((line) => `        ${line}\n`).join('')}    def __repr__(self):\n        return ${text}\ndef f(x):\n    return x\n`;

const texts = [
  'f"Shape({self.a!r}, {self.b!r}, {self.c!r})"',
  'f"<{self.b}: {self.a}>"',
  'f"Shape[a={self.a}, c={self.c}]"',
  'f"{type(self).__name__}({self.b!r})"',
  '"Shape(" f"{self.a}" "; " f"{self.b!r})"',
  'f"<Shape {self.b} of {len(self.c)} {self.a}>"',
];

/** In Python: what objects write that have these attributes. */
const python = `
import json, sys
found = []
for text in json.loads(sys.stdin.read()):
    class Shape:
        def __repr__(self):
            return eval(text)
    for a in [0, -3, 2.5]:
        for b in ["", "ab", "it's", "a: b", "x)", 'q"', "1"]:
            for c in [[], [1, "x, y"], [{"k": (1,)}]]:
                shape = Shape()
                shape.a, shape.b, shape.c = a, b, c
                found.append([text, repr(shape), repr(a), repr(b), repr(c)])
print(json.dumps(found))
`;

describe('an object that writes itself', () => {
  it('is read as what it holds, or not at all, and written again as it was', () => {
    const { stdout } = spawnSync(interpreter(), ['-c', python], {
      encoding: 'utf8',
      input: JSON.stringify(texts),
    });
    let read = 0;
    for (const [text, repr, ...values] of JSON.parse(stdout) as [string, string, string, string, string][]) {
      const template = templatesOf(parseProgram(shape(text), 'f(1)')).get('Shape');
      const found = template && readWritten(template, repr);
      if (!template || !found) continue;
      read += 1;
      for (const [name, value] of found.attributes)
        expect([text, repr, name, value]).toEqual([text, repr, name, values['abc'.indexOf(name)]]);
      expect(written(template, found)).toBe(repr);
    }
    expect(read).toBeGreaterThan(270);
  });

  it.each([
    ['writes something else besides', 'str(self.a) + "x"'],
    ['asks its own methods', 'f"Shape({self.area()})"'],
    ['writes what may be a literal', 'f"{self.a}"'],
    ['writes text that needs escapes', 'f"Shape(\\n{self.a})"'],
  ])('is not read where its method %s', (_, text) => {
    const source = shape(text).replace(
      '    def __repr__',
      '    def area(self):\n        return 1\n    def __repr__',
    );
    expect(templatesOf(parseProgram(source, 'f(1)')).size).toBe(0);
  });

  it('has no kind told of an attribute that may be a text or a number', () => {
    const program = parseProgram(shape('f"Shape({self.a})"', ['self.a = x']), 'f(1)');
    const template = templatesOf(program).get('Shape');
    expect(template && readWritten(template, 'Shape(12)')?.attributes.size).toBe(0);
  });

  it('is written with its attributes, wherever it stands, and back', () => {
    const program = parseProgram(shape('f"Shape({self.a}, {self.b!r})"'), 'f(1)');
    const locals = { x: "[Shape(1, 'p'), {'k': Shape(2, 'q, r')}]" };
    const { objects, state } = OpenedObjects.in(program, stateOf('line', [frameAt(8, locals)])) ?? {};
    const opened = "[<Shape object {a: 1, b: 'p'}>, {'k': <Shape object {a: 2, b: 'q, r'}>}]";
    expect(state?.frames[0]?.locals.get('x')).toBe(opened);
    expect(objects?.close(opened)).toBe(locals.x);
    expect(objects?.close("<Shape object {a: 3, b: 'z', hidden: 4}>")).toBe("Shape(3, 'z')");
    const method = '<bound method Shape.area of ';
    expect(objects?.open(`[${method}Shape(1, 'p')>]`)).toBe(`[${method}<Shape object {a: 1, b: 'p'}>>]`);
    expect(objects?.close(`${method}<Shape object {a: 1, b: 'p'}>>`)).toBe(`${method}Shape(1, 'p')>`);
    expect(objects?.close('<Shape object {a: 3}>')).toBe('<unrepresentable Shape>');
  });
});
