/**
 * A caller's line with the values that its calls gave in their place: behind a `return` the state has them all, in the order of the calls. Only where the
 * text tells which call gave which, and that no other is to come.
 */
import type { Program, Scope } from '../program.js';
import type { DebuggerState, Frame } from '../state.js';
import { gotLimit } from './encode.js';
import { goingOn, lineTokens } from './here.js';
import { inPlace } from './items.js';
import { changesNothing, isKnownFunction } from './known-calls.js';
import { isLiteral } from './literal-values.js';
import { lineParts, type Part, type PartKind } from './parts.js';
import { charToken, isSlotToken, slotBase, wordToken } from './tokens.js';
import { encodeValue } from './values.js';

const forWord = wordToken('for');
const opening = charToken('(');

/** A caller's line behind the last call that it makes. */
export interface ReturnedLine {
  /** Its code tokens; with the values in place of the calls, unless `value` tells all of it. */
  readonly code: readonly number[];
  /** Canonical repr of what the line computes, where that is what the last call gave. */
  readonly value?: string;
}

/** The line of the caller; undefined for other states, where the calls cannot be told, and where a value that is needed is no literal. */
export function returnedLine(program: Program, state: DebuggerState): ReturnedLine | undefined {
  const { event, value: last = '' } = state;
  const frame = event === 'return' ? goingOn(state) : undefined;
  if (frame === undefined || hasSpecialMethods(program)) return undefined;
  const code = [...lineTokens(program, frame.line)];
  const found = code[0] === forWord ? undefined : lineParts(code);
  if (found === undefined) return undefined;
  const calls = new CertainCalls(program, code, frame).of([...found.values, ...found.inner]);
  const texts = [...frame.gots, last];
  if (calls?.length !== texts.length || texts.length > gotLimit) return undefined;
  if (calls.at(-1) === found.values[0]) return { code, value: last };
  const values = texts.map((text) => encodeValue(program, text));
  return values.every(isLiteral) ? { code: withValuesOf(calls, values, code) } : undefined;
}

/** Code tokens with values in place of calls. */
function withValuesOf(
  calls: readonly Part[],
  values: readonly number[][],
  code: readonly number[],
): number[] {
  const places = new Map(
    calls.map(({ begin, until }, index) => [begin, { until, value: values[index] as number[] }]),
  );
  const out: number[] = [];
  for (let at = 0; at < code.length; ) {
    const place = places.get(at);
    if (place === undefined) out.push(code[at] as number);
    else out.push(...inPlace(place.value, code[place.until]));
    at = place?.until ?? at + 1;
  }
  return out;
}

/** Whether operators may call functions of the program. */
const hasSpecialMethods = ({ scopes }: Program): boolean =>
  scopes.some(({ name }) => /^__\w+__$/.test(name) && name !== '__init__');

/** It cannot be told which functions are called. */
class Untold extends Error {}

/** The calls of functions of the program that a line surely makes, in the order in which they return. */
class CertainCalls {
  private readonly found: Part[] = [];
  /** Tokens of names that stand for one function each: in calls of the name, and of the name as an attribute. */
  private readonly plain: ReadonlySet<number>;
  private readonly methods: ReadonlySet<number>;

  constructor(
    private readonly program: Program,
    private readonly code: ArrayLike<number>,
    private readonly frame: Frame,
  ) {
    const functions = program.scopes.filter(({ isGenerator }) => !isGenerator);
    const isOnly = ({ name }: Scope): boolean =>
      program.scopes.filter((other) => other.name === name).length === 1;
    const tokens = (scopes: readonly Scope[]) =>
      new Set(scopes.map(({ name }) => program.slots.get(name) ?? -1));
    this.plain = tokens(functions.filter(({ isPlain }) => isPlain));
    this.methods = tokens(functions.filter((scope) => scope.isNamed && isOnly(scope)));
  }

  /** undefined: they cannot be told, or there may be others. */
  of(parts: readonly Part[]): readonly Part[] | undefined {
    try {
      this.visitAll(parts);
    } catch (error) {
      if (error instanceof Untold) return undefined;
      throw error;
    }
    return this.found;
  }

  private visitAll(parts: readonly Part[]): void {
    for (const part of parts) this.visit(part);
  }

  private visit(part: Part): void {
    const { kind, parts } = part;
    if (kind === 'call') this.call(part);
    else if (kind === 'name') expect(this.isLiteralName(part));
    else if (kind !== 'lambda') {
      const surely = surelyEvaluated[kind] ?? parts.length;
      expect(this.entersNothing(part) && parts.slice(surely).every((inner) => this.isQuiet(inner)));
      this.visitAll(parts.slice(0, surely));
    }
  }

  private call(part: Part): void {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    const isMethod = callee.kind === 'attribute';
    const isOurs =
      (isMethod ? this.methods : this.plain).has(this.code[callee.end - 1] as number) &&
      (isMethod || callee.kind === 'name');
    expect(isOurs || changesNothing(this.code, callee));
    const named = given.findIndex(({ kind }) => kind === 'keyword');
    // `f(a=g(), *h())` calls h first.
    expect(named < 0 || given.slice(named).every(({ kind }) => kind !== 'star'));
    if (isMethod && !(isOurs && callee.parts[0]?.kind === 'name')) this.visitAll(callee.parts);
    for (const argument of given) {
      const inner = argument.kind === 'keyword' ? (argument.parts[0] as Part) : argument;
      // What a builtin is given it may call.
      expect(isOurs || inner.kind !== 'lambda');
      if (inner.kind !== 'name' || !isOurs) this.visit(inner);
    }
    if (isOurs) this.found.push(part);
  }

  /** Whether a name is bound to a literal, or is that of a builtin: nothing of the program runs when it is used. */
  private isLiteralName({ first }: Part): boolean {
    const token = this.code[first] as number;
    if (!isSlotToken(token)) return isKnownFunction(token);
    const text = this.frame.locals.get(this.program.slotNames[token - slotBase] ?? '');
    return text !== undefined && isLiteral(encodeValue(this.program, text));
  }

  /** Whether nothing of the program runs for the part itself, which is no call. */
  private entersNothing({ kind, first, end }: Part): boolean {
    if (kind !== 'text') return kind !== 'generator' && kind !== 'attribute';
    return !Array.from({ length: end - first }, (_, at) => this.code[first + at]).includes(opening);
  }

  /** Whether nothing of the program runs when the part is evaluated, but for what its names stand for. */
  private isQuiet(part: Part): boolean {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    if (part.kind !== 'call')
      return (
        part.kind !== 'lambda' && this.entersNothing(part) && part.parts.every((inner) => this.isQuiet(inner))
      );
    const inside = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
    return changesNothing(this.code, callee) && inside.every((inner) => this.isQuiet(inner));
  }
}

function expect(isTold: boolean): void {
  if (!isTold) throw new Untold();
}

/** How many parts of a kind are surely evaluated, where it is not all of them. */
const surelyEvaluated: Partial<Record<PartKind, number>> = {
  and: 1,
  or: 1,
  ternary: 1,
  compare: 2,
  comprehension: 1,
};
