import { describe, expect, it } from 'vitest';
import { compileGrammar, type GrammarData } from '../../../src/debugger/language/grammar.js';
import { vocabularySize } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { goldenTransitions, stateOf } from './golden.js';

const words = Math.ceil(vocabularySize / 32);

function accepts(data: GrammarData, edge: number, token: number): boolean {
  const own = data.edgeToken[edge] as number;
  if (own >= 0) return own === token;
  const word = data.masks[(data.edgeMask[edge] as number) * words + (token >>> 5)] as number;
  return ((word >>> (token & 31)) & 1) === 1;
}

/** What the engine demands of a grammar when it is registered. */
function checkState(data: GrammarData, state: number): void {
  const [start, end] = [data.edgeStart[state] as number, data.edgeStart[state + 1] as number];
  const [flags, close, distance] = [
    data.stateFlags[state],
    data.stateClose[state] as number,
    data.stateDistance[state],
  ];
  if (flags !== 0) {
    expect([close, distance]).toEqual([-1, 0]);
    if (flags === 2) expect(end).toBe(start);
    return;
  }
  let edge = start;
  while (edge < end && !accepts(data, edge, close)) edge += 1;
  expect(edge).toBeLessThan(end);
  if (data.edgeOperation[edge] === 2) return;
  const called =
    data.edgeOperation[edge] === 1 ? (data.stateDistance[data.edgeReturn[edge] as number] as number) : 0;
  const closesByFrames = (from: number): boolean => data.edgeOperation[data.edgeStart[from] as number] === 2;
  if (!closesByFrames(data.edgeNext[edge] as number)) {
    expect(distance).toBe(1 + (data.stateDistance[data.edgeNext[edge] as number] as number) + called);
  }
}

/** Whether no two edges of a state take the same token: the automaton is deterministic. */
function isDeterministic(data: GrammarData, state: number): boolean {
  const seen = new Uint32Array(words);
  for (let edge = data.edgeStart[state] as number; edge < (data.edgeStart[state + 1] as number); edge += 1) {
    const own = data.edgeToken[edge] as number;
    for (let word = 0; word < words; word += 1) {
      const single = own >>> 5 === word ? 1 << (own & 31) : 0;
      const bits = own >= 0 ? single : (data.masks[(data.edgeMask[edge] as number) * words + word] as number);
      if (((seen[word] as number) & bits) !== 0) return false;
      seen[word] = (seen[word] as number) | bits;
    }
  }
  return true;
}

describe('grammar data', () => {
  it('is what the engine accepts, for every golden program', () => {
    let states = 0;
    for (const golden of goldenTransitions()) {
      const program = parseProgram(golden.source, golden.call);
      const grammar = compileGrammar(program);
      const before = golden.cases.map(({ stack }) => stateOf(stack)).find(({ event }) => event === 'line');
      const lines = program.executableLines.slice(0, 1);
      const actions = [
        { kind: 'step_into', lines: [] },
        { kind: 'inv_step_into', lines: [] },
        { kind: 'breakpoint', lines },
        { kind: 'inv_breakpoint', lines },
      ] as const;
      const all = before ? actions.map((action) => grammar.forQuestion(before, action).data) : [];
      for (const data of [grammar.forEvaluation().data, ...all]) {
        expect(data.vocabSize).toBe(vocabularySize);
        expect(data.edgeStart.at(-1)).toBe(data.edgeToken.length);
        for (let state = 0; state < data.stateFlags.length; state += 1) {
          checkState(data, state);
          if (!isDeterministic(data, state))
            expect.fail(`two edges of state ${state} of ${golden.call} take one token`);
          states += 1;
        }
        for (let edge = 0; edge < data.edgeToken.length; edge += 1) {
          if (data.edgeOperation[edge] !== 1) continue;
          expect(data.edgeLimit[edge]).toBeGreaterThan(0);
          expect(data.stateFlags[data.edgeNext[edge] as number]).not.toBe(2);
          expect(data.stateFlags[data.edgeReturn[edge] as number]).not.toBe(2);
        }
      }
    }
    expect(states).toBeGreaterThan(1000);
  });
});
