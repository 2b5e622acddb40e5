/** F-strings come to what they come to in Python, wherever that is told. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import { resultsOf } from '../../../src/debugger/language/results.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import { runningFrame } from '../../../src/debugger/running.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A text of an f-string, the reprs of `a` and `b`, and the repr of what it comes to; null where it raises. */
type Case = [text: string, a: string, b: string, value: string | null];

/** In Python: every field in every one of a few surroundings, of values of every kind. */
const python = `
import json, random

values = [0, -3, 12345, 1234567.891, 2.5, -0.0, 0.125, 1e-07, True, None, "", "ab", "it's", 'x"y', "both'\\"", "tab\\t",
          "é", "back\\\\slash", [1, 2], ["a", "b'c"], {"k": 1}, (1,), ("a\\n",), {1}, ValueError("no"), KeyError("k"),
          ValueError("it's", 2), ValueError()]
fields = ["a", "b!r", "a!s", "a!s:>6", "b!r:7.4", "a:>6", "b:<6", "a:^9", "b:*^7", "a:.2f", "b:,", "a:,.1f", "b:05d",
          "a:+d", "b:5", "a:.3", "b:08.3f", "a=", "b=!s", "(a, b)", "[a]", "a if True else b", "type(a).__name__",
          "str(b)", "len(b)", "a:{7}", "b[0]", "f'<{a}>'", "a + b"]
around = ["{}", "it's {} {{{{{}}}}}", "\\\\n{}\\\\\\\\", "{}: \\\\'{}", "é {}%"]
chance = random.Random(1)

def spelled():
    text = chance.choice(around)
    return 'f"' + text.format(*("{" + chance.choice(fields) + "}" for _ in range(2))) + '"'

def case():
    text, (a, b) = spelled(), chance.choices(values, k=2)
    if chance.random() < 0.2:
        text += " 'and more'"
    try:
        value = repr(eval(text, {}, {"a": a, "b": b}))
    except Exception:
        value = None
    return [text, repr(a), repr(b), value]

print(json.dumps([case() for _ in range(4000)]))
`;

/** What `return <text>` gives of these locals, if it is told. */
function told(text: string, locals: Readonly<Record<string, string>>, behind = ''): string | undefined {
  const program = parseProgram(`def f(a, b):\n    return ${text}\n${behind}`, 'f(1, 2)');
  const running = runningFrame(program, stateOf('line', [frameAt(2, locals)]));
  const code = running && lineTokens(program, 2);
  const line = code && lineParts(code);
  if (!line) throw new Error(`${text} is not read`);
  return resultsOf(program, running, code, line, false).returned;
}

it('whatever stands in their fields', () => {
  const { stdout } = spawnSync(interpreter(), ['-c', python], { encoding: 'utf8' });
  const cases = JSON.parse(stdout) as Case[];
  const found = cases.map(([text, a, b]) => told(text, { a, b }));
  for (const [at, value] of found.entries())
    if (value !== undefined) expect([...(cases[at] ?? []).slice(0, 3), value]).toEqual(cases[at]);
  expect(found.filter((value) => value !== undefined).length).toBeGreaterThan(1500);
});

describe('is not told', () => {
  it.each([
    ['of a number that is rounded up', 'f"{a:.1f}"', { a: '0.25' }],
    ['of more digits than a float has as written', 'f"{a:.20f}"', { a: '0.1' }],
    ['of a value that is cut', 'f"{a}"', { a: '[1, 2, …' }],
    ['of an object', 'f"{a}"', { a: '<Thing object>' }],
    ['of a name that is not bound', 'f"{b}"', { a: '1' }],
    ['of the type of a complex number', 'f"{type(a).__name__}"', { a: '(1+2j)' }],
    ['of what calls a function', 'f"{g(a)}"', { a: '1' }],
  ])('%s', (_, text, locals) => {
    expect(told(text, locals)).toBeUndefined();
  });

  it('where what looks like a literal may be formatted by the program', () => {
    expect(told('f"{a}"', { a: '1' })).toBe("'1'");
    const behind = 'class Money(int):\n    def __format__(self, spec):\n        return "$"\n';
    expect(told('f"{a}"', { a: '1' }, behind)).toBeUndefined();
  });

  it('of a list that something on the line may have changed before', () => {
    expect(told('[a[0], f"{a}"]', { a: '[1]' })).toBe("[1, '[1]']");
    expect(told('[g(a), f"{a}"]', { a: '[1]' })).toBeUndefined();
    expect(told('[f"{g(a)}", f"{a}"]', { a: '[1]' })).toBeUndefined();
  });
});
