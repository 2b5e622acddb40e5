/** What is known of a step from a line that binds a name by `:=` before it does anything else: that is bound first, and the rest of the line read with it. */
import { isImmutable } from '../debugger/frozen.js';
import { attributeName } from '../debugger/language/attributes.js';
import { expressionParts } from '../debugger/language/expression-parts.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import type { Part } from '../debugger/language/parts.js';
import { servedAs } from '../debugger/language/read-as.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { textOf } from '../debugger/language/told-values.js';
import { firstWalrus } from '../debugger/language/walrus.js';
import { enteringWorkings, wholeWorkings } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { withFrame } from '../debugger/state.js';
import { statementLines, statementTokens } from '../debugger/whole-statement.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { settledLine } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';
import { workedValue } from './worked-value.js';

/**
 * undefined for other lines, and where it is not told what the name is bound to.
 * @throws ForetraceError as workOut
 */
export async function settledWalrus(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { program, state, action } = step;
  const running = steppingFrame(access, step);
  if (!running || !state || mayBeChanged(running) || statementLines(running).size > 1) return undefined;
  const found = firstWalrus(statementTokens(program, running));
  if (found === undefined) return undefined;
  const name = nameOfSlot(program, found.slot);
  const isOwn = running.scope.names.includes(name) && !program.reboundNames.has(name);
  const { text, ...paid } = isOwn ? await boundTo(access, step, running, found.value) : unknown;
  if (text === undefined) return undefined;
  const frame = { ...running.frame, locals: new Map([...running.frame.locals, [name, text]]) };
  const rest = { ...step, state: withFrame(state, running.frame, frame) };
  const code = servedAs(program, frame, found.rest);
  const parts = lineParts(code);
  if (parts === undefined) return undefined;
  const workings = (action.kind === 'step_into' ? enteringWorkings : wholeWorkings)(program, frame, code);
  const { code: worked, ...more } = await workedCode(access, rest, code, workings);
  const { results, ended, entered } = settledLine(rest, worked);
  const isLeft = ![...parts.values, ...parts.inner].some((part) => mayCall(code, part));
  const isSeen = results.assigned.has(name) || isImmutable(text) || isLeft;
  if (!isSeen) return undefined;
  const bound: [string, string] = [name, text];
  // What is entered next, or raised, finds the name bound.
  if (entered || ended === 'raised') return { ...paid, results: { assigned: new Map([bound]) } };
  return {
    ...sumOfPaid(paid, more),
    ended,
    results: { ...results, assigned: new Map([bound, ...results.assigned]) },
  };
}

const unknown: Paid & { readonly text?: string | undefined } = unasked;

/** The text of what an expression comes to which runs no function of the program. */
async function boundTo(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  written: readonly number[],
): Promise<Paid & { readonly text?: string | undefined }> {
  const { program } = step;
  const code = servedAs(program, running.frame, written);
  const part = expressionParts(code);
  const told = new ToldLine(program, running, code, false);
  if (part === undefined || mayCall(code, part) || namesFunction(program, code, part, told)) return unasked;
  const text = told.text(part);
  if (text !== undefined) return { ...unasked, text };
  const { value, ...paid } = await workedValue(access, step, running, code);
  return { ...paid, text: value && textOf(program, value) };
}

/** Whether a part names a function of the program, other than as a method of what is told to be of builtins. */
function namesFunction(program: Program, code: readonly number[], part: Part, told: ToldLine): boolean {
  const names = new Set(program.scopes.map((scope) => scope.name));
  const isIn = ({ kind, end, parts }: Part): boolean => {
    const [callee, ...given] = kind === 'call' ? parts : [];
    const base = callee?.kind === 'attribute' ? callee.parts[0] : undefined;
    if (base && told.tokens(base) !== undefined) return given.some(isIn);
    const isNamed = kind === 'name' || kind === 'attribute';
    return (isNamed && names.has(attributeName(program, code[end - 1] as number))) || parts.some(isIn);
  };
  return isIn(part);
}
