/** Expressions, their answers, and entries that hide their arguments (docs/trace-language.md, sections 2 and 7). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryState } from '../../../src/debugger/entry.js';
import { AnswerDecoder, isAnswerProblem } from '../../../src/debugger/language/decode-answer.js';
import { encodeEvaluation, encodeKeyframe, encodePrompt } from '../../../src/debugger/language/encode.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import {
  positionCount,
  positionToken,
  special,
  vocabularySize,
} from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { goldenAnswers, goldenExpressions, goldenHidden, goldenPrograms, stateOf } from './golden.js';

const program = parseProgram('def f(xs, n):\n    count = len(xs)\n    return count + n\n', 'f([1], 2)');

/** The error an expression is refused with. */
function refusal(expression: string, of = program): ForetraceError {
  try {
    encodeExpression(of, expression);
  } catch (error) {
    if (error instanceof ForetraceError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(expression)} was taken`);
}

describe('golden expressions', () => {
  for (const golden of goldenExpressions()) {
    const parsed = parseProgram(golden.source, golden.call);
    it.each(golden.cases.map((item) => [item.expression, item] as const))('%j', (expression, { tokens }) => {
      if (tokens === undefined) expect(refusal(expression, parsed).code).toBe('invalid_expression');
      else expect([special.evaluate, ...encodeExpression(parsed, expression).tokens]).toEqual(tokens);
    });
  }
});

describe('golden answers', () => {
  it('are asked, accepted and read as Python writes them', () => {
    let cases = 0;
    for (const golden of goldenAnswers()) {
      const parsed = parseProgram(golden.source, golden.call);
      const { data, start } = compileGrammar(parsed).forEvaluation();
      for (const item of golden.cases) {
        const state = stateOf(item.stack);
        const { tokens } = encodeExpression(parsed, item.expression);
        expect([...encodeEvaluation(parsed, state, tokens)]).toEqual([
          ...parsed.tokens,
          ...item.keyframe,
          ...item.tokens,
        ]);
        const walker = new GrammarWalker(data, start.state, start.frames, item.answer.length + 200);
        const decoder = new AnswerDecoder(parsed);
        for (const token of item.answer) {
          expect(walker.accept(token), item.expression).toBe(true);
          decoder.push(token);
        }
        expect(walker.accepted).toBe(true);
        expect(decoder.finish()).toEqual({ outcome: item.outcome, text: item.text, probability: 1 });
        cases += 1;
      }
    }
    expect(cases).toBeGreaterThan(100);
  });
});

describe('golden hidden arguments', () => {
  it.each(goldenHidden().map((golden) => [golden.call, golden] as const))('%j', (call, golden) => {
    if (golden.error !== undefined) {
      const code = golden.error;
      expect(() => parseProgram(golden.source, call)).toThrow(expect.objectContaining({ code }) as Error);
      return;
    }
    const parsed = parseProgram(golden.source, call);
    expect(parsed.hidesArguments).toBe(golden.hidden);
    expect([...parsed.tokens]).toEqual(golden.tokens);
    expect(Object.fromEntries(parsed.slots)).toEqual(golden.slots);
    const ask = () => encodePrompt(parsed, null, { kind: 'step_into', lines: [] });
    if (!golden.hidden) return expect(ask().at(-2)).toBe(special.keyframe);
    expect(entryState(parsed)).toBeNull();
    expect(ask).toThrow(expect.objectContaining({ code: 'hidden_arguments' }) as Error);
  });
});

describe('an expression that is refused', () => {
  it.each([
    ['xs + zs', 1, 6],
    ['(xs +\n  zs)', 2, 3],
    ['len(xs', 1, 4],
    ['xs xs', 1, 4],
    ['[x := 1]', 1, 4],
    ["f'{(yield)}'", 1, 5],
    ["f'{n:{zs}}'", 1, 7],
    ["f'{n:{(n := 1)}}'", 1, 10],
    ['xs; n', 1, 1],
    ['xs;', 1, 1],
    ['', 1, 1],
    ['xs\nn', 2, 1],
    ['n = 1', 1, 1],
    ['(*xs)', 1, 2],
  ])('%j says where', (expression, line, column) => {
    expect(refusal(expression)).toMatchObject({ code: 'invalid_expression', details: { line, column } });
    expect(refusal(expression).details.expected).toBeTruthy();
  });

  it('is not refused for what a string says', () => {
    expect(encodeExpression(program, "'yield'").text).toBe("'yield'");
  });

  it('says how long it may be', () => {
    expect(refusal(`n${' + n'.repeat(32)}`).details).toMatchObject({
      expected: 'at most 64 tokens',
      actual: '65',
    });
    expect(encodeExpression(program, `n${' + n'.repeat(31)} `).tokens).toHaveLength(63);
  });

  it('is refused with the code, whatever it is', () => {
    const piece = fc.constantFrom(
      ...'xs n count len ( ) [ ] { } , : := . + - * ** @ = == not in is if else for lambda yield await async match print case'.split(
        ' ',
      ),
      "f'{n}'",
      "'a'",
      "b'b'",
      '1',
      '\n',
      '#',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 8 }).map((all) => all.join(' ')),
        ),
        (text) => {
          try {
            expect(encodeExpression(program, text).tokens.length).toBeLessThanOrEqual(64);
          } catch (error) {
            expect((error as ForetraceError).code).toBe('invalid_expression');
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a name', () => {
  it('is told apart from other expressions', () => {
    expect(encodeExpression(program, ' count ').name).toBe('count');
    expect(encodeExpression(program, 'print').name).toBe('print');
    expect(encodeExpression(program, '(count)').name).toBeUndefined();
  });
});

/** Programs of different sizes, for walks. */
const worlds = [program, ...goldenPrograms().flatMap(parsedOrNone).slice(0, 6)];
function parsedOrNone({ source, call, error }: { source: string; call: string; error?: string }): Program[] {
  return error === undefined ? [parseProgram(source, call)] : [];
}
const grammars = new Map(worlds.map((world) => [world, compileGrammar(world).forEvaluation()]));

describe('the grammar of answers', () => {
  it('shares states and key with that of actions forward', () => {
    const grammar = compileGrammar(program);
    const { key, data, start } = grammar.forEvaluation();
    const step = grammar.forQuestion(null, { kind: 'step_into', lines: [] });
    expect([key, data]).toEqual([step.key, step.data]);
    expect(start.frames).toHaveLength(0);
    const walker = new GrammarWalker(data, start.state, start.frames, 100);
    expect(walker.legalTokens()).toEqual([8, special.value]);
  });

  it('lets only well-formed answers pass, within the budget', () => {
    const walk = fc.record({
      world: fc.nat(),
      slack: fc.oneof(fc.nat(6), fc.nat(300)),
      choices: fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
    });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(walk, ({ world, slack, choices }) => {
        const chosen = worlds[world % worlds.length] as Program;
        const { data, start } = grammars.get(chosen) as NonNullable<ReturnType<typeof grammars.get>>;
        const budget = new GrammarWalker(data, start.state, start.frames, 1).distance + slack;
        const walker = new GrammarWalker(data, start.state, start.frames, budget);
        const decoder = new AnswerDecoder(chosen);
        let taken = 0;
        for (; !walker.accepted; taken += 1) {
          const legal = walker.legalTokens();
          const choice = ((choices[taken % choices.length] as number) * 2654435761 + taken * 40503) >>> 7;
          const token = legal[choice % legal.length] as number;
          expect(walker.accept(token)).toBe(true);
          decoder.push(token, -0.25);
        }
        expect(taken).toBeLessThanOrEqual(budget);
        const decoded = decoder.finish();
        if (isAnswerProblem(decoded)) return expect.fail(`${decoded.position}: ${decoded.expected}`);
        expect(decoded.probability).toBeCloseTo(Math.exp(-0.25 * taken), 10);
        outcomes.add(decoded.outcome);
        // It can be written again, as part of a state.
        expect(encodeValue(chosen, decoded.text).length).toBeGreaterThan(0);
      }),
      { numRuns: 600 },
    );
    expect(outcomes).toEqual(new Set(['value', 'exception']));
  });
});

describe('an answer of any tokens', () => {
  it('is an answer or a problem with its place', () => {
    const token = fc.oneof(
      fc.constantFrom(special.value, special.end, special.cut, special.raw, special.ref, 8, 212, 690),
      fc.integer({ min: -2, max: vocabularySize + 5 }),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const decoder = new AnswerDecoder(program);
        for (const one of tokens) decoder.push(one);
        const decoded = decoder.finish();
        if (!isAnswerProblem(decoded)) {
          expect(tokens).toContain(special.end);
          return;
        }
        expect(decoded.code).toBe('bad_answer');
        expect(decoded.position).toBeLessThanOrEqual(tokens.length);
        expect(decoded.expected).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, number[], number, string]>([
    ['nothing', [], 0, '<|value|> or <|exception|>'],
    ['a line', [41], 0, '<|value|> or <|exception|>'],
    ['a value that has not begun', [special.value], 1, 'a value'],
    ['an open string', [special.value, 681, special.end], 2, "the closing '"],
    ['an answer without its end', [special.value, 690], 2, 'a value token or <|end|>'],
    ['positions alone', [special.value, positionToken(1), special.end], 2, 'a value'],
    ['a count that ends', [special.value, positionToken(1), special.it, special.end], 3, 'a position'],
    ['a second value', [special.value, 690, special.value], 2, 'a value token or <|end|>'],
    ['a position in a value that stands alone', [10, positionToken(1), 10, positionToken(1)], 3, 'a value'],
    ['a position that no item has', [special.value, positionToken(positionCount + 1)], 1, 'a value'],
  ])('%s', (_name, tokens, position, expected) => {
    const decoder = new AnswerDecoder(program);
    for (const one of tokens) decoder.push(one);
    expect(decoder.finish()).toMatchObject({ code: 'bad_answer', position, expected });
  });

  it('is over at its end', () => {
    const decoder = new AnswerDecoder(program);
    for (const one of [special.value, 690, special.end, 41]) decoder.push(one, -1);
    expect(decoder.finish()).toEqual({ outcome: 'value', text: '0', probability: Math.exp(-3) });
  });
});

it('a keyframe before the entry is asked of no program that hides its arguments', () => {
  const hidden = parseProgram(program.source, 'f(...)');
  expect(() => encodeKeyframe(hidden, null)).toThrow(/hides its arguments/);
});
