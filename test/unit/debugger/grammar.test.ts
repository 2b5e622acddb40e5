import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { eventToken, lineToken, special, tokenText } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { goldenTransitions, stateOf } from './golden.js';

describe('golden deltas', () => {
  for (const [index, golden] of goldenTransitions().entries()) {
    it(`program ${index}: every delta is accepted and decodes to the next state`, () => {
      const program = parseProgram(golden.source, golden.call);
      const grammar = compileGrammar(program);
      for (const item of golden.cases) {
        const before = stateOf(item.stack);
        const action: Action = { kind: item.action, lines: item.lines ?? [] };
        const { data, start } = grammar.forQuestion(item.stack.length === 0 ? null : before, action);
        const walker = new GrammarWalker(data, start.state, start.frames, item.delta.length + 200);
        const decoder = new DeltaDecoder(program, before);
        for (const [position, token] of item.delta.entries()) {
          const context = () =>
            `${item.action} ${item.lines} from ${JSON.stringify(item.stack.at(-1))}: ${item.delta
              .slice(0, position + 1)
              .map(tokenText)
              .join(' ')}`;
          if (!walker.accept(token)) expect.fail(`refused: ${context()}`);
          decoder.push(token, 0);
        }
        expect(walker.accepted).toBe(true);
        const decoded = decoder.finish();
        if (isDecodeProblem(decoded)) expect.fail(decoded.message);
        expect(decoded.state).toEqual(stateOf(item.next));
      }
    });
  }
});

it('a line event has no values of calls, a return event may have some', () => {
  const program = parseProgram(
    'def g(x):\n    return x\n\ndef f(x):\n    y = g(x)\n    return g(y)\n',
    'f(1)',
  );
  const follows = (from: number, event: 'line' | 'return', line: number): boolean => {
    const frame = { line: from, locals: new Map([['x', '1']]), its: [], gots: [] };
    const before = { event: 'line' as const, frames: [frame], hiddenFrames: 0 };
    const action: Action = { kind: 'step_over', lines: [] };
    const { data, start } = compileGrammar(program).forQuestion(before, action);
    const walker = new GrammarWalker(data, start.state, start.frames, 200);
    const code = program.codeLines.indexOf(line) + 1;
    const isThere = [eventToken(event), lineToken(code)].every((token) => walker.accept(token));
    if (!isThere) expect.fail(`no ${event} event on line ${line}`);
    return walker.accept(special.got);
  };
  expect(follows(5, 'line', 6)).toBe(false);
  expect(follows(6, 'return', 6)).toBe(true);
});

it('a known outcome is said, and nothing else follows than what it leads to', () => {
  const program = parseProgram('def f(xs):\n    for x in xs:\n        y = x\n    return xs\n', 'f([1])');
  const before = {
    event: 'line' as const,
    frames: [{ line: 2, locals: new Map([['xs', '[1]']]), its: [0], gots: [] }],
    hiddenFrames: 0,
  };
  for (const kind of ['step_into', 'step_over'] as const)
    for (const [ended, said, line, other] of [
      ['holds', special.holds, 3, 4],
      ['fails', special.fails, 4, 3],
    ] as const) {
      const { data, start } = compileGrammar(program).forQuestion(before, { kind, lines: [] }, { ended });
      const walk = () => new GrammarWalker(data, start.state, start.frames, 200);
      const after = (on: number): boolean[] => {
        const walker = walk();
        return [said, eventToken('line'), lineToken(on)].map((token) => walker.accept(token));
      };
      expect(after(line)).toEqual([true, true, true]);
      expect(after(other)).toEqual([true, true, false]);
      const instead = said === special.holds ? special.fails : special.holds;
      expect(walk().accept(instead)).toBe(false);
      expect(walk().accept(eventToken('line'))).toBe(false);
    }
});

it('a condition on several lines before a string on several lines leads to none of the lines that never come', () => {
  const source = [
    'def f(x):',
    '    if (x < 0',
    '            or x > 5):',
    '        text = (f"a {x}"',
    '                f"b"',
    '                )',
    '    return x',
  ].join('\n');
  const program = parseProgram(`${source}\n`, 'f(1)');
  const state = stateOf([{ event: 'line', line: 3, its: [], gots: [], locals: { x: '9' } }]);
  const action: Action = { kind: 'step_into', lines: [] };
  const grammar = compileGrammar(program);
  const into = (line: number, next: number): boolean => {
    const { data, start } = grammar.forQuestion(state, action, { next });
    const walker = new GrammarWalker(data, start.state, start.frames, 200);
    const ordinal = program.codeLines.indexOf(line) + 1;
    return walker.accept(eventToken('line')) && walker.accept(lineToken(ordinal));
  };
  expect([into(4, 4), into(7, 4), into(7, 7), into(5, 5)]).toEqual([true, false, true, false]);
});
