/** Constants of the modules `string` and `math` are read as what they are, where their names stand for nothing else. */
import { describe, expect, it } from 'vitest';
import { readAs } from '../../../src/debugger/language/read-as.js';
import { tokenText } from '../../../src/debugger/language/tokens.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import { scriptedStep, stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** Line 3 of a program, as it is read. */
function read(first: string, line: string, before = ''): string {
  const program = parseProgram(`${first}\ndef f(s):\n    ${line}\n    return s\n${before}`, "f('a')");
  const code = readAs(program, frameAt(3, { s: "'a'" }), lineTokens(program, 3));
  return code.map(tokenText).join('');
}

const small = `'abcdefghijklmnopqrstuvwxyz'`;
const imported = 'from string import digits, ascii_lowercase';

describe('a constant of a module', () => {
  it('of string is read as its text', () => {
    expect(read('import string', 's = string.ascii_lowercase[0]')).toContain(`=${small}[0]`);
    expect(read(imported, 's = ascii_lowercase + digits')).toContain(`=${small}+'0123456789'`);
  });

  it('of math is read as its number', () => {
    expect(read('import math', 's = math.pi * 2')).toContain('=3.141592653589793*2');
    expect(read('from math import pi', 's = pi')).toContain('=3.141592653589793');
    expect(read('import math', 's = math.inf')).toMatch(/=<\|w:inf\|>$/);
    expect(read('import math\npi = 3', 's = pi')).not.toContain('3.14');
    expect(read('import math', 's = math.pi', 'math.pi = 3')).not.toContain('3.14');
  });

  it.each([
    ['from math import e as pi', 's = pi', ''],
    ['import math', 's = math.pi', 'math.pi += 1'],
    ['import math', 's = math.pi', 'math.pi: float = 3'],
    ['import math', 's = math.pi', 'for math.pi in [3]: pass'],
    ['import math', 's = math.pi', 'm = math; m.pi = 3'],
    ['import math', 's = math.pi', 'a, math.pi = 1, 2'],
    ['import math', 's = math.pi', "math.__dict__.update(pi='7')"],
    ['import math', 's = math.pi', 'change(math)'],
  ])('is not where it may be another: %s, %s, %s', (first, line, before) => {
    expect(read(first, line, before)).not.toContain('3.14');
  });

  it.each([
    ['the module is not imported', 'import math', 's = string.digits'],
    ['the module is another one', 'import other as string', 's = string.digits'],
    ['it is imported from elsewhere, too', 'from other import digits', 's = digits', imported],
    ['the program binds it', imported, 'digits = s'],
    ['the program changes it', 'import string', 's = string.digits', 'string.digits = 1\n'],
    ['it is an attribute of something else', imported, 's = s.digits'],
    ['it is a keyword', imported, 's = dict(digits=s)'],
    ['it stands in an f-string', imported, "s = f'{digits}'"],
  ])('is not where %s', (_, first, line, before = '') => {
    expect(read(first, line, before)).not.toContain('0123456789');
  });

  it('tells what a condition comes to', async () => {
    const source =
      'import string\ndef f(s):\n    if s in string.ascii_uppercase:\n        return 1\n    return 0\n';
    const program = parseProgram(source, "f('a')");
    const state = stateOf('line', [frameAt(3, { s: "'a'" })]);
    const { asked, delta } = await scriptedStep(program, state, 'step_into', [], true);
    expect([asked, delta.state.frames[0]?.line]).toEqual([0, 5]);
  });
});
