/** Writes a program as tokens of the language (docs/trace-language.md, section 2). */
import { ForetraceError } from '../../errors.js';
import { CodeWriter } from './code-writer.js';
import { type LexicalToken, logicalLines } from './lexer.js';
import {
  indentCount,
  indentToken,
  lineCount,
  lineToken,
  slotCount,
  slotToken,
  special,
  wordToken,
} from './tokens.js';

/** The logical lines that are docstrings. */
function docstrings(tokens: readonly LexicalToken[]): Set<number> {
  const lines = logicalLines(tokens);
  const found = new Set<number>();
  lines.forEach((line, index) => {
    if (!line.every((token) => token.kind === 'string')) return;
    const before = lines[index - 1];
    const opens =
      before !== undefined &&
      ['def', 'class', 'async'].includes(before[0]?.text ?? '') &&
      before.at(-1)?.text === ':';
    if (index === 0 || opens) found.add(index);
  });
  return found;
}

/** The first token of each line that holds code, docstrings left out. */
function* codeLines(tokens: readonly LexicalToken[]): Generator<LexicalToken> {
  const hidden = docstrings(tokens);
  let line = 0;
  for (const token of tokens) {
    if (hidden.has(token.logical) || token.line === line) continue;
    line = token.line;
    yield token;
  }
}

/**
 * Refuses what the language has no names for, before anything is built from it.
 * @throws ForetraceError program_too_long, program_too_deep
 */
export function checkCodeLines(tokens: readonly LexicalToken[]): void {
  let count = 0;
  for (const token of codeLines(tokens)) {
    checkCodeLine(count, token);
    count += 1;
  }
}

function checkCodeLine(count: number, { line, level }: LexicalToken): void {
  if (count === lineCount) {
    throw new ForetraceError('program_too_long', `The program has more than ${lineCount} code lines.`, {
      expected: `at most ${lineCount} code lines`,
      actual: `one more on line ${line}`,
      line,
    });
  }
  if (level >= indentCount) {
    throw new ForetraceError(
      'program_too_deep',
      `Line ${line} is nested more than ${indentCount - 1} levels deep.`,
      {
        expected: `at most ${indentCount - 1} levels`,
        actual: `${level} levels`,
        line,
      },
    );
  }
}

/** One program being written. Throws program_too_long, program_too_deep, too_many_names, invalid_python. */
export class ProgramWriter extends CodeWriter {
  readonly codeLines: number[] = [];
  readonly slotNames: string[];
  private readonly slots: Map<string, number>;

  /** `bound`: names that the program binds. `slotNames`: the names that have slots already. */
  constructor(
    text: string,
    private readonly bound: ReadonlySet<string>,
    slotNames: readonly string[] = [],
  ) {
    super(text);
    this.slotNames = [...slotNames];
    this.slots = new Map(slotNames.map((name, slot) => [name, slotToken(slot)]));
  }

  program(tokens: readonly LexicalToken[]): void {
    const hidden = docstrings(tokens);
    this.out.push(special.program);
    let line = 0;
    for (const token of tokens) {
      if (hidden.has(token.logical)) continue;
      if (token.line !== line) {
        line = token.line;
        this.startLine(token);
      }
      this.token(token);
    }
  }

  /** The entry; the writer's text is that of the call. */
  entry(tokens: readonly LexicalToken[]): void {
    this.out.push(special.entry);
    this.code(tokens);
  }

  private startLine(token: LexicalToken): void {
    checkCodeLine(this.codeLines.length, token);
    this.codeLines.push(token.line);
    this.out.push(lineToken(this.codeLines.length), indentToken(token.level));
  }

  protected name(token: LexicalToken): number {
    return (this.bound.has(token.text) ? undefined : wordToken(token.text)) ?? this.slot(token);
  }

  private slot({ text, start, line }: LexicalToken): number {
    const known = this.slots.get(text);
    if (known !== undefined) return known;
    if (this.slotNames.length === slotCount) {
      throw new ForetraceError('too_many_names', `The program uses more than ${slotCount} different names.`, {
        expected: `at most ${slotCount} names`,
        actual: `one more: ${text}`,
        line,
        column: this.map.position(start).column,
      });
    }
    const token = slotToken(this.slotNames.length);
    this.slots.set(text, token);
    this.slotNames.push(text);
    return token;
  }
}
