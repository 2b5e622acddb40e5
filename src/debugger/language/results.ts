/** What a statement leaves, where its line tells it once it has been worked out: nothing is left to predict of `x = 3` but what comes next. */
import { isImmutable } from '../frozen.js';
import type { Program, Scope } from '../program.js';
import type { Frame } from '../state.js';
import { brace } from './displays.js';
import { taken } from './items.js';
import { changesNothing } from './known-calls.js';
import { isLiteral, truthOfLiteral } from './literal-values.js';
import { lineParts, type Part } from './parts.js';
import { slotBase, wordToken } from './tokens.js';
import { toldValue } from './told.js';
import { decodeValue, encodeValue } from './values.js';

type Value = readonly number[];

/** A frame on a line of the function that it runs. */
export interface Standing {
  readonly frame: Frame;
  readonly scope: Scope;
}

/** Canonical reprs of what a statement leaves, as far as they are told. */
export interface Results {
  /** By name. */
  readonly assigned: ReadonlyMap<string, string>;
  readonly returned?: string;
  /** What a condition comes to. */
  readonly holds?: boolean;
}

export const noResults: Results = { assigned: new Map() };

const returnWord = wordToken('return');
const conditionWords = new Set(['if', 'elif', 'while'].map(wordToken));
/** Characters of a value; a longer one is cut. */
const longestText = 256;

/**
 * What a line of code tokens leaves that begins in the frame. `isStale`: something was called since the values of the frame were seen, or may yet be, and
 * may have changed lists and their like. `computed`: canonical repr of what the line computes, where it is known.
 */
export function resultsOf(
  program: Program,
  { frame, scope }: Standing,
  code: ArrayLike<number>,
  isStale: boolean,
  computed?: string,
): Results {
  const line = lineParts(code);
  if (line === undefined) return noResults;
  const [value] = line.values;
  const calls = [...line.values, ...line.inner].some((part) => mayCall(code, part));
  const top = value && computed !== undefined ? { part: value, text: computed } : undefined;
  const told = new Told(program, { frame, scope }, code, isStale || calls, top);
  const text = value && told.text(value);
  if (code[0] === returnWord) {
    const returned = code.length === 1 ? 'None' : text;
    return { assigned: new Map(), ...(returned === undefined ? {} : { returned }) };
  }
  if (conditionWords.has(code[0] as number)) {
    const tokens = value && told.tokens(value);
    return { assigned: new Map(), ...(tokens === undefined ? {} : { holds: truthOfLiteral(tokens) }) };
  }
  const assigned = new Map<string, string>();
  if (value !== undefined)
    for (const target of line.targets)
      for (const [name, found] of told.assigned(target, value)) assigned.set(name, found);
  return { assigned };
}

/** Whether something is called that may change what names are bound to. */
const mayCall = (code: ArrayLike<number>, { kind, parts }: Part): boolean =>
  kind === 'text' ||
  (kind === 'call' && !changesNothing(code, parts[0] as Part)) ||
  parts.some((inner) => mayCall(code, inner));

class Told {
  constructor(
    private readonly program: Program,
    private readonly standing: Standing,
    private readonly code: ArrayLike<number>,
    private readonly isStale: boolean,
    private readonly computed: { readonly part: Part; readonly text: string } | undefined,
  ) {}

  /** The value of a literal, or of what is made of literals. */
  tokens(part: Part): Value | undefined {
    return toldValue(this.code, part, (inner) => {
      if (inner.kind !== 'name' && inner !== this.computed?.part) return undefined;
      const text = this.text(inner);
      const value = text === undefined ? [] : encodeValue(this.program, text);
      return isLiteral(value) ? value : null;
    });
  }

  /** The canonical repr of such a value, or of whatever a name stands for. */
  text(part: Part): string | undefined {
    if (part === this.computed?.part) return this.computed.text;
    if (part.kind === 'name') return this.named(part);
    const tokens = this.tokens(part);
    return tokens && this.written(tokens);
  }

  /** What the names of a target are bound to. */
  assigned(target: Part, value: Part): [name: string, text: string][] {
    const parts = [...target.parts, ...value.parts];
    const isPairwise =
      target.kind === 'display' &&
      value.kind === 'display' &&
      target.parts.length === value.parts.length &&
      this.code[value.first] !== brace &&
      !parts.some(({ kind }) => kind === 'star');
    if (isPairwise)
      return target.parts.flatMap((inner, index) => this.assigned(inner, value.parts[index] as Part));
    if (target.kind === 'name') return this.bound([[this.code[target.first] as number, this.text(value)]]);
    const tokens = target.kind === 'display' ? this.tokens(value) : undefined;
    const found = tokens && taken(this.slice(target), tokens);
    return this.bound([...(found ?? [])].map(([slot, item]) => [slot, this.written(item)]));
  }

  private bound(values: readonly [slot: number, text: string | undefined][]): [name: string, text: string][] {
    return values.flatMap(([slot, text]) => {
      const name = this.program.slotNames[slot - slotBase];
      const isLocal = name !== undefined && this.standing.scope.names.includes(name);
      return isLocal && text !== undefined ? [[name, text]] : [];
    });
  }

  private named({ first }: Part): string | undefined {
    const name = this.program.slotNames[(this.code[first] as number) - slotBase] ?? '';
    const text = this.standing.frame.locals.get(name);
    const mayDiffer = this.isStale && (this.program.reboundNames.has(name) || !isImmutable(text ?? ''));
    return mayDiffer ? undefined : text;
  }

  private written(tokens: Value): string | undefined {
    const text = decodeValue(this.program, tokens);
    return typeof text === 'string' && text.length <= longestText ? text : undefined;
  }

  private slice({ first, end }: Part): number[] {
    return Array.from({ length: end - first }, (_, at) => this.code[first + at] as number);
  }
}
