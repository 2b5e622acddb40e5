/** Expressions to evaluate, as tokens of the language (docs/trace-language.md, section 7). */
import { ForetraceError } from '../../errors.js';
import type { Program } from '../program.js';
import { CodeWriter } from './code-writer.js';
import { isField, type LexicalToken, normaliseSource, type Part } from './lexer.js';
import { SourceMap } from './source-error.js';
import { parseExpression } from './syntax.js';
import { wordToken } from './tokens.js';

/** Most tokens of an expression. */
const maxExpressionTokens = 64;

export interface EncodedExpression {
  /** Normalised, without white space around it. */
  readonly text: string;
  /** Code tokens, without `<|evaluate|>`. */
  readonly tokens: readonly number[];
  /** The name, if the expression is nothing but a name. */
  readonly name?: string;
}

/** Writes code with the slots of a program: a name that has none and is no word cannot be written. */
class ExpressionWriter extends CodeWriter {
  constructor(
    text: string,
    private readonly slots: ReadonlyMap<string, number>,
  ) {
    super(text);
  }

  protected name({ text, start }: LexicalToken): number {
    const token = this.slots.get(text) ?? wordToken(text);
    if (token !== undefined) return token;
    throw invalid(`the program has no name ${text}`, {
      ...this.map.position(start),
      expected: 'names of the program and words of the trace language',
      actual: text,
    });
  }
}

/** An expression over a program. Throws invalid_expression with line and column. */
export function encodeExpression(program: Program, expression: string): EncodedExpression {
  const text = normaliseSource(expression).trim();
  const map = new SourceMap(text);
  try {
    const tokens = parseExpression(text);
    refuseEffects(tokens, map);
    const writer = new ExpressionWriter(text, program.slots);
    writer.code(tokens);
    if (writer.out.length > maxExpressionTokens) {
      throw invalid('the expression is too long', {
        expected: `at most ${maxExpressionTokens} tokens`,
        actual: String(writer.out.length),
      });
    }
    const [only] = tokens;
    const isName = tokens.length === 1 && only?.kind === 'name';
    return { text, tokens: writer.out, ...(isName ? { name: only.text } : {}) };
  } catch (error) {
    if (!(error instanceof ForetraceError) || error.code !== 'invalid_python') throw error;
    const { line, column, actual = error.message } = error.details;
    throw invalid(actual, {
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      expected: 'one Python expression such as len(x) + 1',
      actual,
    });
  }
}

const invalid = (message: string, details: ForetraceError['details']): ForetraceError =>
  new ForetraceError('invalid_expression', `The expression cannot be evaluated: ${message}`, details);

const refused = new Set(['await', 'async', 'yield', ':=']);

/** What suspends the frame or binds a name in it is no question about a state; it may hide in the fields of an f-string. */
function refuseEffects(tokens: readonly LexicalToken[], map: SourceMap): void {
  for (const token of tokens) {
    if (token.kind !== 'string' && token.kind !== 'bytes' && refused.has(token.text)) {
      throw invalid(`${token.text} is not allowed`, {
        ...map.position(token.start),
        expected: 'an expression without await, async, yield and :=',
        actual: token.text,
      });
    }
    refuseInParts(token.parts ?? [], map);
  }
}

function refuseInParts(parts: readonly Part[], map: SourceMap): void {
  for (const part of parts) {
    if (!isField(part)) continue;
    refuseEffects(part.tokens, map);
    refuseInParts(part.spec ?? [], map);
  }
}
