/** Lines as trees, and what is worked out of them: both as Python has it. */
import { describe, expect, it } from 'vitest';
import { AnswerDecoder } from '../../../src/debugger/language/decode-answer.js';
import { encodeAsked, encodeKeyframe, encodePrompt } from '../../../src/debugger/language/encode.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import type { WorkedAnswer, WorkedAnswers } from '../../../src/debugger/language/line-values.js';
import type { Workings } from '../../../src/debugger/language/line-walk.js';
import { isLiteral } from '../../../src/debugger/language/literal-values.js';
import type { Part } from '../../../src/debugger/language/parts.js';
import {
  eventToken,
  special,
  textTokens,
  tokenText,
  wordToken,
} from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { expressionWorkings, questionFor, stepWorkings } from '../../../src/debugger/language/workings.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { currentFrame } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { stateAt } from '../../support/states.js';
import { type GoldenPart, goldenWorkings, stateOf } from './golden.js';

const { trees, programs } = goldenWorkings();

function written({ kind, first, end, parts, bound }: Part): GoldenPart {
  const inside = parts.map(written);
  return bound.size === 0
    ? [kind, first, end, inside]
    : [kind, first, end, inside, [...bound].sort((a, b) => a - b)];
}

describe('golden trees', () => {
  it('are those of the lines and expressions', () => {
    for (const { code, line, expression } of trees) {
      const found = lineParts(code);
      const values = found && { values: found.values.map(written), inner: found.inner.map(written) };
      expect(values ?? null, code.join()).toEqual(line);
      const one = expressionParts(code);
      expect(one ? written(one) : null, code.join()).toEqual(expression);
    }
    expect(trees.filter(({ line }) => line === null).length).toBeGreaterThan(30);
  });
});

interface Asked {
  readonly code: readonly number[] | undefined;
  readonly rounds: number[][][];
}

/** Answers what is open until nothing is. */
function workOut(
  workings: ((answers: WorkedAnswers) => Workings) | undefined,
  answer: (question: readonly number[]) => WorkedAnswer,
): Asked {
  const rounds: number[][][] = [];
  const answers = new Map<string, WorkedAnswer>();
  for (;;) {
    const found = workings?.(answers);
    if (found === undefined || found.open.length === 0) return { code: found?.code, rounds };
    rounds.push(found.open.map(({ question }) => [...question]));
    for (const { key, question } of found.open) answers.set(key, answer(question));
  }
}

describe('golden workings', () => {
  for (const [index, golden] of programs.entries()) {
    it(`program ${index}`, () => {
      const program = parseProgram(golden.source, golden.call);
      for (const { stack, action, expression, questions, tokens } of golden.cases) {
        const state = stateOf(stack);
        const known = new Map(questions.map((question) => [question.tokens.join(), question.answer]));
        const raises = questions.some(({ answer }) => answer?.[0] === eventToken('exception'));
        const asked: string[] = [];
        const answer = (question: readonly number[]): WorkedAnswer => {
          asked.push(question.join());
          // What stands behind an expression that raises is asked together with it.
          if (!raises) expect(known.has(question.join())).toBe(true);
          return known.get(question.join()) ?? null;
        };
        let prompt: Int32Array;
        if (action !== undefined) {
          const step = { kind: action, lines: [] };
          const { code } = workOut(stepWorkings(program, state, step), answer);
          prompt = encodePrompt(program, state, step, code);
        } else {
          const code = encodeExpression(program, expression ?? '').tokens;
          const worked = workOut(expressionWorkings(program, state, code), answer).code ?? code;
          prompt = encodeAsked(program, state, questionFor(program, currentFrame(state), worked));
        }
        const keyframe = encodeKeyframe(program, state);
        expect([...prompt]).toEqual([...program.tokens, ...keyframe, ...tokens]);
        for (const question of known.keys()) expect(asked).toContain(question);
      }
    });
  }
});

describe('golden answers that are thought aloud', () => {
  it('are accepted, and read as what they come to', () => {
    let cases = 0;
    for (const golden of programs) {
      const program = parseProgram(golden.source, golden.call);
      const { data, start } = compileGrammar(program).forEvaluation();
      const read = (tokens: readonly number[]): unknown => {
        const walker = new GrammarWalker(data, start.state, start.frames, tokens.length + 200);
        const decoder = new AnswerDecoder(program);
        for (const token of [...tokens, special.end]) {
          expect(walker.accept(token), tokens.map(tokenText).join(' ')).toBe(true);
          decoder.push(token);
        }
        expect(walker.accepted).toBe(true);
        return decoder.finish();
      };
      for (const { answer, written } of golden.cases.flatMap(({ questions }) => questions)) {
        if (answer === null || written === undefined) continue;
        expect(read(written)).toEqual(read(answer));
        cases += 1;
      }
    }
    expect(cases).toBeGreaterThan(150);
  });
});

describe('workings', () => {
  const program = parseProgram(
    'def f(a, b, xs):\n    return (a + b) * (a - b) + len(xs) if a > b and xs[a - b] else g(a * b)\n\n\ndef g(x):\n    return x\n',
    'f(1, 2, [3])',
  );
  const step = { kind: 'step_into', lines: [] } as const;
  const state = stateAt('line', 2, { a: '5', b: '4', xs: '[7, 8]' });
  const value = (text: string): WorkedAnswer => [10, ...encodeValue(program, text)];

  it('are asked together where none needs the other', () => {
    // a > b; a - b; a + b, for xs[1], which is what `and` comes to, is told; 9 * 1; 9 + 2.
    const texts = ['True', '1', '9', '9', '11'];
    const { rounds } = workOut(stepWorkings(program, state, step), () => value(texts.shift() ?? '0'));
    expect(rounds.map((round) => round.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('of the items of a comprehension are asked together, and what is around waits for them', () => {
    const source = 'def f(n, xs):\n    return sum(x * n - 1 for x in xs[1:] if x > n) + n\n';
    const items = parseProgram(source, 'f(1, [2])');
    const before = stateAt('line', 2, { n: '2', xs: '[9, 3, 1, 4]' });
    const over = { kind: 'step_over', lines: [] } as const;
    // xs[1:] is told; 3 > n, 1 > n, 4 > n; 3 * n, 4 * n; 6 - 1, 8 - 1; sum([5, 7]); 12 + n.
    const texts = ['True', 'False', 'True', '6', '8', '5', '7', '12', '14'];
    const { rounds, code } = workOut(stepWorkings(items, before, over), () => value(texts.shift() ?? '0'));
    expect(rounds.map((round) => round.length)).toEqual([3, 2, 2, 1, 1]);
    expect(code).toEqual([wordToken('return'), ...textTokens('14')]);
    expect(stepWorkings(items, before, { kind: 'step_into', lines: [] })?.(new Map()).open).toEqual([]);
  });

  it('of a list that is put in another order stand behind its statement', () => {
    const sorting = parseProgram('def f(xs):\n    xs.sort(reverse=True)\n    return xs\n', 'f([])');
    const at = (xs: string) => stepWorkings(sorting, stateAt('line', 2, { xs }), step);
    // Is 2 less than 10; then, of [10, 2] and [1], whether 10 and 2 are less than 1: by differences, but for the last.
    const texts = ['-8', '9', 'False'];
    const { rounds, code } = workOut(at('[2, 10, 1]'), () => value(texts.shift() ?? '0'));
    expect(rounds.map((round) => round.length)).toEqual([1, 1, 1]);
    expect(code?.slice(-9)).toEqual([special.value, ...textTokens('[10,2,1]')]);
    for (const other of ['[2]', "'ab'", '{2, 3}', '<object>'])
      expect(at(other)?.(new Map()).open, other).toEqual([]);
    expect(workOut(at('[2, 10, 1]'), () => null).code).not.toContain(special.value);
  });

  it('end with an answer that raises, and have nothing in place of one that is long or no literal', () => {
    const raises = workOut(stepWorkings(program, state, step), () => [
      eventToken('exception'),
      ...encodeValue(program, "TypeError('x')"),
    ]);
    expect(raises.rounds).toHaveLength(1);
    expect(raises.code).toContain(eventToken('exception'));
    for (const unusable of [null, value(`'${'x'.repeat(120)}'`), value('<object>')]) {
      // The condition, and nothing of the branches: its truth is not known.
      const { rounds, code } = workOut(stepWorkings(program, state, step), () => unusable);
      expect(rounds.map((round) => round.length)).toEqual([1, 1]);
      expect(code).toEqual([...(stepWorkings(program, state, step)?.(new Map()).code ?? [])]);
    }
  });

  it('need a line with which the program goes on, and a single step', () => {
    expect(stepWorkings(program, null, step)).toBeUndefined();
    expect(stepWorkings(program, state, { kind: 'step_return', lines: [] })).toBeUndefined();
    expect(stepWorkings(program, state, { kind: 'inv_step_into', lines: [] })).toBeUndefined();
    expect(stepWorkings(program, stateAt('line', 1, {}), step)).toBeUndefined();
  });

  it('are worked out of literals only', () => {
    const literals = ['0', '-1.5e-07', "'a\\'b'", "{'a': [1, (2,)]}", 'deque([1])', 'set()', "b'x'", '[inf]'];
    for (const text of literals) expect(isLiteral(encodeValue(program, text)), text).toBe(true);
    const others = ['<object>', 'f', "'abc…", '[1, 2…', 'Point(x=1)', '', 'frozenset({1})'];
    for (const text of others) expect(isLiteral(encodeValue(program, text)), text).toBe(false);
  });
});
