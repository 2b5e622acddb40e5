/** The frames that a delta tells of, and the state that they make of the one before it. */
import type { Program } from '../program.js';
import { type DebuggerState, depth, type EventKind, type Frame } from '../state.js';
import { stackLimit } from './encode.js';

/** What a delta tells of a frame. */
export interface FrameDelta {
  line: number;
  readonly its: number[];
  readonly changes: Map<string, string | undefined>;
  readonly gots: string[];
  readonly event: EventKind | undefined;
  value?: string;
}

/** What the first frame of a delta was, which leaves so many frames of the state before it. */
export function baseFrame(before: DebuggerState, pops: number): Frame | undefined {
  const common = depth(before) - pops;
  const isShown = common > depth(before) - Math.min(before.frames.length, stackLimit);
  return isShown ? before.frames[common - 1 - before.hiddenFrames] : undefined;
}

/** The state after a delta that leaves so many frames of the state before it and has these, the current one last. */
export function stateAfter(
  program: Program,
  before: DebuggerState,
  pops: number,
  deltas: readonly FrameDelta[],
): DebuggerState {
  const kept = Math.max(depth(before) - pops - 1, 0);
  const frames: Frame[] = before.frames.slice(0, Math.max(kept - before.hiddenFrames, 0));
  const hiddenFrames = Math.min(before.hiddenFrames, kept);
  let base: ReadonlyMap<string, string> = baseFrame(before, pops)?.locals ?? new Map();
  for (const delta of deltas) {
    frames.push({
      line: delta.line,
      locals: changed(program, base, delta.changes),
      its: delta.its,
      // A statement that begins has none, whatever the answer says.
      gots: delta.event === 'line' ? [] : delta.gots,
    });
    base = new Map();
  }
  const { event = 'line', value } = deltas.at(-1) as FrameDelta;
  return { event, frames, hiddenFrames, ...(value === undefined ? {} : { value }) };
}

function changed(
  program: Program,
  base: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string> {
  const out = new Map(base);
  for (const [name, value] of changes) {
    if (value === undefined) out.delete(name);
    else out.set(name, value);
  }
  return program.sortLocals(out);
}
