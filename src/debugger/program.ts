/** A program: its tokens, its lines, its names and its scopes (docs/trace-language.md, sections 2 and 3). */
import { createHash } from 'node:crypto';
import { ForetraceError } from '../errors.js';
import { isField, type LexicalToken, lex, normaliseSource, type Part } from './language/lexer.js';
import type { Analysis, RawScope } from './language/scopes.js';
import { SourceMap } from './language/source-error.js';
import { escapeText, literalRepr } from './language/strings.js';
import { analyseSource, parseEntry } from './language/syntax.js';
import {
  charToken, indentCount, indentToken, lineBase, lineCount, lineToken, operatorToken, slotCount, slotToken, special,
  textTokens, wordToken,
} from './language/tokens.js';

/** A function, lambda or generator expression. Lines are physical numbers of code lines, ascending. */
export interface Scope {
  readonly index: number;
  /** As CPython names its code: the function's name, <lambda> or <genexpr>. */
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly isGenerator: boolean;
  /** In slot order. */
  readonly names: readonly string[];
  /** Lines on which a `line` event may stop. */
  readonly lines: readonly number[];
  /** Lines on which a `call` event may stop. */
  readonly callLines: readonly number[];
  /** Line -> lines of the `for` statements around it, outermost first; lines without loops are missing. */
  readonly loops: ReadonlyMap<number, readonly number[]>;
  /** Index of the scope around it. */
  readonly parent: number | undefined;
}

/** A source and its entry call. Made by `parseProgram`; a value, never changed. */
export interface Program {
  /** Normalised source text. */
  readonly source: string;
  readonly call: string;
  /** SHA-256 of source and call, hexadecimal. */
  readonly digest: string;
  /** `<|program|>` to the end of the entry. */
  readonly tokens: Int32Array;
  /** Physical line of code line k at index k - 1. */
  readonly codeLines: readonly number[];
  /** Source text by line. */
  readonly lines: readonly string[];
  readonly scopes: readonly Scope[];
  /** Identifier -> token. */
  readonly slots: ReadonlyMap<string, number>;
  /** Identifier of slot k at index k. */
  readonly slotNames: readonly string[];
  /** Lines of all scopes, ascending: where a `line` event may stop. */
  readonly executableLines: readonly number[];
}

/**
 * Reads a program. Throws ForetraceError: invalid_python, invalid_entry, program_too_long, program_too_deep,
 * too_many_names (docs/trace-language.md, section 2).
 */
export function parseProgram(source: string, call: string): Program {
  const text = normaliseSource(source);
  const entry = normaliseSource(call).trim();
  const tokens = lex(text);
  const analysis = analyseSource(text, tokens);
  const entryTokens = parseEntry(entry);
  const bound = new Set(analysis.moduleNames);
  for (const scope of analysis.scopes) for (const name of scope.names) bound.add(name);
  const writer = new Writer(text, bound);
  writer.program(tokens);
  writer.entry(entry, entryTokens);
  const { codeLines, slotNames } = writer;
  const slots = new Map(slotNames.map((name, slot) => [name, slotToken(slot)]));
  const scopes = buildScopes(analysis, codeLines, slots);
  return {
    source: text,
    call: entry,
    digest: createHash('sha256').update(text).update('\0').update(entry).digest('hex'),
    tokens: Int32Array.from(writer.out),
    codeLines,
    lines: text.split('\n'),
    scopes,
    slots,
    slotNames,
    executableLines: ascending(scopes.flatMap((scope) => scope.lines)),
  };
}

const ascending = (lines: Iterable<number>): number[] => [...new Set(lines)].sort((a, b) => a - b);

/** Index of the last code line at or before `line` (0 if there is none): CPython also reports lines inside strings. */
function ordinalOf(codeLines: readonly number[], line: number): number {
  let low = 0;
  let high = codeLines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((codeLines[middle] ?? 0) <= line) low = middle;
    else high = middle;
  }
  return low;
}

const snap = (codeLines: readonly number[], line: number): number => codeLines[ordinalOf(codeLines, line)] ?? line;

/** Token of physical `line`: that of its code line, or of the last code line before it. */
export const lineTokenOf = (program: Program, line: number): number => lineToken(ordinalOf(program.codeLines, line) + 1);

/** Physical line of a line token; undefined if the program has no such code line. */
export const lineOfToken = (program: Program, token: number): number | undefined => program.codeLines[token - lineBase];

/** Lines of the loops of `scope` around `line`, outermost first. */
export const loopsOf = (scope: Scope, line: number): readonly number[] => scope.loops.get(line) ?? [];

function buildScopes({ scopes }: Analysis, codeLines: readonly number[], slots: ReadonlyMap<string, number>): Scope[] {
  return scopes.map((scope, index) => {
    const lines = ascending([...scope.lines].map((line) => snap(codeLines, line)));
    const callLines = ascending([...scope.callLines].map((line) => snap(codeLines, line)));
    const names = [...scope.names].filter((name) => slots.has(name));
    names.sort((a, b) => (slots.get(a) ?? 0) - (slots.get(b) ?? 0));
    return {
      index,
      name: scope.name,
      firstLine: snap(codeLines, scope.firstLine),
      lastLine: scope.lastLine,
      isGenerator: scope.isGenerator,
      names,
      lines,
      callLines,
      loops: loopTable(scope, [...lines, ...callLines]),
      parent: scope.parent === undefined ? undefined : scopes.indexOf(scope.parent),
    };
  });
}

function loopTable(scope: RawScope, lines: readonly number[]): Map<number, readonly number[]> {
  const table = new Map<number, readonly number[]>();
  for (const line of lines) {
    const around = scope.loops.filter((loop) => loop.line <= line && line <= loop.lastLine).map((loop) => loop.line);
    if (around.length > 0) table.set(line, around);
  }
  return table;
}

/** The logical lines that are docstrings. */
function docstrings(tokens: readonly LexicalToken[]): Set<number> {
  const lines: LexicalToken[][] = [];
  for (const token of tokens) {
    lines[token.logical] ??= [];
    lines[token.logical]?.push(token);
  }
  const found = new Set<number>();
  lines.forEach((line, index) => {
    if (!line.every((token) => token.kind === 'string')) return;
    const before = lines[index - 1];
    const opens = before !== undefined && ['def', 'class', 'async'].includes(before[0]?.text ?? '') && before.at(-1)?.text === ':';
    if (index === 0 || opens) found.add(index);
  });
  return found;
}

/** Writes lexical tokens as tokens of the language. */
class Writer {
  readonly out: number[] = [];
  readonly codeLines: number[] = [];
  readonly slotNames: string[] = [];
  private readonly slots = new Map<string, number>();
  private map: SourceMap;

  constructor(
    text: string,
    private readonly bound: ReadonlySet<string>,
  ) {
    this.map = new SourceMap(text);
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

  entry(call: string, tokens: readonly LexicalToken[]): void {
    this.map = new SourceMap(call);
    this.out.push(special.entry);
    for (const token of tokens) this.token(token);
  }

  private startLine({ line, level }: LexicalToken): void {
    if (this.codeLines.length === lineCount) {
      throw new ForetraceError('program_too_long', `The program has more than ${lineCount} code lines.`, {
        expected: `at most ${lineCount} code lines`, actual: `one more on line ${line}`, line,
      });
    }
    if (level >= indentCount) {
      throw new ForetraceError('program_too_deep', `Line ${line} is nested more than ${indentCount - 1} levels deep.`, {
        expected: `at most ${indentCount - 1} levels`, actual: `${level} levels`, line,
      });
    }
    this.codeLines.push(line);
    this.out.push(lineToken(this.codeLines.length), indentToken(level));
  }

  private token(token: LexicalToken): void {
    const { kind, text } = token;
    if (kind === 'name') this.out.push((this.bound.has(text) ? undefined : wordToken(text)) ?? this.slot(token));
    else if (kind === 'operator') this.out.push(operatorToken(text));
    else if (kind === 'number') this.add(text.replaceAll('_', '').toLowerCase());
    else if (kind === 'fstring') {
      this.out.push(special.fstring);
      this.parts(token.parts ?? []);
      this.out.push(special.fend);
    } else {
      if (kind === 'bytes') this.out.push(special.bytes);
      this.add(literalRepr(text, this.map.position(token.start)));
    }
  }

  private add(text: string): void {
    for (const token of textTokens(text)) this.out.push(token);
  }

  private slot({ text, start, line }: LexicalToken): number {
    const known = this.slots.get(text);
    if (known !== undefined) return known;
    if (this.slotNames.length === slotCount) {
      throw new ForetraceError('too_many_names', `The program uses more than ${slotCount} different names.`, {
        expected: `at most ${slotCount} names`, actual: `one more: ${text}`, line, column: this.map.position(start).column,
      });
    }
    const token = slotToken(this.slotNames.length);
    this.slots.set(text, token);
    this.slotNames.push(text);
    return token;
  }

  /** The inside of an f-string or of a format spec. */
  private parts(parts: readonly Part[]): void {
    for (const part of parts) {
      if (!isField(part)) {
        this.add(escapeText(part).replaceAll('{', '{{').replaceAll('}', '}}'));
        continue;
      }
      this.out.push(charToken('{'));
      for (const token of part.tokens) this.token(token);
      if (part.conversion !== '') this.out.push(charToken('!'), charToken(part.conversion));
      if (part.spec !== undefined) {
        this.out.push(charToken(':'));
        this.parts(part.spec);
      }
      this.out.push(charToken('}'));
    }
  }
}

