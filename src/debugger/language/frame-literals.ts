/** The literals that the names of a frame are bound to. */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { valueOfName } from './constants.js';
import { isLiteral } from './literal-values.js';

/** The value of a slot, if it is a literal. */
export function literalOf(program: Program, frame: Frame, slot: number): readonly number[] | undefined {
  const value = valueOfName(program, frame, slot);
  return value !== undefined && isLiteral(value) ? value : undefined;
}

/** The same, each encoded once. */
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
