/** The line of a step with what functions of `math` and their like come to in place of their calls. */

import { isImmutable } from '../debugger/frozen.js';
import { withPartAs } from '../debugger/language/items.js';
import { lineParts } from '../debugger/language/line-parts.js';
import {
  callsBesides,
  type IsFloat,
  type MathCall,
  mathCalls,
  mayReckon,
  mayReckonOn,
} from '../debugger/language/mathematics.js';
import type { Part } from '../debugger/language/parts.js';
import { reckoned } from '../debugger/language/reckoning.js';
import { charTokens, isDigitToken, isSlotToken } from '../debugger/language/tokens.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import type { Frame } from '../debugger/state.js';
import { type Asking, asAsked } from './asking.js';
import { type Paid, sumOf, sumOfPaid, unasked } from './cost.js';

const [slash, dot] = charTokens('/.');
const float = /\d\.\d/;
/** Most calls of a line. */
const mostCalls = 8;

/** Code tokens of a line. */
export type Reckoned = Paid & { readonly code: readonly number[] };

/**
 * The code of a line that begins in a frame. undefined where it has no such call, or none that is told. Functions whose arguments are not told, or which are not
 * carried out, stay. isOld: lists and their like may have been changed since.
 * @throws ForetraceError as workOut
 */
export function withMathematics(
  begins: (running: Running) => Asking,
  program: Program,
  running: Running,
  code: readonly number[],
  isOld: boolean,
): Promise<Reckoned | undefined> | undefined {
  const { frame } = running;
  if (!mayReckon(program) || !mayReckonOn(program, code) || callsIn(program, frame, code).length === 0)
    return undefined;
  const isStale = isOld || callsBesides(program, code, partsOf(code));
  const known = isStale ? { ...running, frame: withoutMutables(frame) } : running;
  return withCalls(program, known.frame, () => begins(known), code);
}

/** What stays in a frame whatever is called. */
export const withoutMutables = (frame: Frame): Frame => ({
  ...frame,
  locals: new Map([...frame.locals].filter(([, text]) => isImmutable(text))),
});

function partsOf(code: readonly number[]): Part[] {
  const line = lineParts(code);
  return line ? [...line.values, ...line.inner] : [];
}

const callsIn = (program: Program, frame: Frame, code: readonly number[]): MathCall[] =>
  mathCalls(program, code, partsOf(code), floatsIn(program, frame, code));

/** Whether a part has a float, or divides. */
const floatsIn =
  (program: Program, { locals }: Frame, code: readonly number[]): IsFloat =>
  ({ first, end }) =>
    code.slice(first, end).some((token, at) => {
      if (token === slash) return true;
      if (isSlotToken(token)) return float.test(locals.get(nameOfSlot(program, token)) ?? '');
      return token === dot && isDigitToken(code[first + at + 1]);
    });

/**
 * Code with what such calls come to in their place, undefined where none is told. `begins`: to ask for one call. What is asked for one that is left out decides
 * nothing.
 * @throws ForetraceError as workOut
 */
export async function withCalls(
  program: Program,
  frame: Frame,
  begins: () => Asking,
  written: readonly number[],
): Promise<Reckoned | undefined> {
  let code = written;
  let paid: Paid = unasked;
  let isChanged = false;
  // What is left out stands behind what was looked at.
  for (let passed = 0, count = 0; count < mostCalls; count += 1) {
    const call = callsIn(program, frame, code)[passed];
    if (call === undefined) break;
    const asking = begins();
    const value = await asAsked(asking, async () => {
      const given = [];
      for (const part of call.given) given.push(await asking.valueOf(tokensOf(code, part)));
      return reckoned(call.operation, given, (written) => asking.valueOf(written));
    });
    if (value === undefined) {
      passed += 1;
      paid = { ...paid, cost: sumOf(paid.cost, asking.paid.cost) };
      continue;
    }
    code = withPartAs(code, call.part, value);
    paid = sumOfPaid(paid, asking.paid);
    isChanged = true;
  }
  return isChanged ? { ...paid, code } : undefined;
}

const tokensOf = (code: readonly number[], { begin, until }: Part): readonly number[] =>
  code.slice(begin, until);
