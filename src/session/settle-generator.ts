/** What is known of a step in the frame of a generator expression before it is asked: the item that comes next or came before, whether it is given, and what takes it. */
import { callerSteps, isReverse, singleSteps } from '../debugger/action.js';
import {
  type GeneratorFrame,
  generatorFrame,
  isFresh,
  pausedGenerator,
} from '../debugger/generator-frame.js';
import { callsLeaveAllAsItIs } from '../debugger/harmless.js';
import { besideOperator } from '../debugger/language/augmented.js';
import { mayOperate } from '../debugger/language/callables.js';
import { gotLimit } from '../debugger/language/encode.js';
import { listed, targetOf, withPartAs } from '../debugger/language/items.js';
import { takesOne } from '../debugger/language/known-calls.js';
import { lineCalls } from '../debugger/language/line-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import type { Pass } from '../debugger/language/line-walk.js';
import { isLiteral, truthOfLiteral } from '../debugger/language/literal-values.js';
import { type Part, partTokens } from '../debugger/language/parts.js';
import { readsProperty } from '../debugger/language/properties.js';
import { endingWith, noResults, type Results, resultsOf } from '../debugger/language/results.js';
import { charTokens, isSlotToken, wordTokens } from '../debugger/language/tokens.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { passWorkings, wholeWorkings } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { keptNames, leftNames, settledPassCalls, unchanged, withNames } from './settle-generator-calls.js';
import { isOver, isUncounted, uncountedPass } from './settle-generator-uncounted.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { workOut } from './work-out.js';

const empty = charTokens('[]') as readonly number[];
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
  const found = isBehind || singleSteps.has(action.kind) ? generatorFrame(program, state) : undefined;
  // What a generator expression waits for may be one that stands in it.
  const paused = isBehind && !found?.outer ? pausedGenerator(program, state) : undefined;
  if (paused)
    return within(access, step, paused, (generator) =>
      isUncounted(generator) ? uncountedPass(access, step, generator) : behindCall(access, step, generator),
    );
  return found && within(access, step, found, (generator) => stepOf(access, step, state, generator));
}

/** What is known of it, with the names of the pass of the generator expression around it, which that shows when it stops again. */
async function within(
  access: ModelAccess,
  step: AskedStep,
  generator: GeneratorFrame,
  settle: (generator: GeneratorFrame) => Promise<Settled | undefined>,
): Promise<Settled | undefined> {
  if (generator.outer === undefined) return settle(generator);
  return within(access, step, generator.outer, async (outer) => {
    const { own } = outer;
    const passes = isUncounted(outer) ? givenBy(outer) : own.frame.its[0];
    if (passes === undefined) return undefined;
    const { pass, ...paid } = await passOf(access, step, outer, passes, false);
    const locals = pass?.values && withNames(step.program, own.frame.locals, pass.values);
    if (locals === undefined) return undefined;
    const caller = { ...generator.caller, frame: { ...generator.caller.frame, locals } };
    const settled = await settle({ ...generator, caller });
    return settled && { ...settled, ...sumOfPaid(paid, settled) };
  });
}

/** How many passes have given an item, where each does and nothing else gives any. */
function givenBy({ caller, part, isAlone }: GeneratorFrame): number | undefined {
  const { length } = caller.frame.gots;
  return isAlone && part.parts.length === 2 && length < gotLimit ? length : undefined;
}

async function stepOf(
  access: ModelAccess,
  step: AskedStep,
  state: DebuggerState,
  generator: GeneratorFrame,
): Promise<Settled | undefined> {
  const { action } = step;
  const { event } = state;
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
  const entered = { line: own.scope.firstLine, values: own.frame.locals, expression: own.scope };
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
  const { caller, lines, root } = generator;
  const code = withTaken(step.program, generator, item);
  if (code === undefined) return undefined;
  const isStale =
    runs(step.program, generator) && !callsLeaveAllAsItIs(step.program, root.scope, root.frame.line);
  const locals = isStale ? unchanged(step.program, caller.frame.locals) : caller.frame.locals;
  const workings = wholeWorkings(step.program, { ...caller.frame, locals }, code);
  if (workings === undefined) return undefined;
  const worked = await workOut(access, step, workings);
  const parts = lineParts(worked.code);
  const results = parts ? resultsOf(step.program, caller, worked.code, parts, isStale) : noResults;
  if (caller !== root) return inOuter(generator, results, sumOfPaid(paid, worked));
  const { holds } = results;
  const ending = endingWith(results, step.program, caller, worked.code);
  const isOpen = mayGoOn(step.program, generator, code);
  return {
    ...sumOfPaid(paid, worked),
    // On another line of the statement it has left nothing yet.
    results: lines.size > 1 ? { ...ending, within: lines } : ending,
    ended: isOpen ? undefined : holds === undefined ? 'ended' : holds ? 'holds' : 'fails',
  };
}

/** What the generator expression around another one gives, whose pass makes nothing but of that. */
function inOuter({ caller }: GeneratorFrame, { returned }: Results, paid: Paid): Settled | undefined {
  const isPlain = caller.scope.clauses > 0 && returned !== undefined;
  return isPlain
    ? { ...paid, results: { assigned: caller.frame.locals, returned }, ended: 'holds' }
    : undefined;
}

/**
 * The line with what `next`, `any` and `all` come to in place of their calls, and with the items themselves where functions of the program made them; undefined where `next` has
 * nothing to give.
 */
function withTaken(
  program: Program,
  generator: GeneratorFrame,
  item: readonly number[] | undefined,
): readonly number[] | undefined {
  const { code, consumer, part } = generator;
  const taker = code[consumer?.first ?? 0];
  const put = (value: readonly number[]): readonly number[] =>
    consumer ? [...code.slice(0, consumer.first), ...value, ...code.slice(consumer.end)] : code;
  if (consumer && (taker === any || taker === all))
    return put([(taker === any) === (item !== undefined) ? isTrue : isFalse]);
  const [callee, , otherwise] = (consumer?.parts ?? []) as [Part?, Part?, Part?];
  if (callee && takesOne(code, callee)) {
    if (item !== undefined) return put(item);
    return otherwise && put(besideOperator(partTokens(code, otherwise), otherwise));
  }
  if (!runs(program, generator)) return code;
  const given = givenItems(program, generator);
  return given && withPartAs(code, part, listed(given));
}

/** Whether the line may enter a method by an operator behind the generator expression, which stands in its code as what it came to. */
function mayGoOn(program: Program, { root, caller }: GeneratorFrame, code: readonly number[]): boolean {
  if (!mayOperate(program, root.scope, root.frame.line)) return false;
  const parts = lineParts(code);
  const rest = parts && lineCalls(program, caller.frame, code, [...parts.values, ...parts.inner]);
  return !rest?.isWhole || rest.calls.length > 0;
}

/** Whether functions of the program run in a pass. */
const runs = (program: Program, { calls, code, part, root }: GeneratorFrame): boolean =>
  calls || readsProperty(program, code, part) || mayOperate(program, root.scope, root.frame.line);

/** The items that the frame has given, if they are literals: what its caller was given on its line. */
function givenItems(
  program: Program,
  { caller, own, code, part }: GeneratorFrame,
): readonly (readonly number[])[] | undefined {
  const { gots } = caller.frame;
  const passes = own.frame.its[0] ?? 0;
  const isWhole = part.parts.length > 2 ? gots.length <= passes : gots.length === passes;
  const without = withPartAs(code, part, empty);
  const parts = lineParts(without);
  const isBeside =
    parts && [...parts.values, ...parts.inner].some((one) => readsProperty(program, without, one));
  if (isBeside !== false || !isWhole || gots.length >= gotLimit) return undefined;
  const items = gots.map((text) => encodeValue(program, text));
  return items.every(isLiteral) ? items : undefined;
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
