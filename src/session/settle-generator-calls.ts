/** What is known of a step in the frame of a generator expression whose pass calls functions of the program: what it calls next, and what it makes of what these gave. */
import { isImmutable } from '../debugger/frozen.js';
import type { GeneratorFrame } from '../debugger/generator-frame.js';
import { lineCalls } from '../debugger/language/line-calls.js';
import { type LineParts, lineParts } from '../debugger/language/line-parts.js';
import { isLiteral, truthOfLiteral } from '../debugger/language/literal-values.js';
import { type Part, partTokens } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { resultsOf } from '../debugger/language/results.js';
import { behindCalls } from '../debugger/language/returned.js';
import { wordToken } from '../debugger/language/tokens.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { enteringWorkings, returnedWorkings } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import type { Frame } from '../debugger/state.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { settledEntering, settledNext } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';

const returnWord = wordToken('return') as number;

/** The names of a frame that stand for what they did when it was seen: behind a call that it has made, what that cannot have changed. */
export const keptNames = (program: Program, generator: GeneratorFrame): ReadonlyMap<string, string> =>
  generator.isPaused
    ? unchanged(program, generator.own.frame.locals, generator.isStale)
    : generator.own.frame.locals;

/** The names of a pass behind all that it does, of which it is not told what that is. */
export const leftNames = (
  program: Program,
  generator: GeneratorFrame,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> => (generator.calls ? unchanged(program, names, generator.isStale) : names);

/** Those of some names that what the statement calls cannot change; isStale: it may change lists and their like. */
export const unchanged = (
  program: Program,
  names: ReadonlyMap<string, string>,
  isStale = true,
): ReadonlyMap<string, string> =>
  new Map(
    [...names].filter(([name, text]) => !program.reboundNames.has(name) && (!isStale || isImmutable(text))),
  );

/** The same with the names of a pass; undefined where the text of one of their values is not told. */
export function withNames(
  program: Program,
  names: ReadonlyMap<string, string>,
  values: ReadonlyMap<number, Value>,
): Map<string, string> | undefined {
  const found = new Map(names);
  for (const [slot, value] of values) {
    const text = textOf(program, value);
    if (text === undefined) return undefined;
    found.set(nameOfSlot(program, slot), text);
  }
  return found;
}

/** What an expression of a pass comes to behind calls that gave `texts`: its value, or what it calls next; neither where that is not known. */
interface Evaluated extends Paid {
  readonly value?: string | undefined;
  readonly calls?: Settled | undefined;
  /** Those of `texts` that calls of other expressions gave. */
  readonly others: readonly string[];
}

/**
 * What is known of the pass with these names, whose calls so far gave `texts`; undefined where nothing is. expressions: its conditions, then what it makes.
 * @throws ForetraceError as workOut
 */
export async function settledPassCalls(
  access: ModelAccess,
  step: AskedStep,
  { own, code, isStale }: GeneratorFrame,
  expressions: readonly Part[],
  assigned: ReadonlyMap<string, string>,
  texts: readonly string[],
): Promise<Settled | undefined> {
  const running = { ...own, frame: { ...own.frame, locals: assigned } };
  let paid: Paid = unasked;
  let given = texts;
  for (const expression of expressions) {
    const written = [returnWord, ...partTokens(code, expression)];
    const { value, calls, others, ...cost } = await evaluated(access, step, running, written, given, isStale);
    paid = sumOfPaid(paid, cost);
    if (calls) return { ...calls, ...sumOfPaid(paid, calls) };
    if (value === undefined) return undefined;
    if (expression === expressions.at(-1))
      return { ...paid, results: { assigned, returned: value }, ended: 'holds' };
    const tokens = encodeValue(step.program, value);
    if (!isLiteral(tokens)) return undefined;
    if (!truthOfLiteral(tokens)) return { ...paid, results: { assigned }, ended: 'fails' };
    given = others;
  }
  return undefined;
}

/**
 * What `return` and an expression come to in a frame, behind calls that gave `texts`. isStale: these may have changed lists and their like.
 * @throws ForetraceError as workOut
 */
export async function evaluated(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  code: readonly number[],
  texts: readonly string[],
  isStale: boolean,
): Promise<Evaluated> {
  const { program, state } = step;
  const { frame } = running;
  const givenBy = (worked: readonly number[], isOld: boolean, computed?: string): string | undefined => {
    const parts = lineParts(worked);
    return parts && resultsOf(program, running, worked, parts, isOld, computed).returned;
  };
  const isBegun = state !== null && ownOf(program, frame, code, texts).length > 0;
  // What a builtin is handed may have to be worked out before it is told that it has called it.
  const entering = isBegun
    ? { ...unasked, code }
    : await workedCode(access, step, code, enteringWorkings(program, frame, code));
  const own = state === null ? [] : ownOf(program, frame, entering.code, texts);
  const others = texts.slice(own.length);
  if (own.length === 0 || state === null) {
    const next = settledEntering(program, running, entering.code, false);
    // What has given values already is not told apart.
    if (next && texts.length > 0) return { ...entering, others };
    return next
      ? { ...entering, calls: next, others }
      : { ...entering, value: givenBy(entering.code, false), others };
  }
  const behind = behindCalls(program, state, frame, entering.code, own);
  if (behind === undefined || behind.over) return { ...entering, others };
  if (behind.next) {
    const calls = await settledNext(access, step, running, behind, isStale);
    return { ...entering, calls, others };
  }
  const workings = behind.value === undefined ? returnedWorkings(program, frame, behind.code) : undefined;
  const worked = await workedCode(access, step, behind.code, workings);
  const value = givenBy(worked.code, isStale, behind.value);
  return { ...sumOfPaid(entering, worked), value, others };
}

/** Those of `texts`, from the first on, that calls of an expression gave. */
function ownOf(
  program: Program,
  frame: Frame,
  code: readonly number[],
  texts: readonly string[],
): readonly string[] {
  const { values } = lineParts(code) as LineParts;
  const { calls, entered, isWhole } = lineCalls(program, frame, code, values);
  const isCalling = calls.length > 0 || entered !== undefined;
  return isCalling ? texts.slice(0, isWhole ? calls.length : texts.length) : [];
}
