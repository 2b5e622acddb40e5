/** Values that a line of code tokens tells in a frame: those of its literals and names, and what is made of these alone. */
import { isImmutable } from '../frozen.js';
import type { Program } from '../program.js';
import type { Running } from '../running.js';
import { brace } from './displays.js';
import { taken } from './items.js';
import { isLiteral } from './literal-values.js';
import { type Part, partTokens } from './parts.js';
import { charToken, slotBase } from './tokens.js';
import { toldValue } from './told.js';
import { decodeValue, encodeValue, longestText } from './values.js';

type Value = readonly number[];
const square = charToken('[');

/** What parts of a line are worth, and what is assigned by it, where the line tells it. */
export class ToldLine {
  constructor(
    private readonly program: Program,
    private readonly running: Running,
    private readonly code: ArrayLike<number>,
    private readonly isStale: boolean,
    /** A part of which it is known otherwise. */
    private readonly computed?: { readonly part: Part; readonly text: string } | undefined,
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
    if (target.kind === 'subscript') return this.replaced(target, value);
    const tokens = target.kind === 'display' ? this.tokens(value) : undefined;
    const found = tokens && taken(partTokens(this.code, target), tokens);
    return this.bound([...(found ?? [])].map(([slot, item]) => [slot, this.written(item)]));
  }

  /** `xs[:] = [1, 2]`: a list has other items, all of them. */
  private replaced({ parts }: Part, value: Part): [name: string, text: string][] {
    const [base, index] = parts as [Part, Part];
    const isWhole = index.kind === 'slice' && index.parts.length === 0 && index.end - index.first === 1;
    const list =
      isWhole && base.kind === 'name' ? this.running.frame.locals.get(this.nameOf(base)) : undefined;
    const tokens = this.tokens(value);
    const isList = list?.startsWith('[') && tokens?.[0] === square;
    return isList ? this.bound([[this.code[base.first] as number, this.written(tokens)]]) : [];
  }

  private bound(values: readonly [slot: number, text: string | undefined][]): [name: string, text: string][] {
    return values.flatMap(([slot, text]) => {
      const name = this.program.slotNames[slot - slotBase];
      const isLocal = name !== undefined && this.running.scope.names.includes(name);
      return isLocal && text !== undefined ? [[name, text]] : [];
    });
  }

  private nameOf({ first }: Part): string {
    return this.program.slotNames[(this.code[first] as number) - slotBase] ?? '';
  }

  private named(part: Part): string | undefined {
    const name = this.nameOf(part);
    const current = this.running.current?.get(name);
    if (current !== undefined) return current;
    const text = this.running.frame.locals.get(name);
    const mayDiffer = this.isStale && (this.program.reboundNames.has(name) || !isImmutable(text ?? ''));
    return mayDiffer ? undefined : text;
  }

  private written(tokens: Value): string | undefined {
    const text = decodeValue(this.program, tokens);
    return typeof text === 'string' && text.length <= longestText ? text : undefined;
  }
}
