import { describe, expect, test } from 'vitest';
import { callablesOf } from '../../../src/debugger/language/callables.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';

const source = `class Box:
    def __init__(self, item):
        self.item = item

def twice(x):
    return x * 2

def apply(f, xs):
    found = []
    for x in xs:
        found.append(f(x))
    return found

def numbers(n):
    total = 0
    for k in range(n):
        total += twice(k)
    return total
`;

const text = ({ text: { source: _, lines: __, textDigest: ___, ...rest } }: Program) => rest;

/** The program of a source that nothing has been read of yet, which is the same but for a comment. */
let comments = 0;
function readAlone(call: string): Program {
  comments += 1;
  return parseProgram(`${source}# ${comments}\n`, call);
}

describe('the text of a program', () => {
  test('is read once for calls that reach the same of it', () => {
    const [first, second] = [parseProgram(source, 'numbers(3)'), parseProgram(source, 'twice([1, 2])')];
    expect(second.text).toBe(first.text);
    expect(callablesOf(second)).toBe(callablesOf(first));
    expect(second.digest).not.toBe(first.digest);
    expect(second.tokens).not.toEqual(first.tokens);
  });

  test.each([
    'numbers(3)',
    'apply(twice, [1])',
    'apply(Box, [1])',
    'apply(lambda x: x, [1])',
    "apply('twice'.upper, [1])",
    "getattr(Box(1), 'item')()",
    'apply(other, further)',
    'numbers(...)',
  ])('is what it is alone, whatever was read before: %s', (call) => {
    parseProgram(source, 'numbers(1)');
    expect(text(parseProgram(source, call))).toEqual(text(readAlone(call)));
  });

  test('differs where a call hands on a function', () => {
    const plain = parseProgram(source, 'numbers(3)');
    const handed = parseProgram(source, 'apply(twice, [1])');
    const ofTwice = (program: Program) => program.scopes.find(({ name }) => name === 'twice')?.isNamed;
    expect(ofTwice(plain)).toBe(true);
    expect(ofTwice(handed)).toBe(false);
  });

  test('has the names that a call alone uses, which have no slots in texts of other calls', () => {
    const plain = parseProgram(source, 'numbers(3)');
    const named = parseProgram(source, 'apply(other, further)');
    const again = parseProgram(source, 'twice(other, further)');
    expect(named.slotNames).toEqual([...plain.slotNames, 'other', 'further']);
    expect(parseProgram(source, 'numbers(4)').slotNames).toEqual(plain.slotNames);
    expect(again.text).toBe(named.text);
  });
});

describe('what is wrong with a program', () => {
  const names = Array.from({ length: 3000 }, (_, index) => `n${index}`);
  const tooMany = `def f():\n${names.map((name) => `    ${name} = 0\n`).join('')}`;

  test.each([
    ['def f(:\n', 'f(', 'invalid_python'],
    [source, 'numbers(', 'invalid_entry'],
    [`def f():\n    return [${names.slice(0, 600).join(', ')}]\n`, 'f(', 'invalid_entry'],
    [`def f():\n    return [${names.slice(0, 600).join(', ')}]\n`, 'f()', 'too_many_names'],
    [tooMany, 'f()', 'program_too_long'],
  ])('is said in the order of the language, each time: %#', (text, call, code) => {
    for (const _ of [1, 2]) expect(() => parseProgram(text, call)).toThrow(expect.objectContaining({ code }));
  });
});

describe('grammars of a text', () => {
  const forward = (program: Program) => compileGrammar(program).forEvaluation();

  test('are the same for calls that reach the same', () => {
    const [first, second] = [parseProgram(source, 'numbers(3)'), parseProgram(source, 'numbers(5)')];
    expect(forward(second).key).toBe(forward(first).key);
    expect(forward(second).data).toBe(forward(first).data);
  });

  test.each([
    'apply(twice, [1])',
    'numbers(...)',
    'apply(other, [1])',
    'max(numbers(1), 2)',
  ])('differ from those of %s', (call) => {
    expect(forward(parseProgram(source, call)).key).not.toBe(forward(parseProgram(source, 'numbers(3)')).key);
    expect(forward(parseProgram(source, call)).data).toEqual(forward(readAlone(call)).data);
  });
});
