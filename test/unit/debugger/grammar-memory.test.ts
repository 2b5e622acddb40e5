import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { BreakpointGrammar } from '../../../src/debugger/language/breakpoint-grammar.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { StepGrammar } from '../../../src/debugger/language/step-grammar.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const options = { valueTokens: 176, enteredFrames: 8 };
const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('');

const functions = (seed: number): string =>
  `t = ${seed}\n${many(50, (index) => `def g${index}(h):\n    h()\n    return h()\n`)}def f(a):\n    return g0(f)\n`;

/** Programs of many lines, each of another shape. */
const shapes: Record<string, (seed: number) => string> = {
  conditions: (seed) =>
    `def f(a):\n    t = ${seed}\n${many(78, () => '    if a:\n        t = 1\n')}    return t\n`,
  loops: (seed) =>
    `def f(a):\n    t = ${seed}\n${many(70, () => '    for i in a:\n        t += i\n')}    return t\n`,
  functions,
};

const stopped: DebuggerState = {
  event: 'line',
  frames: [{ line: 2, locals: new Map(), its: [], gots: [] }],
  hiddenFrames: 0,
};
const breakpoint = (...lines: number[]) => ({ kind: 'breakpoint', lines }) as const;

function held(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the memory of a grammar', () => {
  for (const [name, source] of Object.entries(shapes)) {
    it(`is about what it says: ${name}`, () => {
      const kept: (StepGrammar | BreakpointGrammar | Program)[] = [];
      const before = held();
      let said = 0;
      for (let seed = 0; seed < 8; seed += 1) {
        const program = parseProgram(source(seed), 'f([1])');
        const grammars = [
          new StepGrammar(program, options, 'forward'),
          new StepGrammar(program, options, 'reverse'),
          new BreakpointGrammar(program, options, breakpoint(3, 5)),
        ];
        kept.push(program, ...grammars);
        said += program.bytes;
        for (const grammar of grammars) said += grammar.bytes - program.bytes;
      }
      const real = held() - before;
      expect(kept).toHaveLength(32);
      expect(real).toBeGreaterThan(said / 2);
      expect(real).toBeLessThan(said * 1.5);
    });
  }

  it('is bounded: what was not used for long is compiled again, and is the same', () => {
    const program = parseProgram(functions(1), 'f([1])');
    const grammar = compileGrammar(program);
    const ask = (line: number, other: number) => grammar.forQuestion(stopped, breakpoint(line, other)).data;
    const first = ask(3, 4);
    expect(ask(3, 4)).toBe(first);
    for (let line = 5; line < 25; line += 1)
      for (let other = line + 1; other < line + 21; other += 1) ask(line, other);
    const again = ask(3, 4);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
