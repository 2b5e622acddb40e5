/** How a run has ended: a frame that an exception leaves returns None to a debugger, and the state before tells the two apart. */
import { eventNumbers, modeNumbers, originNumbers, type WireAnswer } from '../wire/messages.js';

/** Whether an end may be that of an exception, and the state before it was walked through. */
export const mayBeLeft = ({ state, mode }: WireAnswer): boolean =>
  state.event === eventNumbers.return && state.value === 'None' && mode === modeNumbers.walk;

/** Whether the state before an end is the exception that left its frame. */
export const isLeftBy = (end: WireAnswer, { state, origin }: WireAnswer): boolean =>
  origin === originNumbers.derived &&
  state.event === eventNumbers.exception &&
  state.frames.length === end.state.frames.length;
