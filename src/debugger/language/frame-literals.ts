/** The literals that the names of a frame and their attributes are bound to. */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { type ValueAt, valueAt } from './attributes.js';
import { valueOfName } from './constants.js';
import { isLiteral } from './literal-values.js';
import { isNamed, type Part, partTokens } from './parts.js';
import { toldValue } from './told.js';

/** The value of a slot, if it is a literal. */
export function literalOf(program: Program, frame: Frame, slot: number): readonly number[] | undefined {
  const value = valueOfName(program, frame, slot);
  return value !== undefined && isLiteral(value) ? value : undefined;
}

/** The value of a name, or of an attribute of one that its value tells, if it is a literal. */
export function literalAt(
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  { first, end }: Pick<Part, 'first' | 'end'>,
): readonly number[] | undefined {
  const found = valueAt(program, code, first, frame);
  return found.value !== undefined && found.end === end && isLiteral(found.value) ? found.value : undefined;
}

/** The value of the name or attribute that code begins with, if it is a literal, and where that ends. */
export function begins(program: Program, frame: Frame, code: ArrayLike<number>): ValueAt {
  const { value, end } = valueAt(program, code, 0, frame);
  return { value: value && isLiteral(value) ? value : undefined, end };
}

/** The value of a part of code, made of its literals and of such values of names; undefined where that does not tell it. */
export const toldIn = (
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  part: Part,
): readonly number[] | undefined =>
  toldValue(code, part, (inner) =>
    isNamed(inner) ? (literalAt(program, frame, code, inner) ?? null) : undefined,
  );

/** Literals of names and attributes, each encoded once. */
export class Literals {
  private readonly found = new Map<string, readonly number[] | undefined>();

  constructor(
    private readonly program: Program,
    private readonly frame: Frame,
  ) {}

  at(code: ArrayLike<number>, part: Part): readonly number[] | undefined {
    const key = partTokens(code, part).join();
    if (!this.found.has(key)) this.found.set(key, literalAt(this.program, this.frame, code, part));
    return this.found.get(key);
  }
}
