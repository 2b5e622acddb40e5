import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/debugger/language/conditions.js';
import { encodeDelta, encodeKeyframe, encodePrompt } from '../../../src/debugger/language/encode.js';
import { normaliseSource } from '../../../src/debugger/language/lexer.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { readSource } from '../../../src/debugger/program-text.js';
import { goldenPrograms, goldenTransitions, goldenValues, stateOf } from './golden.js';

describe('golden programs', () => {
  for (const [index, golden] of goldenPrograms().entries()) {
    it(`program ${index}: ${JSON.stringify(golden.call)}`, () => {
      if (golden.error !== undefined) {
        const code = golden.error;
        const read = () => {
          // All of the source, not what the call reaches.
          void readSource(normaliseSource(golden.source), golden.call).text;
          return parseProgram(golden.source, golden.call);
        };
        expect(read).toThrow(expect.objectContaining({ code }) as Error);
        return;
      }
      const program = parseProgram(golden.source, golden.call);
      expect([...program.tokens]).toEqual(golden.tokens);
      expect(program.codeLines).toEqual(golden.codeLines);
      expect(Object.fromEntries(program.slots)).toEqual(golden.slots);
      const scopes = program.scopes.map(
        ({ firstLine, lastLine, isGenerator, names, lines, callLines, loops }) => ({
          firstLine,
          lastLine,
          isGenerator,
          names,
          lines,
          callLines,
          loops: Object.fromEntries(loops),
        }),
      );
      expect(scopes).toEqual(golden.scopes);
    });
  }
});

describe('golden values', () => {
  for (const [index, golden] of goldenValues().entries()) {
    it(`program ${index}`, () => {
      const program = parseProgram(golden.source, golden.call);
      for (const { text, tokens } of golden.cases) {
        expect(encodeValue(program, text), text).toEqual(tokens);
        expect(decodeValue(program, tokens)).toBe(text);
      }
    });
  }
});

describe('golden transitions', () => {
  for (const [index, golden] of goldenTransitions().entries()) {
    it(`program ${index}`, () => {
      const program = parseProgram(golden.source, golden.call);
      for (const item of golden.cases) {
        const before = stateOf(item.stack);
        const action = { kind: item.action, lines: item.lines ?? [] };
        expect(encodeKeyframe(program, before)).toEqual(item.keyframe);
        expect([...encodePrompt(program, before, action)]).toEqual([
          ...program.tokens,
          ...item.keyframe,
          ...item.question,
        ]);
        const after = stateOf(item.next);
        expect(encodeDelta(program, before, after, item.common, item.holds)).toEqual(item.delta);
        if (item.action === 'step_into' && item.stack.length > 0)
          expect(outcomeOf(program, before, after)).toBe(item.holds);
      }
    });
  }
});
