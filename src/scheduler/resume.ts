/**
 * Where a preempted generation goes on. The engine starts a generation outside every sub-automaton, so the answer so far is kept
 * up to its last token at which the return stack was empty; the few tokens behind it are generated again. They come out the same, because
 * a token depends on its prefix, the grammar, and (seed, position) alone; `apply` checks it.
 */
import { ForetraceError } from '../errors.js';
import { GrammarWalker } from '../native/grammar-walker.js';
import type { Constraint } from './request.js';

export interface ResumePoint {
  /** Generated tokens that become known tokens. */
  readonly kept: number;
  readonly state: number;
  /** Frame stack, bottom first. */
  readonly frames: Int32Array;
}

const nothing = new Int32Array(0);

/** @throws ForetraceError `internal` if the tokens do not follow the constraint. */
export function resumePoint(
  constraint: Constraint | undefined,
  generated: Int32Array,
  maxNewTokens: number,
): ResumePoint {
  if (constraint === undefined) return { kept: generated.length, state: 0, frames: nothing };
  const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, maxNewTokens);
  let point: ResumePoint = { kept: 0, state: constraint.state, frames: constraint.frames };
  for (let index = 0; index < generated.length; index += 1) {
    const token = generated[index] as number;
    if (!walker.accept(token)) {
      throw new ForetraceError('internal', 'A preempted answer does not follow its own grammar', {
        expected: 'a legal token',
        actual: `token ${token} at ${index}`,
      });
    }
    if (walker.callDepth === 0)
      point = { kept: index + 1, state: walker.currentState, frames: walker.frameStack };
  }
  return point;
}
