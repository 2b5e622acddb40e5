/** A program: a source, and the call that runs it (docs/trace-language.md, sections 2 and 3). */
import { createHash } from 'node:crypto';
import { readReached } from './excerpts/excerpt.js';
import { hidesArguments, makesSeveralCalls } from './language/entry-callee.js';
import { normaliseSource } from './language/lexer.js';
import { ProgramWriter } from './language/program-writer.js';
import { parseEntry } from './language/syntax.js';
import { lineBase, lineToken, slotBase } from './language/tokens.js';
import { ordinalOf, type Scope } from './program-scopes.js';
import { type ProgramText, readBytes } from './program-text.js';
import { currentFrame, type DebuggerState, type EventKind } from './state.js';

export type { Scope } from './program-scopes.js';
export type { ProgramText } from './program-text.js';

/** What the call that runs a program adds to its text. */
interface Entry {
  readonly call: string;
  /** Normalised text that was given; `source` is what the call reaches of it where it is too long to be read altogether. */
  readonly whole: string;
  /** SHA-256 of source and call, hexadecimal. */
  readonly digest: string;
  /** `<|program|>` to the end of the entry. */
  readonly tokens: Int32Array;
  /** Whether the entry may call several frames one after another: a class with __new__, a builtin with callbacks. */
  readonly hasSeveralCalls: boolean;
  /** The entry is written `f(...)`: its arguments are unknown, and a session needs a start state. */
  readonly hidesArguments: boolean;
}

/** A source and its entry call. Made by `parseProgram`; a value, never changed. */
export class Program implements ProgramText, Entry {
  declare readonly source: string;
  declare readonly textDigest: string;
  declare readonly sourceTokens: Int32Array;
  declare readonly code: readonly Int32Array[];
  declare readonly codeLines: readonly number[];
  declare readonly lines: readonly string[];
  declare readonly scopes: readonly Scope[];
  declare readonly slots: ReadonlyMap<string, number>;
  declare readonly slotNames: readonly string[];
  declare readonly executableLines: readonly number[];
  declare readonly definitions: ProgramText['definitions'];
  declare readonly bound: ReadonlySet<string>;
  declare readonly reboundNames: ReadonlySet<string>;
  declare readonly spellsNames: boolean;
  declare readonly assignedOnce: ProgramText['assignedOnce'];
  declare readonly call: string;
  declare readonly whole: string;
  declare readonly digest: string;
  declare readonly tokens: Int32Array;
  declare readonly hasSeveralCalls: boolean;
  declare readonly hidesArguments: boolean;

  /** `text`: the same object for all programs that differ in nothing but their calls. */
  constructor(
    readonly text: ProgramText,
    entry: Entry,
  ) {
    Object.assign(this, text, entry);
  }

  /** Estimate of the memory it takes, its grammars left out. */
  get bytes(): number {
    return readBytes(this.source.length + this.call.length) + this.whole.length;
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
 * Reads a program; of a source that is too long what the call reaches. Throws ForetraceError: invalid_python, invalid_entry, program_too_long,
 * program_too_deep, too_many_names (docs/trace-language.md, section 2).
 */
export function parseProgram(source: string, call: string): Program {
  const whole = normaliseSource(source);
  const entry = normaliseSource(call).trim();
  const reading = readReached(whole, entry);
  const tokens = parseEntry(entry);
  const { bound, definitions, slotNames, sourceTokens } = reading.text;
  const writer = new ProgramWriter(entry, bound, slotNames);
  writer.entry(tokens);
  const written = new Int32Array(sourceTokens.length + writer.out.length);
  written.set(sourceTokens);
  written.set(writer.out, sourceTokens.length);
  return new Program(reading.textWith(writer.slotNames), {
    call: entry,
    whole,
    digest: createHash('sha256').update(reading.text.source).update('\0').update(entry).digest('hex'),
    tokens: written,
    hasSeveralCalls: makesSeveralCalls(definitions, tokens),
    hidesArguments: hidesArguments(tokens),
  });
}

/** Columns that a line is indented by. */
export const indentOf = ({ lines }: Program, line: number): number =>
  /^\s*/.exec(lines[line - 1] ?? '')?.[0].length ?? 0;

/** What `find` makes of a program's text, found once for all programs of that text. */
export function perText<Found>(find: (text: ProgramText) => Found): (program: ProgramText) => Found {
  const known = new WeakMap<ProgramText, { readonly found: Found }>();
  return (program) => {
    const text = program instanceof Program ? program.text : program;
    let entry = known.get(text);
    if (entry === undefined) {
      entry = { found: find(text) };
      known.set(text, entry);
    }
    return entry.found;
  };
}

/** What `find` makes of a program, found once. */
export function perProgram<Found>(find: (program: Program) => Found): (program: Program) => Found {
  const known = new WeakMap<Program, { readonly found: Found }>();
  return (program) => {
    const entry = known.get(program) ?? { found: find(program) };
    known.set(program, entry);
    return entry.found;
  };
}

/** Token of physical `line`: that of its code line, or of the last code line before it. */
export const lineTokenOf = (program: ProgramText, line: number): number =>
  lineToken(ordinalOf(program.codeLines, line) + 1);

const noTokens = new Int32Array(0);

/** The code tokens of the code line that physical `line` stands for, without its line and indentation tokens. The same array each time. */
export const lineTokens = ({ code, codeLines }: ProgramText, line: number): Int32Array =>
  code[ordinalOf(codeLines, line)] ?? noTokens;

/** The identifier of a slot token; empty if the program has no such slot. */
export const nameOfSlot = ({ slotNames }: ProgramText, token: number): string =>
  slotNames[token - slotBase] ?? '';

/** Physical line of a line token; undefined if the program has no such code line. */
export const lineOfToken = (program: ProgramText, token: number): number | undefined =>
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
