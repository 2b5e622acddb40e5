/** What is known of a step in the frame of a generator expression before it is asked: the item that comes next or came before, whether it is given, and what takes it. */
import { callerSteps, isReverse, singleSteps } from '../debugger/action.js';
import {
  type GeneratorFrame,
  generatorFrame,
  isFresh,
  pausedGenerator,
} from '../debugger/generator-frame.js';
import { besideOperator } from '../debugger/language/augmented.js';
import { gotLimit } from '../debugger/language/encode.js';
import { targetOf } from '../debugger/language/items.js';
import { takesOne } from '../debugger/language/known-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import type { Pass } from '../debugger/language/line-walk.js';
import { isLiteral, truthOfLiteral } from '../debugger/language/literal-values.js';
import { type Part, partTokens } from '../debugger/language/parts.js';
import { readsProperty } from '../debugger/language/properties.js';
import { endingWith, noResults, resultsOf } from '../debugger/language/results.js';
import { isSlotToken, wordTokens } from '../debugger/language/tokens.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { passWorkings, wholeWorkings } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { keptNames, leftNames, settledPassCalls, withNames } from './settle-generator-calls.js';
import { isOver, isUncounted, uncountedPass } from './settle-generator-uncounted.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { workOut } from './work-out.js';

const [any, all, isTrue, isFalse] = wordTokens('any all True False') as [number, number, number, number];

/** By name; undefined: unbound. */
type Names = ReadonlyMap<string, string | undefined>;

/**
 * What is known of a step from a state in such a frame; undefined for other states and where nothing is.
 * @throws ForetraceError as workOut
 */
export async function settledGenerator(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { program, state, action } = step;
  if (state === null || !access.showsWorkings) return undefined;
  const { event } = state;
  const isBehind = event === 'return' && callerSteps.has(action.kind);
  const paused = isBehind ? pausedGenerator(program, state) : undefined;
  if (paused)
    return isUncounted(paused) ? uncountedPass(access, step, paused) : behindCall(access, step, paused);
  const generator = isBehind || singleSteps.has(action.kind) ? generatorFrame(program, state) : undefined;
  if (generator === undefined) return undefined;
  const value = event === 'return' ? state.value : undefined;
  if (isUncounted(generator)) {
    if (isReverse(action.kind)) return undefined;
    if (event === 'line') return uncountedPass(access, step, generator);
  } else if (isReverse(action.kind)) {
    if (event === 'line') return beforeLine(access, step, generator);
    if (event === 'call') return beforeCall(access, step, generator);
    return value === undefined ? undefined : beforeItem(access, step, generator, value);
  }
  if (event === 'call') return { ...unasked, results: { assigned: generator.own.frame.locals } };
  if (event === 'line') return behindLine(access, step, generator);
  return value === undefined ? undefined : behindItem(access, step, generator, value);
}

/** The next item, which is given or passed over, or the end. */
async function behindLine(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { frame } = generator.own;
  const { pass, ...paid } = await passOf(access, step, generator, frame.its[0] ?? 0, true);
  if (pass === undefined) return undefined;
  if (pass.values === undefined)
    return {
      ...paid,
      results: { assigned: frame.locals, returned: 'None' },
      ended: 'ended',
      frozen: new Set(generator.own.scope.names),
    };
  const assigned = withNames(step.program, frame.locals, pass.values);
  if (assigned === undefined) return undefined;
  if (pass.made === undefined) {
    const expressions = expressionsOf(generator);
    const isRead =
      !generator.calls && !expressions.some((one) => readsProperty(step.program, generator.code, one));
    const called =
      step.action.kind === 'step_into' || isRead
        ? await settledPassCalls(access, step, generator, expressions, assigned, [])
        : undefined;
    if (called) return { ...called, ...sumOfPaid(paid, called) };
    return { ...paid, results: { assigned: leftNames(step.program, generator, assigned) } };
  }
  if (pass.made.length === 0) return { ...paid, results: { assigned }, ended: 'fails' };
  const returned = textOf(step.program, pass.made);
  const results = returned === undefined ? { assigned } : { assigned, returned };
  return { ...paid, results, ended: 'holds' };
}

/** The conditions of a pass, and what it makes. */
function expressionsOf({ part }: GeneratorFrame): Part[] {
  const [, item, ...conditions] = part.parts as [Part, Part, ...Part[]];
  return [...conditions, item];
}

/** What the pass makes of what its calls gave, or calls next. */
async function behindCall(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { program, state } = step;
  const { frame } = generator.own;
  const { value = 'None' } = state ?? {};
  // A function that gave None may have been left by an exception.
  if (value === 'None' || frame.gots.length >= gotLimit) return undefined;
  const { pass, ...paid } = await passOf(access, step, generator, frame.its[0] ?? 0, false);
  if (pass?.values === undefined) return undefined;
  const assigned = withNames(program, keptNames(program, generator), pass.values);
  if (assigned === undefined) return undefined;
  const given = [...frame.gots, value];
  const settled = await settledPassCalls(access, step, generator, expressionsOf(generator), assigned, given);
  return settled && { ...settled, ...sumOfPaid(paid, settled) };
}

/** What takes the items asks for the next, or has all it needs. */
async function behindItem(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  value: string,
): Promise<Settled | undefined> {
  const { own, code, consumer, isAlone } = generator;
  const item = encodeValue(step.program, value);
  if (consumer === undefined || !isLiteral(item)) return undefined;
  const taker = code[consumer.first];
  const { ended, ...paid } = await isEnd(access, step, generator, value);
  if (ended === undefined) return undefined;
  const decides =
    takesOne(code, consumer.parts[0] as Part) ||
    (taker === any && truthOfLiteral(item)) ||
    (taker === all && !truthOfLiteral(item));
  if (ended || decides)
    return isAlone ? theRest(access, step, generator, ended ? undefined : item, paid) : undefined;
  const entered = { line: own.scope.firstLine, values: own.frame.locals };
  return { ...paid, results: noResults, ended: 'calls', entered };
}

/** What the line leaves of which nothing but the generator expression runs. item: the one that decides, if its end does not. */
async function theRest(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  item: readonly number[] | undefined,
  paid: Paid,
): Promise<Settled | undefined> {
  const { caller, lines } = generator;
  const code = withTaken(generator, item);
  if (code === undefined) return undefined;
  const workings = wholeWorkings(step.program, caller.frame, code);
  if (workings === undefined) return undefined;
  const worked = await workOut(access, step, workings);
  const parts = lineParts(worked.code);
  const results = parts ? resultsOf(step.program, caller, worked.code, parts, false) : noResults;
  const { holds } = results;
  const ending = endingWith(results, step.program, caller, worked.code);
  return {
    ...sumOfPaid(paid, worked),
    // On another line of the statement it has left nothing yet.
    results: lines.size > 1 ? { ...ending, within: lines } : ending,
    ended: holds === undefined ? 'ended' : holds ? 'holds' : 'fails',
  };
}

/** The line with what `next`, `any` and `all` come to in place of their calls; undefined where `next` has nothing to give. */
function withTaken(
  { code, consumer }: GeneratorFrame,
  item: readonly number[] | undefined,
): readonly number[] | undefined {
  if (consumer === undefined) return code;
  const taker = code[consumer.first];
  const put = (value: readonly number[]): readonly number[] => [
    ...code.slice(0, consumer.first),
    ...value,
    ...code.slice(consumer.end),
  ];
  if (taker === any || taker === all)
    return put([(taker === any) === (item !== undefined) ? isTrue : isFalse]);
  const [callee, , otherwise] = consumer.parts as [Part, Part, Part?];
  if (!takesOne(code, callee)) return code;
  if (item !== undefined) return put(item);
  return otherwise && put(besideOperator(partTokens(code, otherwise), otherwise));
}

/** The call that had the frame go on, if the item before was given, or the pass that passed it over. */
async function beforeLine(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { own, part } = generator;
  const passes = own.frame.its[0] ?? 0;
  const frozen = new Set(own.scope.names);
  const isCalled = passes === 0 || part.parts.length === 2;
  if (isCalled) return { ...unasked, results: noResults, ended: 'holds', frozen };
  const { pass, ...paid } = await passOf(access, step, generator, passes - 1, true);
  if (pass?.made === undefined) return undefined;
  if (pass.made.length > 0) return { ...paid, results: noResults, ended: 'holds', frozen };
  return { ...paid, results: noResults, ended: 'fails', heads: headOf(step.program, generator, pass) };
}

/** The item that was given before the frame was called again. */
async function beforeCall(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { frame, scope } = generator.own;
  if (isFresh(scope, frame)) return undefined;
  const { pass, ...paid } = await passOf(access, step, generator, frame.its[0] ?? 0, true);
  const value = pass?.made?.length ? textOf(step.program, pass.made) : undefined;
  return { ...paid, results: noResults, again: { line: frame.line, names: frame.locals, value } };
}

/** The pass that gave an item, or found none. */
async function beforeItem(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  value: string,
): Promise<Settled | undefined> {
  const { own, calls } = generator;
  if (calls && step.action.kind === 'inv_step_into') return undefined;
  const { ended, ...paid } = await isEnd(access, step, generator, value);
  if (ended === undefined) return undefined;
  if (ended) {
    const heads = new Map([[own.frame.line, own.frame.locals]]);
    return { ...paid, results: noResults, ended: 'ended', heads };
  }
  const { pass, ...more } = await passOf(access, step, generator, own.frame.its[0] ?? 0, false);
  if (pass === undefined) return undefined;
  const heads = headOf(step.program, generator, pass);
  return { ...sumOfPaid(paid, more), results: noResults, ended: 'ended', heads };
}

/** The names with which a pass began, by the line on which it did. */
function headOf(
  program: Program,
  { own, code, part }: GeneratorFrame,
  pass: Pass,
): ReadonlyMap<number, Names> {
  const names = new Map<string, string | undefined>(own.frame.locals);
  for (const slot of targetOf(code, part)?.filter(isSlotToken) ?? [])
    names.set(nameOfSlot(program, slot), undefined);
  for (const [name, text] of namesOf(program, pass.previous ?? new Map())) names.set(name, text);
  return new Map([[own.frame.line, names]]);
}

const namesOf = (
  program: Program,
  values: ReadonlyMap<number, readonly number[]>,
): [string, string | undefined][] =>
  [...values].map(([slot, value]) => [nameOfSlot(program, slot), textOf(program, value)]);

/** Whether a frame that gives a value has come to its end; undefined where an exception may have left it. */
async function isEnd(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  value: string,
): Promise<Paid & { readonly ended: boolean | undefined }> {
  if (value !== 'None') return { ...unasked, ended: false };
  if (isUncounted(generator)) {
    const { ended, ...paid } = await isOver(access, step, generator);
    return { ...paid, ended: ended || undefined };
  }
  const { pass, ...paid } = await passOf(access, step, generator, generator.own.frame.its[0] ?? 0, false);
  return { ...paid, ended: pass && pass.values === undefined ? true : undefined };
}

/** The pass behind so many others; isMade: what it gives is asked for. */
async function passOf(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  passes: number,
  isMade: boolean,
): Promise<Paid & { readonly pass: Pass | undefined }> {
  const how = step.action.kind === 'step_into' ? 'into' : 'over';
  const workings = passWorkings(step.program, generator, passes, isMade ? how : undefined);
  let pass: Pass | undefined;
  const { logProbability, cost } = await workOut(access, step, (answers) => {
    const found = workings(answers);
    pass = found.pass;
    return { code: [], open: found.open };
  });
  return { pass, logProbability, cost };
}
