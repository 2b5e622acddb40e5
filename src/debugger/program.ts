/** A program: its tokens, its lines, its names and its scopes (docs/trace-language.md, sections 2 and 3). */
import { createHash } from 'node:crypto';
import { hidesArguments, makesSeveralCalls } from './language/entry-callee.js';
import { type FunctionFlow, flowOnCodeLines } from './language/flow.js';
import { lex, normaliseSource } from './language/lexer.js';
import { checkCodeLines, ProgramWriter } from './language/program-writer.js';
import type { Analysis, RawScope } from './language/scopes.js';
import { checkLines } from './language/source-bounds.js';
import { analyseSource, parseEntry } from './language/syntax.js';
import { isLineToken, lineBase, lineToken, slotBase, slotToken, special } from './language/tokens.js';
import { currentFrame, type DebuggerState, type EventKind } from './state.js';

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

/** What a program is made of. */
export interface ProgramParts {
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
  /** Whether the entry may call several frames one after another: a class with __new__, a builtin with callbacks. */
  readonly hasSeveralCalls: boolean;
  /** The entry is written `f(...)`: its arguments are unknown, and a session needs a start state. */
  readonly hidesArguments: boolean;
  /** Names that a function inside another one may bind there (`nonlocal`). */
  readonly reboundNames: ReadonlySet<string>;
  /** First and last line of the statement, for names that are bound by one assignment of the module's own level alone. */
  readonly assignedOnce: ReadonlyMap<string, readonly [firstLine: number, lastLine: number]>;
}

const bytesPerCharacter = 160;
const bytesPerProgram = 4096;

/** A source and its entry call. Made by `parseProgram`; a value, never changed. */
export class Program implements ProgramParts {
  declare readonly source: string;
  declare readonly call: string;
  declare readonly digest: string;
  declare readonly tokens: Int32Array;
  declare readonly codeLines: readonly number[];
  declare readonly lines: readonly string[];
  declare readonly scopes: readonly Scope[];
  declare readonly slots: ReadonlyMap<string, number>;
  declare readonly slotNames: readonly string[];
  declare readonly executableLines: readonly number[];
  declare readonly hasSeveralCalls: boolean;
  declare readonly reboundNames: ReadonlySet<string>;
  declare readonly assignedOnce: ReadonlyMap<string, readonly [firstLine: number, lastLine: number]>;
  declare readonly hidesArguments: boolean;

  constructor(parts: ProgramParts) {
    Object.assign(this, parts);
  }

  /** Estimate of the memory it takes, its grammars left out (120 to 160 bytes a character were measured). */
  get bytes(): number {
    return bytesPerProgram + (this.source.length + this.call.length) * bytesPerCharacter;
  }

  /** The same locals in slot order; names the program does not have come last. */
  sortLocals<Value>(locals: ReadonlyMap<string, Value>): Map<string, Value> {
    const order = (name: string): number => this.slots.get(name) ?? Number.POSITIVE_INFINITY;
    return new Map([...locals].sort(([a], [b]) => (order(a) === order(b) ? 0 : order(a) - order(b))));
  }

  /** The scope of the current frame: the innermost on its line that lacks the fewest of its names. A line that only begins a call is one where no other is found. */
  scopeOf(state: DebuggerState): Scope | undefined {
    const { line, locals } = currentFrame(state);
    const missing = (scope: Scope): number =>
      [...locals.keys()].filter((name) => !scope.names.includes(name)).length;
    const stopping = this.scopes.filter((scope) => linesOfEvent(scope, state.event).includes(line));
    const beginning = this.scopes.filter(({ callLines }) => callLines.includes(line));
    const fitting = (stopping.length > 0 ? stopping : beginning).reverse();
    return fitting.reduce<Scope | undefined>(
      (best, scope) => (best && missing(best) <= missing(scope) ? best : scope),
      undefined,
    );
  }

  /** Name of the function the current frame runs; empty if the line belongs to none. */
  functionName(state: DebuggerState): string {
    return this.scopeOf(state)?.name ?? '';
  }

  /** Lines on which the current frame may stop, ascending. */
  linesOfFrame(state: DebuggerState): readonly number[] {
    return this.scopeOf(state)?.lines ?? [];
  }

  /** Line of the `call` event of the current frame. */
  callLineOfFrame(state: DebuggerState): number {
    return this.scopeOf(state)?.callLines[0] ?? currentFrame(state).line;
  }
}

/**
 * Reads a program. Throws ForetraceError: invalid_python, invalid_entry, program_too_long, program_too_deep,
 * too_many_names (docs/trace-language.md, section 2).
 */
export function parseProgram(source: string, call: string): Program {
  const text = normaliseSource(source);
  const entry = normaliseSource(call).trim();
  checkLines(text);
  const tokens = lex(text);
  checkCodeLines(tokens);
  const analysis = analyseSource(text, tokens, entry);
  const entryTokens = parseEntry(entry);
  const bound = new Set(analysis.moduleNames);
  for (const scope of analysis.scopes) for (const name of scope.names) bound.add(name);
  const writer = new ProgramWriter(text, bound);
  writer.program(tokens);
  writer.entry(entry, entryTokens);
  const { codeLines, slotNames } = writer;
  const slots = new Map(slotNames.map((name, slot) => [name, slotToken(slot)]));
  const scopes = buildScopes(analysis, codeLines, slots);
  return new Program({
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
    hasSeveralCalls: makesSeveralCalls(tokens, entryTokens),
    reboundNames: analysis.reboundNames,
    assignedOnce: analysis.assignedOnce,
    hidesArguments: hidesArguments(entryTokens),
  });
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

const snap = (codeLines: readonly number[], line: number): number =>
  codeLines[ordinalOf(codeLines, line)] ?? line;

/** Token of physical `line`: that of its code line, or of the last code line before it. */
export const lineTokenOf = (program: Program, line: number): number =>
  lineToken(ordinalOf(program.codeLines, line) + 1);

/** The code tokens of the code line that physical `line` stands for, without its line and indentation tokens. */
export function lineTokens(program: Program, line: number): Int32Array {
  const { tokens } = program;
  const start = tokens.indexOf(lineTokenOf(program, line)) + 2;
  let end = start;
  for (let token = tokens[end]; token !== undefined; token = tokens[end]) {
    if (isLineToken(token) || token === special.entry) break;
    end += 1;
  }
  return tokens.subarray(start, end);
}

/** The identifier of a slot token; empty if the program has no such slot. */
export const nameOfSlot = ({ slotNames }: ProgramParts, token: number): string =>
  slotNames[token - slotBase] ?? '';

/** Physical line of a line token; undefined if the program has no such code line. */
export const lineOfToken = (program: Program, token: number): number | undefined =>
  program.codeLines[token - lineBase];

/** Lines on which a frame of the scope can have this event; a paused frame, which waits for a call, has none. */
export function linesOfEvent(scope: Scope, event: EventKind | 'paused'): readonly number[] {
  if (event === 'call') return scope.callLines;
  return event === 'line' || !scope.isGenerator ? scope.lines : [...scope.lines, ...scope.callLines];
}

/** Lines of a function on which an answer may have this event: CPython 3.11 and later call generator expressions where their element begins, 3.10 also where they do. */
export const answeredLines = (scope: Scope, event: EventKind | 'paused'): readonly number[] =>
  event === 'call' && scope.name === '<genexpr>' ? scope.callLines.slice(-1) : linesOfEvent(scope, event);

/** Lines of the loops of `scope` around `line`, outermost first. */
export const loopsOf = (scope: Scope, line: number): readonly number[] => scope.loops.get(line) ?? [];

function buildScopes(
  { scopes }: Analysis,
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
