/** What is known of a step of a generator function on a line with `yield` before it is asked: what it gives on, what it enters, and how it goes on once that is over. */
import { callerSteps } from '../debugger/action.js';
import { isAskedOn, takenBy } from '../debugger/asked-on.js';
import { isImmutable } from '../debugger/frozen.js';
import { callsLeaveAllAsItIs } from '../debugger/harmless.js';
import { gotLimit } from '../debugger/language/encode.js';
import { toldIn } from '../debugger/language/frame-literals.js';
import { listed, withPartAs } from '../debugger/language/items.js';
import { iterated } from '../debugger/language/iterated.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { isLiteral } from '../debugger/language/literal-values.js';
import type { Part } from '../debugger/language/parts.js';
import { endingWith, noResults, resultsOf } from '../debugger/language/results.js';
import { isGeneratorFunction } from '../debugger/language/suspending.js';
import { charToken, wordToken } from '../debugger/language/tokens.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { enteringWorkings, returnedWorkings } from '../debugger/language/workings.js';
import { type Left, leftGenerator } from '../debugger/left-generator.js';
import type { Program, Scope } from '../debugger/program.js';
import { type Running, runningFrame, scopeOf } from '../debugger/running.js';
import { freeNames, ownerOf } from '../debugger/shared-variables.js';
import type { DebuggerState, Frame } from '../debugger/state.js';
import { givesOn, type YieldLine, yieldLine } from '../debugger/yield-lines.js';
import { unasked } from './cost.js';
import { settledEntering } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';

const bracket = charToken('[');
const forWord = wordToken('for');
/** Most items that are looked through for the first. */
const mostItems = 1024;

type Known = Pick<Settled, 'results' | 'ended' | 'frozen'>;

/**
 * undefined for other lines and steps, and where nothing is.
 * @throws ForetraceError as workOut
 */
export async function settledYieldFrom(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { state, action } = step;
  if (state === null) return undefined;
  if (state.event === 'return')
    return callerSteps.has(action.kind) ? behindReturn(access, step, state) : undefined;
  if (action.kind !== 'step_into' && action.kind !== 'step_over') return undefined;
  if (state.event === 'call') return behindCall(step, state);
  return state.event === 'line' ? behindLine(access, step, state) : undefined;
}

/** The frame enters what it asks for items, or gives the first. */
async function behindLine(
  access: ModelAccess,
  step: AskedStep,
  state: DebuggerState,
): Promise<Settled | undefined> {
  const { program, action } = step;
  const running = runningFrame(program, state);
  const line = running && yieldLine(program, running);
  if (running === undefined || !line?.isFrom) return undefined;
  const { frame, scope } = running;
  const workings = access.showsWorkings ? enteringWorkings(program, frame, line.code) : undefined;
  const { code, ...paid } = await workedCode(access, step, line.code, workings);
  const entering = action.kind === 'step_into' ? settledEntering(program, running, code, false) : undefined;
  if (entering) return { ...entering, ...paid, frozen: new Set(scope.names) };
  // What it gives may stand there as a list by now.
  const [value] = lineParts(code)?.values ?? [];
  const asked = value?.kind === 'call' ? value.parts[1] : value;
  const items = asked && iterated(code, asked, (part: Part) => toldIn(program, frame, code, part), mostItems);
  if (items === undefined) return undefined;
  const names = new Set(scope.names);
  if (items.length === 0) return { ...paid, ...resumed(running, names, line, 'None') };
  return { ...paid, ...giving(running, names, textOf(program, items[0] as readonly number[])) };
}

/** The frame goes on behind what it gave, if nothing is left to be given. */
function behindCall({ program, action }: AskedStep, state: DebuggerState): Settled | undefined {
  const frame = state.frames.at(-1);
  const scope = frame && scopeOf(program, frame, 'call');
  if (frame === undefined || scope === undefined || frame.line === scope.firstLine) return undefined;
  const line = yieldLine(program, { frame, scope });
  if (line === undefined || !isAskedOn(program, state.frames, 'call')) return undefined;
  if (line.isFrom && !hasOneItem(line))
    return action.kind === 'step_into' ? goingOn(program, { frame, scope }) : undefined;
  return { ...unasked, ...resumed({ frame, scope }, new Set(scope.names), line, 'None') };
}

/** The generator goes on to which the frame has given way. */
function goingOn(program: Program, running: Running): Settled | undefined {
  const inner = program.scopes.filter((scope) => givesOn(program, running, scope));
  const [scope, ...others] = running.frame.gots.length > 0 ? inner : [];
  if (scope === undefined || others.length > 0) return undefined;
  return {
    ...unasked,
    results: noResults,
    ended: 'continues',
    entered: { line: scope.firstLine, values: new Map() },
  };
}

/** Whether a list of one item is given on. */
const hasOneItem = ({ code, part }: YieldLine): boolean =>
  part?.kind === 'display' &&
  code[part.first] === bracket &&
  part.parts.length === 1 &&
  part.parts[0]?.kind !== 'star';

/** The frame gives on what it was given, or goes on behind the generator that has ended. */
function behindReturn(
  access: ModelAccess,
  step: AskedStep,
  state: DebuggerState,
): Settled | Promise<Settled | undefined> | undefined {
  const { program } = step;
  const caller = runningFrame(program, state);
  const frame = state.frames.at(-1);
  const inner = frame && scopeOf(program, frame, 'return');
  const { value = 'None' } = state;
  if (caller === undefined || frame === undefined || inner === undefined || !isGeneratorFunction(inner))
    return undefined;
  const left = leftGenerator(program, state);
  const line = yieldLine(program, caller);
  if (left === undefined) return undefined;
  if (line === undefined || !givesOn(program, caller, inner))
    return taking(access, step, state, caller, inner, left);
  const names = keptNames(program, caller);
  if (left === 'ended') return { ...unasked, ...resumed(caller, names, line, value) };
  if (left === 'gave') return { ...unasked, ...giving(caller, names, value) };
  return { ...unasked, ...giving(caller, unhandled(caller, names), value), ended: 'ended' };
}

/** What takes all that the generator gives asks for more, or has it all. */
async function taking(
  access: ModelAccess,
  step: AskedStep,
  { frames }: DebuggerState,
  caller: Running,
  generator: Scope,
  left: Left,
): Promise<Settled | undefined> {
  const { program } = step;
  const frame = frames.at(-1) as Frame;
  const taken = isAskedOn(program, frames, 'return') ? takenBy(program, caller, generator) : undefined;
  if (taken === undefined || taken.code[0] === forWord) return undefined;
  if (left === 'gave') {
    const entered = { line: frame.line, values: frame.locals, goesOn: generator };
    return { ...unasked, results: noResults, ended: 'continues', entered };
  }
  const { gots } = caller.frame;
  const items = gots.map((text) => encodeValue(program, text));
  if (!access.showsWorkings || gots.length >= gotLimit || !items.every(isLiteral)) return undefined;
  // Lists may have been changed since they were given.
  if (!gots.every(isImmutable)) return undefined;
  const written = withPartAs(taken.code, taken.part, listed(items));
  const { code, ...paid } = await workedCode(
    access,
    step,
    written,
    returnedWorkings(program, caller.frame, written),
  );
  const parts = lineParts(code);
  const results = parts ? resultsOf(program, caller, code, parts, true) : noResults;
  const settled = { ...paid, results: endingWith(results, program, caller, code) };
  return left === 'ended' ? { ...settled, ended: 'ended' } : settled;
}

/** A line with `yield` that gives something. names: what stays what it is. */
function giving({ frame }: Running, names: ReadonlySet<string>, returned: string | undefined): Known {
  const assigned = new Map([...frame.locals].filter(([name]) => names.has(name)));
  const results = returned === undefined ? { assigned } : { assigned, returned };
  return { results, ended: 'gives', frozen: names };
}

/** One that is over, and what it comes to. */
function resumed(running: Running, names: ReadonlySet<string>, { target }: YieldLine, value: string): Known {
  const frozen = unhandled(running, names);
  const kept = [...running.frame.locals].filter(([name]) => frozen.has(name));
  const assigned = new Map([...kept, ...(target === undefined ? [] : [[target, value] as const])]);
  return { results: { assigned, returned: 'None' }, ended: 'resumed', frozen };
}

/** Names that a line does not bind. Behind an `except ... as` its name is unbound. */
function unhandled({ frame, scope }: Running, names: ReadonlySet<string>): ReadonlySet<string> {
  const { binds } = scope.flow?.lines.get(frame.line)?.effects ?? { binds: new Set() };
  return new Set([...names].filter((name) => !binds.has(name)));
}

/** Names of a frame that stand for what they did before the generator ran to which it gives way. */
function keptNames(program: Program, { frame, scope }: Running): ReadonlySet<string> {
  const isQuiet = callsLeaveAllAsItIs(program, scope, frame.line);
  const free = new Set(freeNames(scope));
  return new Set(
    scope.names.filter((name) => {
      if (program.reboundNames.has(name)) return false;
      if (free.has(name) && ownerOf(program, scope, name)?.isGenerator !== false) return false;
      const value = frame.locals.get(name);
      if (value === undefined) return !free.has(name) && !program.hidesArguments;
      return isQuiet || isImmutable(value);
    }),
  );
}
