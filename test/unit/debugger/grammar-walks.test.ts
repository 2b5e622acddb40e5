import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, actionKinds, isReverse, takesLines } from '../../../src/debugger/action.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { encodeKeyframe } from '../../../src/debugger/language/encode.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { vocabularySize } from '../../../src/debugger/language/tokens.js';
import { checkAction, checkState } from '../../../src/debugger/navigate.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { type DebuggerState, depth } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { goldenTransitions, stateOf } from './golden.js';

const worlds = goldenTransitions()
  .map((golden) => {
    const program = parseProgram(golden.source, golden.call);
    return {
      program,
      grammar: compileGrammar(program),
      states: golden.cases.map((item) => stateOf(item.stack)).filter((s) => s.frames.length > 0),
    };
  })
  .filter(({ states }) => states.length > 0);

/** A line that belongs to a loop of a function, to two lambdas and to a generator expression at once. */
const crowded = parseProgram(
  'def f(xs):\n    for x in xs: y = (lambda z: z + x)(x); w = sum(q for q in xs); v = lambda u: u\n    return y\n',
  'f([1])',
);
const crowdedFrames: DebuggerState['frames'][number][] = [
  { line: 2, locals: new Map([['xs', '[1]']]), its: [0], gots: [] },
  { line: 2, locals: new Map([['z', '1']]), its: [], gots: [] },
  { line: 2, locals: new Map(), its: [], gots: [] },
];
const crowdedStates = [1, 2, 3].flatMap((count) =>
  (['line', 'call'] as const).map((event) => ({
    event,
    frames: crowdedFrames.slice(0, count),
    hiddenFrames: 0,
  })),
);
const fits = (state: DebuggerState): boolean => {
  try {
    checkState(crowded, state);
    return true;
  } catch {
    return false;
  }
};
for (let copy = 0; copy < 6; copy += 1) {
  worlds.push({
    program: crowded,
    grammar: compileGrammar(crowded),
    states: crowdedStates.filter(fits),
  });
}

/** What may come after `action`, by DESIGN section 4, apart from what a walk in the grammar guarantees. */
function checkOutcome(
  before: DebuggerState,
  action: Action,
  after: DebuggerState,
  popped: number,
  pushed: number,
): void {
  const reverse = isReverse(action.kind);
  const isDone = before.event === (reverse ? 'call' : 'return');
  const events = reverse ? ['call', 'line', 'exception'] : ['line', 'exception', 'return'];
  const kind = action.kind.replace('inv_', '');
  if (takesLines(action.kind)) {
    if (after.event === 'line') expect(action.lines).toContain(after.frames.at(-1)?.line);
    else expect([after.event, depth(after)]).toEqual([reverse ? 'call' : 'return', 1]);
    if (isDone) expect(popped).toBeGreaterThan(0);
  } else if (kind === 'continue') {
    expect([after.event, depth(after)]).toEqual([reverse ? 'call' : 'return', 1]);
  } else if (isDone) {
    expect(popped).toBe(1);
    expect(pushed > 0 ? [reverse ? 'return' : 'call'] : events).toContain(after.event);
  } else {
    expect(popped).toBe(0);
    if (kind === 'step_into' && pushed > 0)
      expect([pushed, after.event]).toEqual([1, reverse ? 'return' : 'call']);
    else {
      expect(pushed).toBe(0);
      const expected = { step_return: ['return'], step_call: ['call'] }[kind] ?? events;
      expect(expected).toContain(after.event);
    }
  }
}

const walk = fc.record({
  world: fc.nat(),
  state: fc.nat(),
  kind: fc.constantFrom(...actionKinds),
  lines: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  slack: fc.oneof(fc.nat(6), fc.nat(300)),
  choices: fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
});

describe('random walks of the grammar', () => {
  it('always decode to a state of the program that the action can lead to, within the budget', () => {
    let finished = 0;
    fc.assert(
      fc.property(walk, ({ world, state, kind, lines, slack, choices }) => {
        const { program, grammar, states } = worlds[world % worlds.length] as (typeof worlds)[number];
        const before = states[state % states.length] as DebuggerState;
        const all = program.executableLines;
        const chosen = [...new Set(lines.map((line) => all[line % all.length] as number))].sort(
          (a, b) => a - b,
        );
        const action: Action = { kind, lines: takesLines(kind) ? chosen : [] };
        try {
          checkAction(program, before, action);
        } catch (error) {
          expect((error as ForetraceError).code).toMatch(/^past_/);
          expect(() => grammar.forQuestion(before, action)).toThrow(ForetraceError);
          return;
        }
        const { data, start } = grammar.forQuestion(before, action);
        const budget = new GrammarWalker(data, start.state, start.frames, 1).distance + slack;
        const walker = new GrammarWalker(data, start.state, start.frames, budget);
        const decoder = new DeltaDecoder(program, before);
        let taken = 0;
        for (; !walker.accepted; taken += 1) {
          const legal = walker.legalTokens();
          expect(legal.length).toBeGreaterThan(0);
          const choice = ((choices[taken % choices.length] as number) * 2654435761 + taken * 40503) >>> 7;
          const token = legal[choice % legal.length] as number;
          expect(walker.accept(token)).toBe(true);
          decoder.push(token, -0.1);
        }
        expect(taken).toBeLessThanOrEqual(budget);
        const decoded = decoder.finish();
        if (isDecodeProblem(decoded)) return expect.fail(decoded.message);
        checkState(program, decoded.state);
        checkOutcome(before, action, decoded.state, decoded.popped, decoded.pushed);
        encodeKeyframe(program, decoded.state);
        finished += 1;
      }),
      { numRuns: 1500 },
    );
    expect(finished).toBeGreaterThan(300);
  });

  it('refuses every token that is not legal', () => {
    const { program, grammar, states } = worlds[0] as (typeof worlds)[number];
    const { data, start } = grammar.forQuestion(states[0] as DebuggerState, { kind: 'continue', lines: [] });
    const walker = new GrammarWalker(data, start.state, start.frames, 100);
    const legal = new Set(walker.legalTokens());
    for (let token = 0; token < vocabularySize; token += 1)
      expect(walker.isLegal(token)).toBe(legal.has(token));
    expect(program.scopes.length).toBeGreaterThan(0);
  });
});

describe('a grammar', () => {
  it('is the same for the same question, and another one for another breakpoint set', () => {
    const { program, states } = worlds[0] as (typeof worlds)[number];
    const [first, second] = program.executableLines as [number, number];
    const state = { ...(states[0] as DebuggerState), event: 'line' as const };
    const ask = (lines: number[]) =>
      compileGrammar(program).forQuestion(state, { kind: 'breakpoint', lines });
    expect(ask([first])).toEqual(ask([first]));
    expect(ask([first]).key).not.toBe(ask([second]).key);
    expect(ask([first]).data).not.toEqual(ask([second]).data);
  });

  it('keeps values within their limit and then closes them', () => {
    const { program, states } = worlds[0] as (typeof worlds)[number];
    const grammar = compileGrammar(program, { valueTokens: 5 });
    const state = { ...(states[0] as DebuggerState), event: 'line' as const };
    const { data, start } = grammar.forQuestion(state, { kind: 'step_return', lines: [] });
    const walker = new GrammarWalker(data, start.state, start.frames, 1000);
    const decoder = new DeltaDecoder(program, state);
    const take = (pick: (legal: number[]) => number): void => {
      const token = pick(walker.legalTokens());
      expect(walker.accept(token)).toBe(true);
      decoder.push(token);
    };
    while (!walker.accepted)
      take((legal) => legal.find((token) => token > 650 && token < 740) ?? (legal[0] as number));
    const decoded = decoder.finish();
    if (isDecodeProblem(decoded)) return expect.fail(decoded.message);
    expect(decoded.state.value?.length).toBeLessThanOrEqual(8);
  });
});
