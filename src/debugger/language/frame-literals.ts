/** The literals that the names of a frame are bound to. */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { valueOfName } from './constants.js';
import { isLiteral } from './literal-values.js';
import type { Part } from './parts.js';
import { toldValue } from './told.js';

/** The value of a slot, if it is a literal. */
export function literalOf(program: Program, frame: Frame, slot: number): readonly number[] | undefined {
  const value = valueOfName(program, frame, slot);
  return value !== undefined && isLiteral(value) ? value : undefined;
}

/** The value of a part of code, made of its literals and of such values of names; undefined where that does not tell it. */
export const toldIn = (
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  part: Part,
): readonly number[] | undefined =>
  toldValue(code, part, ({ kind, first }) =>
    kind === 'name' ? (literalOf(program, frame, code[first] as number) ?? null) : undefined,
  );

/** Literals of names, each encoded once. */
export class Literals {
  private readonly found = new Map<number, readonly number[] | undefined>();

  constructor(
    private readonly program: Program,
    private readonly frame: Frame,
  ) {}

  of(slot: number): readonly number[] | undefined {
    if (!this.found.has(slot)) this.found.set(slot, literalOf(this.program, this.frame, slot));
    return this.found.get(slot);
  }
}
