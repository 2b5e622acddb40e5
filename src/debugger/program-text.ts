/**
 * What a program is but for the call that runs it: lines, names and scopes (docs/trace-language.md, sections 2 and 3). Many calls run few sources,
 * so the text is read once for all of them.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Definitions, definitionsOf } from './language/entry-callee.js';
import { type EntryReach, reachOf } from './language/entry-reach.js';
import { type LexicalToken, lex } from './language/lexer.js';
import { checkCodeLines, ProgramWriter } from './language/program-writer.js';
import { checkLines } from './language/source-bounds.js';
import { analyseSource } from './language/syntax.js';
import type { SourceAnalysis } from './language/syntax-visitor.js';
import { isLineToken, slotToken } from './language/tokens.js';
import { ascending, buildScopes, type Scope } from './program-scopes.js';

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
  /** Whether `getattr` and `setattr` of the program may reach its functions and classes (entry-reach.ts). */
  readonly spellsNames: boolean;
  /** First and last line of the statement, for names that are bound by one assignment of the module's own level alone. */
  readonly assignedOnce: ReadonlyMap<string, readonly [firstLine: number, lastLine: number]>;
}

/** Estimate of the memory of what is read of so many characters (120 to 160 bytes for each were measured). */
export const readBytes = (characters: number): number => 4096 + 160 * characters;
/** Most texts of one reading with names of calls, which seldom bring any. */
const mostWithNames = 4;
const keptBytes = 64 * 1024 * 1024;

/** A source that was read for calls that reach the same of it. */
export class SourceReading {
  private readonly analysis: SourceAnalysis;
  /** None once they have been written. */
  private tokens: readonly LexicalToken[];
  private written: ProgramText | undefined;
  private readonly withNames = new Map<string, ProgramText>();

  /** Throws invalid_python, program_too_long, program_too_deep. */
  constructor(
    private readonly source: string,
    private readonly reach: EntryReach,
  ) {
    this.tokens = lex(source);
    checkCodeLines(this.tokens);
    this.analysis = analyseSource(source, this.tokens, reach);
  }

  /** Estimate of the memory it takes. */
  get bytes(): number {
    return readBytes(2 * this.source.length);
  }

  /** The text without names that a call alone uses. Throws too_many_names, invalid_python. */
  get text(): ProgramText {
    if (this.written === undefined) {
      this.written = write(this.source, this.tokens, this.analysis, this.reach);
      this.tokens = [];
    }
    return this.written;
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
 * invalid_python, program_too_long, program_too_deep.
 */
export function readSource(source: string, call: string): SourceReading {
  checkLines(source);
  const reach = reachOf(source, call);
  const key = `${JSON.stringify(reach)}${source}`;
  const known = readings.get(key);
  if (known !== undefined) return known;
  const found = new SourceReading(source, reach);
  readings.set(key, found);
  return found;
}

function write(
  source: string,
  tokens: readonly LexicalToken[],
  analysis: SourceAnalysis,
  reach: EntryReach,
): ProgramText {
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
  return assemble(written, analysis, reach, writer.slotNames);
}

type Written = Pick<ProgramText, 'source' | 'sourceTokens' | 'codeLines' | 'definitions' | 'bound'>;

function assemble(
  { source, sourceTokens, codeLines, definitions, bound }: Written,
  analysis: SourceAnalysis,
  reach: EntryReach,
  slotNames: readonly string[],
): ProgramText {
  const slots = new Map(slotNames.map((name, slot) => [name, slotToken(slot)]));
  const scopes = buildScopes(analysis.scopes, codeLines, slots);
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
    spellsNames: reach.spells,
  };
}

/** The tokens of each line behind its line and indentation tokens. */
function codeByLine(tokens: Int32Array): Int32Array[] {
  const starts = [...tokens.keys()].filter((at) => isLineToken(tokens[at] as number));
  return starts.map((start, index) => tokens.subarray(start + 2, starts[index + 1]));
}
