/** How an operation comes about that is made of others, each of which is asked by itself (docs/trace-language.md, section 9). */
import type { Part } from './parts.js';

export type Value = readonly number[];
/** A value; `waits`: there is no answer yet; undefined: it is not known. */
export type Found = Value | 'waits' | undefined;
/** The value of a part of the code, if it is known. */
export type Told = (part: Part) => Value | undefined;
/** What an expression comes to. */
export type ValueFor = (code: Value) => Found;

export interface Plan {
  /** The most questions that are needed. */
  readonly questions: number;
  /** What they come to. */
  readonly value: (valueFor: ValueFor) => Found;
}
