/**
 * What a program is but for the call that runs it: lines, names and scopes (docs/trace-language.md, sections 2 and 3). Many calls run few sources,
 * so the text is read once for all of them.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Definitions, definitionsOf } from './language/entry-callee.js';
import { type EntryReach, reachOf } from './language/entry-reach.js';
import { type FunctionFlow, flowOnCodeLines } from './language/flow.js';
import { lex } from './language/lexer.js';
import { checkCodeLines, ProgramWriter } from './language/program-writer.js';
import type { RawScope } from './language/scopes.js';
import { checkLines } from './language/source-bounds.js';
import { analyseSource } from './language/syntax.js';
import type { SourceAnalysis } from './language/syntax-visitor.js';
import { isLineToken, slotToken } from './language/tokens.js';

/** A function, lambda or generator expression. Lines are physical numbers of code lines, ascending. */
export interface Scope {
  readonly index: number;
  /** As CPython names its code: the function's name, <lambda> or <genexpr>. */
  readonly name: string;
  /** `__qualname__`: with the classes and functions around it, as reprs of functions have it. */
  readonly qualifiedName: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly isGenerator: boolean;
  /** Its name stands for it and nothing else, and is only called. */
  readonly isPlain: boolean;
  /** It is entered by calls of its name alone, or of this name as an attribute. */
  readonly isNamed: boolean;
  /** In slot order. */
  readonly names: readonly string[];
  /** Those that can be bound when a call begins: its parameters, which surely are, and names of the functions around it. */
  readonly namesAtCall: readonly string[];
  readonly parameters: ReadonlySet<string>;
  /** Parameters that nothing binds again: they stand for what the call gave as long as the frame lives. */
  readonly keptParameters: ReadonlySet<string>;
  /** Parameters that arguments by position are bound to, in order. */
  readonly positional: readonly string[];
  /** Lines on which a `line` event may stop. */
  readonly lines: readonly number[];
  /** Lines on which a `call` event may stop. */
  readonly callLines: readonly number[];
  /** Line -> lines of the `for` statements around it, outermost first; lines without loops are missing. */
  readonly loops: ReadonlyMap<number, readonly number[]>;
  /** Where a frame may stop next; undefined where nothing can be said. */
  readonly flow: FunctionFlow | undefined;
  /** Of a generator expression that awaits nothing and whose element stands on one line: how many `for` it has; else 0. */
  readonly clauses: number;
  /** Of a generator expression: first lines of the functions that it can enter; undefined: any. */
  readonly called: ReadonlySet<number> | undefined;
  /** Index of the scope around it. */
  readonly parent: number | undefined;
}

/** A source as it is for calls that reach the same of it and bring the same names. A value, never changed. */
export interface ProgramText {
  /** Normalised source text. */
  readonly source: string;
  /** SHA-256 of all that the rest follows from, hexadecimal. */
  readonly textDigest: string;
  /** `<|program|>` to the last token before `<|entry|>`. */
  readonly sourceTokens: Int32Array;
  /** Code tokens of code line k, without its line and indentation tokens, at index k - 1. */
  readonly code: readonly Int32Array[];
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
  readonly definitions: Definitions;
  /** Names that the program binds. */
  readonly bound: ReadonlySet<string>;
  /** Names that a function inside another one may bind there (`nonlocal`). */
  readonly reboundNames: ReadonlySet<string>;
  /** First and last line of the statement, for names that are bound by one assignment of the module's own level alone. */
  readonly assignedOnce: ReadonlyMap<string, readonly [firstLine: number, lastLine: number]>;
}

/** Estimate of the memory of a text (120 to 160 bytes a character were measured for all of a program). */
const bytesPerCharacter = 160;
const bytesPerText = 4096;
/** Most texts of one reading with names of calls, which seldom bring any. */
const mostWithNames = 4;
const keptBytes = 64 * 1024 * 1024;

/** A source that was read for calls that reach the same of it. */
export class SourceReading {
  private readonly withNames = new Map<string, ProgramText>();

  constructor(
    private readonly analysis: SourceAnalysis,
    private readonly reach: EntryReach,
    /** The text without names that a call alone uses. */
    readonly text: ProgramText,
  ) {}

  /** Estimate of the memory it takes. */
  get bytes(): number {
    return bytesPerText + this.text.source.length * bytesPerCharacter * 2;
  }

  /** The text with all of `slotNames`, which begin with its own. The same object for the same names. */
  textWith(slotNames: readonly string[]): ProgramText {
    if (slotNames.length === this.text.slotNames.length) return this.text;
    const key = slotNames.slice(this.text.slotNames.length).join();
    const found = this.withNames.get(key) ?? assemble(this.text, this.analysis, this.reach, slotNames);
    if (this.withNames.size < mostWithNames) this.withNames.set(key, found);
    return found;
  }
}

const readings = new LRUCache<string, SourceReading>({
  maxSize: keptBytes,
  sizeCalculation: ({ bytes }) => bytes,
});

/**
 * Reads normalised source `source` for the call that runs it; what was read for a call that reaches the same is kept. Throws ForetraceError:
 * invalid_python, program_too_long, program_too_deep, too_many_names.
 */
export function readSource(source: string, call: string): SourceReading {
  const reach = reachOf(source, call);
  const key = `${JSON.stringify(reach)}${source}`;
  const known = readings.get(key);
  if (known !== undefined) return known;
  const found = read(source, reach);
  readings.set(key, found);
  return found;
}

function read(source: string, reach: EntryReach): SourceReading {
  checkLines(source);
  const tokens = lex(source);
  checkCodeLines(tokens);
  const analysis = analyseSource(source, tokens, reach);
  const bound = new Set(analysis.moduleNames);
  for (const scope of analysis.scopes) for (const name of scope.names) bound.add(name);
  const writer = new ProgramWriter(source, bound);
  writer.program(tokens);
  const written = {
    source,
    sourceTokens: Int32Array.from(writer.out),
    codeLines: writer.codeLines,
    definitions: definitionsOf(tokens),
    bound,
  };
  return new SourceReading(analysis, reach, assemble(written, analysis, reach, writer.slotNames));
}

type Written = Pick<ProgramText, 'source' | 'sourceTokens' | 'codeLines' | 'definitions' | 'bound'>;

function assemble(
  { source, sourceTokens, codeLines, definitions, bound }: Written,
  analysis: SourceAnalysis,
  reach: EntryReach,
  slotNames: readonly string[],
): ProgramText {
  const slots = new Map(slotNames.map((name, slot) => [name, slotToken(slot)]));
  const scopes = buildScopes(analysis, codeLines, slots);
  return {
    source,
    textDigest: createHash('sha256')
      .update(JSON.stringify([source, reach, slotNames]))
      .digest('hex'),
    sourceTokens,
    code: codeByLine(sourceTokens),
    codeLines,
    lines: source.split('\n'),
    scopes,
    slots,
    slotNames,
    executableLines: ascending(scopes.flatMap((scope) => scope.lines)),
    definitions,
    bound,
    reboundNames: analysis.reboundNames,
    assignedOnce: analysis.assignedOnce,
  };
}

/** The tokens of each line behind its line and indentation tokens. */
function codeByLine(tokens: Int32Array): Int32Array[] {
  const starts = [...tokens.keys()].filter((at) => isLineToken(tokens[at] as number));
  return starts.map((start, index) => tokens.subarray(start + 2, starts[index + 1]));
}

const ascending = (lines: Iterable<number>): number[] => [...new Set(lines)].sort((a, b) => a - b);

/** Index of the last code line at or before `line` (0 if there is none): CPython also reports lines inside strings. */
export function ordinalOf(codeLines: readonly number[], line: number): number {
  let low = 0;
  let high = codeLines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((codeLines[middle] ?? 0) <= line) low = middle;
    else high = middle;
  }
  return low;
}

const snap = (codeLines: readonly number[], line: number): number =>
  codeLines[ordinalOf(codeLines, line)] ?? line;

function buildScopes(
  { scopes }: SourceAnalysis,
  codeLines: readonly number[],
  slots: ReadonlyMap<string, number>,
): Scope[] {
  return scopes.map((scope, index) => {
    const lines = ascending([...scope.lines].map((line) => snap(codeLines, line)));
    const callLines = ascending([...scope.callLines].map((line) => snap(codeLines, line)));
    const names = [...scope.names].filter((name) => slots.has(name));
    names.sort((a, b) => (slots.get(a) ?? 0) - (slots.get(b) ?? 0));
    return {
      index,
      name: scope.name,
      qualifiedName: scope.qualifiedName,
      firstLine: snap(codeLines, scope.firstLine),
      lastLine: scope.lastLine,
      isGenerator: scope.isGenerator,
      isPlain: scope.isPlain,
      isNamed: scope.isNamed,
      names,
      namesAtCall: names.filter((name) => scope.namesAtCall.has(name)),
      parameters: scope.parameters,
      keptParameters: scope.keptParameters,
      positional: scope.positional,
      lines,
      callLines,
      loops: loopTable(scope, [...lines, ...callLines]),
      clauses: scope.clauses,
      called: scope.called && new Set([...scope.called].map((line) => snap(codeLines, line))),
      flow: scope.flow && flowOnCodeLines(scope.flow, scope.lines, (line) => snap(codeLines, line)),
      parent: scope.parent === undefined ? undefined : scopes.indexOf(scope.parent),
    };
  });
}

function loopTable(scope: RawScope, lines: readonly number[]): Map<number, readonly number[]> {
  const table = new Map<number, readonly number[]>();
  for (const line of lines) {
    const around = scope.loops
      .filter((loop) => loop.line <= line && line <= loop.lastLine)
      .map((loop) => loop.line);
    if (around.length > 0) table.set(line, around);
  }
  return table;
}
