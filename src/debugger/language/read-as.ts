/** How workings read the code of a frame. */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { asAssignment } from './augmented.js';
import { withClassConstants } from './class-constants.js';
import { begins } from './frame-literals.js';
import { withMethods } from './known-calls.js';
import { withModuleConstants } from './module-constants.js';
import { withPlainCalls } from './plain-calls.js';
import { withTextsSpelledOut } from './spelled-out.js';

/** The code tokens of a line or statement that begins in a frame, as workings read them. */
export function readAs(program: Program, frame: Frame, written: ArrayLike<number>): readonly number[] {
  const code = withModuleConstants(program, withMethods(program, written));
  return asAssignment(code, begins(program, frame, code));
}

/** The same with more in it told than training text tells. */
export const servedAs = (program: Program, frame: Frame, written: ArrayLike<number>): readonly number[] =>
  withMoreTold(program, frame, readAs(program, frame, written));

/** Code that was read so, with what training text does not tell; itself where that is nothing. */
export const withMoreTold = (program: Program, frame: Frame, code: readonly number[]): readonly number[] =>
  withPlainCalls(program, frame, withClassConstants(program, frame, withTextsSpelledOut(program, code)));
