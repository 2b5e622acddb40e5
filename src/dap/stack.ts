/** The call stack of a state, as a client shows it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { WireAnswer } from '../wire/messages.js';

/** Frame n of a state (1: the outermost that is known) has the id n. */
export const currentFrameId = ({ state }: WireAnswer): number => state.frames.length;

/** The current frame first. `lineOf`: a line as the client counts them. */
export function stackOf(
  answer: WireAnswer,
  source: DebugProtocol.Source,
  lineOf: (line: number) => number,
  column: number,
): DebugProtocol.StackFrame[] {
  const { frames, hiddenFrames } = answer.state;
  const shown = frames.map((frame, index) => ({
    id: index + 1,
    name: answer.functions[index] || '<module>',
    source,
    line: lineOf(frame.line),
    column,
    canRestart: index + 1 === currentFrameId(answer),
  }));
  const hidden = {
    id: frames.length + 1,
    name: `${hiddenFrames} outer frames`,
    line: 0,
    column: 0,
    presentationHint: 'label' as const,
  };
  return [...shown.reverse(), ...(hiddenFrames > 0 ? [hidden] : [])];
}
