/**
 * The values of the expressions that a step or a question is made of, worked out before it and written in their place (docs/trace-language.md, section 9).
 * Here is told what has to be asked, given the answers so far; who asks is another matter (session/work-out.ts).
 */
import type { Action } from '../action.js';
import { isImmutable } from '../frozen.js';
import type { GeneratorFrame } from '../generator-frame.js';
import type { Program } from '../program.js';
import { runningFrame } from '../running.js';
import { currentFrame, type DebuggerState, type Frame } from '../state.js';
import { tokensOnLine } from '../whole-statement.js';
import { aloud } from './aloud.js';
import { tablesOf } from './constants.js';
import { defaultDicts } from './default-dicts.js';
import { expressionParts } from './expression-parts.js';
import { Literals, toldIn } from './frame-literals.js';
import { goingOn, withValues } from './here.js';
import { withMethods } from './known-calls.js';
import { type LineParts, lineParts } from './line-parts.js';
import type { Around, WorkedAnswers } from './line-values.js';
import { LineWalk, type Pass, type Workings } from './line-walk.js';
import type { Working } from './open-questions.js';
import type { Part } from './parts.js';
import { readAs } from './read-as.js';
import { special } from './tokens.js';

/** What has to be asked for a line, given the answers so far; undefined where nothing has, whatever they are. */
type LineWorkings = ((answers: WorkedAnswers) => Workings) | undefined;

/** What a step by `action` needs worked out. written: the code of its line, where some of it is known. */
export function stepWorkings(
  program: Program,
  state: DebuggerState | null,
  action: Action,
  written?: readonly number[],
): LineWorkings {
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const frame = state === null || !isSingle ? undefined : goingOn(state);
  if (state === null || frame === undefined) return undefined;
  const code = written ?? readAs(program, frame, tokensOnLine(program, frame, runningFrame(program, state)));
  const how = { enters: action.kind === 'step_into', isStale: false, isLine: true };
  return walking(program, frame, code, lineParts(code), how);
}

/**
 * What is worked out of a caller's line that has the values its calls gave (returned.ts): all of it, for the step is not asked for its value. The names have the
 * values that the state shows, which calls may have changed since if they are lists and their like.
 */
export function returnedWorkings(program: Program, frame: Frame, code: readonly number[]): LineWorkings {
  return walking(program, frame, code, inside(code), { enters: false, isStale: true, isLine: true });
}

/** What is worked out of code that begins in a frame up to what it enters first. */
export function enteringWorkings(program: Program, frame: Frame, code: readonly number[]): LineWorkings {
  return walking(program, frame, code, inside(code), { enters: true, isStale: false, isLine: true });
}

/** The same of a line that has the values its calls gave, up to what it enters next. */
export function nextWorkings(program: Program, frame: Frame, code: readonly number[]): LineWorkings {
  return walking(program, frame, code, inside(code), { enters: true, isStale: true, isLine: true });
}

/** The parts of a line, of which the step shows none by itself. */
function inside(code: readonly number[]): LineParts | undefined {
  const found = lineParts(code);
  return found && { ...found, values: [], inner: [...found.values, ...found.inner] };
}

/**
 * What the pass of a generator expression behind so many others needs to be told, and the pass as far as it is, given the answers so far. asked: whether
 * what it gives is, by a step that may go into what is called there or does not.
 */
export function passWorkings(
  program: Program,
  generator: GeneratorFrame,
  passes: number,
  asked?: 'into' | 'over',
): (answers: WorkedAnswers) => { readonly pass: Pass | undefined; readonly open: readonly Working[] } {
  const { own, code, part } = generator;
  const around = (locals: Frame['locals']): Around => {
    const how = { enters: asked === 'into', isStale: false, isLine: false };
    return aroundOf(program, { ...own.frame, locals }, how);
  };
  const within = asked && around(own.frame.locals);
  const outer = around(namesAround(program, generator));
  return (answers) => new LineWalk(outer, code, answers).pass(part, passes, within);
}

/** The names that the first iterable of a generator expression was read with, as far as they surely stand for what they did then. */
export function namesAround(
  program: Program,
  { own, caller, isStale, isPaused }: GeneratorFrame,
): Frame['locals'] {
  const names = new Map([...own.frame.locals, ...caller.frame.locals]);
  if (!isStale) return names;
  const stays = (name: string, text: string): boolean => {
    if (!program.reboundNames.has(name) && isImmutable(text)) return true;
    return !isPaused && own.scope.namesAtCall.includes(name) && own.frame.locals.get(name) === text;
  };
  return new Map([...names].filter(([name, text]) => stays(name, text)));
}

/** What has to be worked out for all that a line of a frame leaves to be told, where nothing of the program runs in it but what has run. */
export function wholeWorkings(program: Program, frame: Frame, code: readonly number[]): LineWorkings {
  return walking(program, frame, code, inside(code), { enters: false, isStale: false, isLine: true });
}

/** What an expression needs to have a value that is told, its own value included. */
export function valueWorkings(program: Program, frame: Frame, asked: readonly number[]): LineWorkings {
  const code = withMethods(program, asked);
  const found = expressionParts(code);
  const line = found && { values: [], inner: [found], targets: [] };
  return walking(program, frame, code, line, { enters: false, isStale: false, isLine: false });
}

/** What a question for an expression needs worked out; its own value is what is asked. */
export function expressionWorkings(
  program: Program,
  state: DebuggerState,
  asked: readonly number[],
): LineWorkings {
  const code = withMethods(program, asked);
  const found = expressionParts(code);
  const line = found && { values: [found], inner: [], targets: [] };
  const how = { enters: false, isStale: false, isLine: false };
  return walking(program, currentFrame(state), code, line, how);
}

type How = Pick<Around, 'enters' | 'isStale' | 'isLine'>;

function aroundOf(program: Program, frame: Frame, how: How): Around {
  const [constants, defaults] = [tablesOf(program), defaultDicts(program, frame)];
  const tables = defaults.size > 0 ? new Map([...constants, ...defaults]) : constants;
  return { program, frame, literals: new Literals(program, frame), tables, defaults, ...how };
}

function walking(
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  line: LineParts | undefined,
  how: How,
): LineWorkings {
  const around = aroundOf(program, frame, how);
  return line && ((answers) => new LineWalk(around, code, answers).of(line));
}

/** The question for an expression that is asked for, everything inside it worked out: in columns, in positions, or with the values of its names. */
export function questionFor(program: Program, frame: Frame, code: readonly number[]): readonly number[] {
  const part = expressionParts(code);
  const told = (inner: Part): readonly number[] | undefined => toldIn(program, frame, code, inner);
  return [special.evaluate, ...((part && aloud(code, part, told)) ?? withValues(program, code, frame))];
}
