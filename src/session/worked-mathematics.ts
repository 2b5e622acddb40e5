/** The line of a step with what functions of `math` and their like come to in place of their calls. */

import { isImmutable } from '../debugger/frozen.js';
import { goingOn } from '../debugger/language/here.js';
import { withPartAs } from '../debugger/language/items.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { callsBesides, type MathCall, mathCalls, mayReckon } from '../debugger/language/mathematics.js';
import type { Part } from '../debugger/language/parts.js';
import { readAs } from '../debugger/language/read-as.js';
import { reckoned } from '../debugger/language/reckoning.js';
import type { Program } from '../debugger/program.js';
import { runningFrame } from '../debugger/running.js';
import type { Frame } from '../debugger/state.js';
import { tokensOnLine } from '../debugger/whole-statement.js';
import { Asking, asAsked } from './asking.js';
import type { Paid } from './cost.js';
import type { AskedStep } from './settled.js';
import type { ModelAccess } from './submit-question.js';

/** Most calls of a line. */
const mostCalls = 8;

/** Code tokens of a line. */
type Reckoned = Paid & { readonly code: readonly number[] };

/**
 * undefined where a line has no such call, or none that is told. Functions whose arguments are not told, or which are not carried out, stay.
 * @throws ForetraceError as workOut
 */
export function withMathematics(
  access: ModelAccess,
  step: AskedStep,
): Promise<Reckoned | undefined> | undefined {
  const { program, state, action } = step;
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const frame = state && isSingle ? goingOn(state) : undefined;
  if (!state || !frame || !mayReckon(program) || program.reboundNames.size > 0) return undefined;
  const running = runningFrame(program, state);
  if (running === undefined) return undefined;
  const code = readAs(program, frame, tokensOnLine(program, frame, running));
  const line = lineParts(code);
  const parts = line ? [...line.values, ...line.inner] : [];
  if (mathCalls(program, code, parts).length === 0) return undefined;
  const isOld = state.event === 'return' || callsBesides(program, code, parts);
  const known = isOld ? { ...running, frame: withoutMutables(running.frame) } : running;
  return reckon(program, new Asking(access, step, known), code);
}

/** What stays in a frame whatever is called. */
const withoutMutables = (frame: Frame): Frame => ({
  ...frame,
  locals: new Map([...frame.locals].filter(([, text]) => isImmutable(text))),
});

function callsIn(program: Program, code: readonly number[]): MathCall[] {
  const line = lineParts(code);
  return line ? mathCalls(program, code, [...line.values, ...line.inner]) : [];
}

async function reckon(
  program: Program,
  asking: Asking,
  written: readonly number[],
): Promise<Reckoned | undefined> {
  let code = written;
  let isChanged = false;
  // What is left out stands behind what was looked at.
  for (let passed = 0, count = 0; count < mostCalls; count += 1) {
    const call = callsIn(program, code)[passed];
    if (call === undefined) break;
    const value = await asAsked(asking, async () => {
      const given = [];
      for (const part of call.given) given.push(await asking.valueOf(tokensOf(code, part)));
      return reckoned(call.operation, given, (written) => asking.valueOf(written));
    });
    if (value === undefined) passed += 1;
    else {
      code = withPartAs(code, call.part, value);
      isChanged = true;
    }
  }
  return isChanged ? { ...asking.paid, code } : undefined;
}

const tokensOf = (code: readonly number[], { begin, until }: Part): readonly number[] =>
  code.slice(begin, until);
