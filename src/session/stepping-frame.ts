/** The frame with which a single step forward goes on from a line. */
import { isReverse, singleSteps } from '../debugger/action.js';
import { type Running, runningFrame } from '../debugger/running.js';
import type { AskedStep } from './settled.js';
import type { ModelAccess } from './submit-question.js';

/** undefined for other steps, for a model that does not work out lines, and where it is not told which function the frame runs. */
export function steppingFrame(
  { showsWorkings }: ModelAccess,
  { program, state, action }: AskedStep,
): Running | undefined {
  const isStep = singleSteps.has(action.kind) && !isReverse(action.kind) && state?.event === 'line';
  return isStep && showsWorkings ? runningFrame(program, state) : undefined;
}

/** Whether code of the program may change lists and their like where something is dropped. */
export const mayBeChanged = ({ scope }: Running): boolean => scope.flow?.cleansUp !== false;
