/** A step that is about to be asked, and what is known of it before. */
import type { Action } from '../debugger/action.js';
import type { Ended } from '../debugger/language/grammar.js';
import type { LeftFrame } from '../debugger/language/known-parts.js';
import type { Results } from '../debugger/language/results.js';
import type { Heads } from '../debugger/loop-heads.js';
import type { EnteredNext } from '../debugger/shared-variables.js';
import type { Cost } from './cost.js';
import type { WorkedQuestion } from './work-out.js';

export interface Settled {
  readonly results: Results;
  /** What is known of how the line ends on which the frame stands, or behind a `return` its caller. */
  readonly ended?: Ended | undefined;
  /** The line that comes next. */
  readonly next?: number | undefined;
  /** The function that is entered next, if one is (surely, where it is known that the line calls). */
  readonly entered?: EnteredNext;
  /** Names that stay what they are. */
  readonly frozen?: ReadonlySet<string> | undefined;
  /** Going back, by line: what names stood for on it. */
  readonly heads?: Heads;
  /** Going back into a frame that was called again: how it was left before. */
  readonly again?: LeftFrame;
  /** Of what was asked for it. */
  readonly logProbability: number;
  readonly cost: Cost;
}

/** A step that is about to be asked. */
export type AskedStep = WorkedQuestion & { readonly action: Action };
