/** The frames that led to a state, in the very tokens that the model read and wrote: reading them again is free, and nothing is written differently the second time. */
import { createHash } from 'node:crypto';
import type { Trail } from '../../debugger/state.js';

export class FrameTrail implements Trail {
  readonly key: string;
  /** Tokens of all frames. */
  readonly length: number;

  /** @param before what it goes on from; null: from the beginning of the run */
  constructor(
    private readonly before: FrameTrail | null,
    private readonly own: Int32Array,
  ) {
    this.length = (before?.length ?? 0) + own.length;
    const hash = createHash('sha256').update(before?.key ?? '');
    this.key = hash.update(new Uint8Array(own.buffer, own.byteOffset, own.byteLength)).digest('base64url');
  }

  /** Of all that it holds: a state may be the last one that does. */
  get bytes(): number {
    return 512 + 4 * this.length;
  }

  /** Appends the tokens of all frames. */
  addTo(tokens: number[]): void {
    const trails: FrameTrail[] = [];
    for (let trail: FrameTrail | null = this; trail !== null; trail = trail.before) trails.push(trail);
    for (const trail of trails.reverse()) for (const token of trail.own) tokens.push(token);
  }
}
