/** Calls that only copy, cut, join or compare what is told, beside CPython. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import { servedAs } from '../../../src/debugger/language/read-as.js';
import { resultsOf } from '../../../src/debugger/language/results.js';
import { boundedRepr } from '../../../src/debugger/literals.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import { runningFrame } from '../../../src/debugger/running.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A call, the repr of `a` and what it comes to; null where it raises. */
type Case = [text: string, a: string, value: string | null];

/** In Python: every call of every value. */
const python = `
import json
from collections import deque

texts = ["", " ", "a", "ab\\ncd\\n", "one, two,,three", "  both \\t", "x=1\\ny=2\\r\\nz", "It's", 'say "hi"', "back\\\\slash",
         "MiXed Case 42", "007", "under_score-dash", "a" * 120, "\\n\\n", "end\\n"]
others = [[1, 2], ["a", "b'c"], {"k": [1]}, {1: 2, 3: 4}, (1, 2), {1, 2}, [[1, 2], [3, 4]], [],
          deque([3, 1, 2], maxlen=3), deque([], maxlen=2), ["x", "y", "x"], [1, 1, 2.0], [True, 1], [None, "x"]]
calls = ["a.split()", "a.split(',')", "a.split(',', 1)", "a.split('\\\\n')", "a.splitlines()", "a.strip()", "a.lstrip()", "a.rstrip('\\\\n')",
         "a.replace('\\\\n', ' ')", "a.replace('a', '')", "a.startswith('x=')", "a.endswith('\\\\n')", "a.count('a')", "a.count('\\\\n')",
         "a.find('a')", "a.find('\\\\n', 3)", "a.find('', 200)", "a.index('a', 1)", "a.removeprefix('x')", "a.removesuffix('\\\\n')", "a.upper()", "a.lower()",
         "a.swapcase()", "a.capitalize()", "a.title()", "a.isdigit()", "a.isalpha()", "a.isalnum()", "a.isspace()", "a.isupper()",
         "a.islower()", "a.ljust(9)", "a.rjust(9, '.')", "a.center(9)", "a.center(10, '*')", "a.center(7)", "'\\\\n'.join(a)", "', '.join(a.split(','))",
         "a.copy()", "dict(a)", "list(zip(*a))", "sum(a)", "len(a)", "sorted(a)", "list(a)", "max(map(len, a))", "a.count('x')", "a.count(1)",
         "a.strip().split('\\\\n')", "a.split('=', 1)[0]", "a.partition('=')", "max(a)", "tuple(a)", "list(reversed(a))"]

def case(call, a):
    try:
        value = repr(eval(call, {}, {"a": a}))
    except Exception:
        value = None
    return [call, repr(a), value]

print(json.dumps([case(call, a) for call in calls for a in texts + others]))
`;

/** What `return <text>` gives of this local, if it is told. */
function told(text: string, locals: Readonly<Record<string, string>>, before = ''): string | undefined {
  const program = parseProgram(`${before}def f(a):\n    return ${text}\n`, 'f(1)');
  const line = 2 + (before.match(/\n/g)?.length ?? 0);
  const running = runningFrame(program, stateOf('line', [frameAt(line, locals)]));
  const code = running && servedAs(program, running.frame, lineTokens(program, line));
  const parts = code && lineParts(code);
  if (!parts) throw new Error(`${text} is not read`);
  return resultsOf(program, running, code, parts, false).returned;
}

it('come to what they come to in Python, or are not told', () => {
  const { stdout } = spawnSync(interpreter(), ['-c', python], { encoding: 'utf8' });
  const cases = JSON.parse(stdout) as Case[];
  const found = cases.map(([text, a]) => told(text, { a }));
  for (const [at, [text, a, value]] of cases.entries())
    if (found[at] !== undefined) expect([text, a, found[at]]).toEqual([text, a, value && boundedRepr(value)]);
  expect(found.filter((value) => value !== undefined).length).toBeGreaterThan(560);
});

describe('are not told', () => {
  it.each([
    ['of texts with letters beyond ASCII', 'a.upper()', { a: "'straße'" }],
    ['of what has a width that is no integer', "a.ljust('x')", { a: "'b'" }],
    ['of items that may be equal and are written otherwise', 'a.count(1)', { a: '[1.0, True]' }],
    ['of what may be written otherwise than it is', 'a.copy()', { a: '<Thing object>' }],
    ['of a deque that may be asked for more', 'repr(a)', { a: 'deque([1], maxlen=2)' }],
  ])('%s', (_, text, locals) => {
    expect(told(text, locals)).toBeUndefined();
  });

  it('where the program derives its own from these', () => {
    expect(told('a.upper()', { a: "'b'" })).toBe("'B'");
    expect(told('a.upper()', { a: "'b'" }, 'class T(str):\n    pass\n')).toBeUndefined();
  });

  it('of copies under a name that is not the one of the module', () => {
    expect(told('deepcopy(a)', { a: '[[1]]' }, 'from copy import deepcopy\n')).toBe('[[1]]');
    expect(told('copy.copy(a)', { a: '[1]' }, 'import copy\n')).toBe('[1]');
    expect(told('deepcopy(a)', { a: '[[1]]' }, 'from mine import deepcopy\n')).toBeUndefined();
    expect(told('copy.copy(a)', { a: '[1]' }, 'import mine as copy\n')).toBeUndefined();
  });
});

describe('constants of classes', () => {
  const box = (body: string, line: string): string =>
    `class Box:\n    ${body}\n    def size(self):\n        ${line}\n`;

  it.each([
    ['LIMIT = 3', 'return 1', 'Box.LIMIT', '3'],
    ["NAMES = {('a', 1): 'b'}", 'return 1', "Box.NAMES[('a', 1)]", "'b'"],
    ["NAMES = {'a': 1}", 'return 1', "Box.NAMES.get('z', 0)", '0'],
    ["KINDS = ['x', 'y']", 'return 1', "'x' in Box.KINDS", 'True'],
    ['LIMIT = 3', 'self.LIMIT = 4', 'Box.LIMIT', undefined],
    ['LIMIT = 3', 'self.LIMIT += 1', 'Box.LIMIT', undefined],
    ["KINDS = ['x']", "self.KINDS.append('y')", "'y' in Box.KINDS", undefined],
    ["KINDS = ['x']", 'return self.KINDS', "'x' in Box.KINDS", undefined],
    ["NAMES = {'a': 1}", "self.NAMES['b'] = 2", "Box.NAMES['a']", undefined],
    ['LIMIT = 3', "setattr(self, 'LIMIT', 4)", 'Box.LIMIT', undefined],
  ])('%s with %s: %s is %s', (body, line, text, expected) => {
    expect(told(text, { a: '1' }, box(body, line))).toBe(expected);
  });
});
