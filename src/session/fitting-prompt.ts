/** Prompts that fit into the context of the model: where a state is too long its values are shown shorter, those of frames that wait first. */
import { boundedRepr } from '../debugger/literals.js';
import type { DebuggerState, Frame } from '../debugger/state.js';
import { fits, type ModelAccess } from './submit-question.js';

/** Most characters of a value that models were trained with. */
const shownLength = 256;

/** Most characters that are shown of values, of frames that wait and of the one that runs, one pair after the other is tried. */
const lengths = [
  [48, shownLength],
  [24, 128],
  [12, 48],
] as const;

/** The prompt of a question about a state, of one with shorter values if it does not fit; as it is where none of these does either. */
export function fittingPrompt(
  access: ModelAccess,
  state: DebuggerState | null,
  encode: (shown: DebuggerState | null) => Int32Array,
): Int32Array {
  if (state === null) return encode(state);
  const whole = encode(asShown(state));
  if (fits(access, whole.length)) return whole;
  for (const [waiting, running] of lengths) {
    const tokens = encode(shortened(state, waiting, running));
    if (fits(access, tokens.length)) return tokens;
  }
  return whole;
}

/** A state with its values as prompts show them. */
export const asShown = (state: DebuggerState): DebuggerState => shortened(state, shownLength, shownLength);

/** The state itself where all its values are as short. */
function shortened(state: DebuggerState, waiting: number, running: number): DebuggerState {
  const last = state.frames.length - 1;
  const frames = state.frames.map((frame, at) => shorter(frame, at < last ? waiting : running));
  const value = state.value === undefined ? undefined : boundedRepr(state.value, running);
  const isSame = value === state.value && frames.every((frame, at) => frame === state.frames[at]);
  return isSame ? state : { ...state, frames, ...(value !== undefined && { value }) };
}

function shorter(frame: Frame, length: number): Frame {
  const isShort = (text: string): boolean => text.length <= length;
  if ([...frame.locals.values(), ...frame.gots].every(isShort)) return frame;
  const cut = (text: string): string => boundedRepr(text, length);
  const locals = new Map([...frame.locals].map(([name, text]) => [name, cut(text)]));
  return { ...frame, locals, gots: frame.gots.map(cut) };
}
