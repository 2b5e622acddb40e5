/** A statement that has just run, and what taking it back tells. */
import type { LineParts } from '../language/line-parts.js';
import { type Part, partTokens } from '../language/parts.js';
import type { Value } from '../language/plan.js';
import { textOf } from '../language/told-values.js';
import { nameOfSlot, type Program } from '../program.js';
import type { Running } from '../running.js';
import { type Place, Places } from './places.js';

/** By name, what is told without the model; undefined: unbound. */
export type Before = ReadonlyMap<string, string | undefined>;

export interface Undone {
  readonly told: Before;
  /** The code of an expression that must be worked out for more, and what follows from its value, if that is a literal. */
  readonly asked?: { readonly code: readonly number[]; readonly follows: (value: Value) => Undone };
  /** Of what is told, where it is not sure. */
  readonly logProbability?: number;
}

export const nothing: Undone = { told: new Map() };
export const asking = (code: readonly number[], follows: (value: Value) => Undone): Undone => ({
  told: new Map(),
  asked: { code, follows },
});

/** Of the assignments to what is the last key of a dict then, so many have put it there (152 of 173 in runs of real functions and generated programs). */
export const isNewKey = Math.log(0.88);

export class Statement {
  readonly places: Places;

  constructor(
    readonly program: Program,
    readonly running: Running,
    /** The line that it stands on. */
    readonly at: number,
    readonly code: readonly number[],
    readonly line: LineParts,
  ) {
    this.places = new Places(program, running);
  }

  /** Code tokens of a part. */
  tokens(part: Part): readonly number[] {
    return partTokens(this.code, part);
  }

  /** That a name stood for a value. */
  bound(slot: number, value: Value | undefined): Undone {
    const name = nameOfSlot(this.program, slot);
    const text = value && textOf(this.program, value);
    const isTold = text !== undefined && this.running.scope.names.includes(name);
    return { told: new Map(isTold ? [[name, text]] : []) };
  }

  /** That a place had a value. isEmpty: it is one that an item begins with which looking it up has made. */
  had(place: Place, value: Value | undefined, isEmpty: boolean): Undone {
    if (isEmpty && place.absent) return { ...this.bound(place.slot, place.absent), logProbability: isNewKey };
    return this.bound(place.slot, value && place.replaced(value));
  }
}
