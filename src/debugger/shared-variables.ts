/**
 * Variables that a function shares with the frame that calls it: those of the functions around it. What such a call begins with is what that frame has
 * when nothing of the program ran in between.
 */
import { type Action, callerSteps } from './action.js';
import { isImmutable } from './frozen.js';
import { isGeneratorFunction } from './language/suspending.js';
import { wordToken } from './language/tokens.js';
import { encodeValue } from './language/values.js';
import { isOnlyRead } from './only-read.js';
import { lineTokens, type Program, type Scope } from './program.js';
import { runningFrame, scopeOf } from './running.js';
import type { DebuggerState, Frame } from './state.js';

/** By name: its value, undefined where it is unbound. */
type Values = ReadonlyMap<string, string | undefined>;
const nothing: Values = new Map();
const sortWord = wordToken('sort') as number;

/** The function that is entered next. */
export interface EnteredNext {
  /** Its first line. */
  readonly line: number;
  /** What is told of its parameters. */
  readonly values: ReadonlyMap<string, string>;
  /** A lambda or generator expression that stands in the line. */
  readonly written?: Scope | undefined;
  /** A generator expression that is called again. */
  readonly expression?: Scope | undefined;
  /** Of a generator that goes on, on this line: the function that it runs. */
  readonly goesOn?: Scope | undefined;
}

/**
 * First line of each function that `action` may call from the frame that goes on -> what is known of the names with which the call begins. `entered`: what is
 * told of the parameters of the one that is entered next, and that one if it is written in the line itself. `left`: what a function that has returned left in the
 * frame (left-behind.ts).
 */
export function sharedVariables(
  program: Program,
  state: DebuggerState | null,
  action: Action,
  entered?: EnteredNext,
  left = nothing,
): ReadonlyMap<number, Values> {
  const found = new Map<number, Values>(entered ? [[entered.line, beginning(program, entered)]] : []);
  if (state === null || program.hidesArguments) return found;
  const isPaused = state.event === 'return';
  if (!(isPaused ? callerSteps.has(action.kind) : action.kind === 'step_into')) return found;
  const running = runningFrame(program, state);
  const { effects, own = [] } = running?.scope.flow?.lines.get(running.frame.line) ?? {};
  if (running === undefined || effects === undefined) return found;
  const { frame, scope } = running;
  // A list is empty while its method sorts it.
  const mayHide = [...own].some((line) => lineTokens(program, line).includes(sortWord));
  const stays = (name: string, isFirst: boolean): boolean => {
    // Nothing of the statement has happened before it enters the first function.
    if (left.has(name) || isFirst) return true;
    const value = frame.locals.get(name);
    if (effects.binds.has(name) || (isPaused && program.reboundNames.has(name))) return false;
    if (value === undefined) return true;
    return isImmutable(value) || (!isPaused && !effects.disturbs);
  };
  const lower = state.hiddenFrames > 0 ? [] : state.frames.slice(0, state.frames.indexOf(frame));
  for (const callee of program.scopes) {
    const isWritten = callee === entered?.written;
    if (callee.isGenerator && !isWritten) continue;
    const isNext = isWritten || (callee.firstLine === entered?.line && isAlone(program, callee));
    const isFirst = isNext && !isPaused && !mayHide;
    const free = freeNames(callee);
    // One that is handed on as a value may have been made by a call that is over.
    const shared = (callee.isPlain || isWritten ? free : []).filter(
      (name) => isSameVariable(program, callee, scope, name) && stays(name, isFirst),
    );
    const hidden = free.filter((name) => !isSameVariable(program, callee, scope, name));
    // A generator expression begins without the names of its own loops.
    const unbound = isWritten ? callee.names.filter((name) => !callee.namesAtCall.includes(name)) : [];
    const names = [
      ...unbound.map((name) => [name, undefined] as const),
      ...(found.get(callee.firstLine) ?? []),
      ...fromBelow(program, lower, callee, hidden),
      ...shared.map((name) => [name, (left.has(name) ? left : frame.locals).get(name)] as const),
    ];
    if (names.length > 0) found.set(callee.firstLine, new Map(names));
  }
  return found;
}

/** What is told of the names of a function that is entered; one with `yield` might have others if it went on. */
function beginning(
  program: Program,
  { line, values: told, goesOn, written, expression }: EnteredNext,
): Values {
  const own = expression ?? written;
  const others = own ? program.scopes.filter((scope) => scope !== own && scope.firstLine === line) : [];
  const foreign = others.flatMap(({ names }) => names).filter((name) => !own?.names.includes(name));
  const values = new Map([...foreign.map((name) => [name, undefined] as const), ...told]);
  return ofFunction(program, { line, values, goesOn });
}

/** The same of the names that a function of this line may have. */
function ofFunction(
  program: Program,
  { line, values, goesOn }: Pick<EnteredNext, 'line' | 'goesOn'> & { readonly values: Values },
): Values {
  if (goesOn) return new Map([...goesOn.names.map((name) => [name, undefined] as const), ...values]);
  const [callee, ...others] = program.scopes.filter(({ firstLine }) => firstLine === line);
  if (
    callee === undefined ||
    others.length > 0 ||
    !isGeneratorFunction(callee) ||
    callee.lines.includes(line)
  )
    return values;
  const unbound = callee.names.filter((name) => !callee.namesAtCall.includes(name));
  return new Map([...unbound.map((name) => [name, undefined] as const), ...values]);
}

/** Variables that the calling frame does not see: what the latest of those below it that do has, where nothing can have changed that since. */
function fromBelow(
  program: Program,
  frames: readonly Frame[],
  callee: Scope,
  names: readonly string[],
): (readonly [name: string, value: string])[] {
  if (names.length === 0 || !isAlone(program, callee)) return [];
  const scopes = frames.map((frame) => scopeOf(program, frame, 'paused'));
  return names.flatMap((name) => {
    const owner = ownerOf(program, callee, name);
    // Of a function that has been called again there are several variables.
    if (owner === undefined || scopes.filter((scope) => scope === owner).length !== 1) return [];
    const latest = scopes.findLastIndex((scope) => scope && ownerOf(program, scope, name) === owner);
    const value = frames[latest]?.locals.get(name);
    // What the entry gives is nobody else's; what a function gives another one may be.
    const isOwn = !owner.parameters.has(name) || scopes[0] === owner;
    return value !== undefined && lasts(program, name, value, isOwn) ? [[name, value] as const] : [];
  });
}

/** Whether no other function begins on the line of a function. */
const isAlone = (program: Program, callee: Scope): boolean =>
  !program.scopes.some((scope) => scope !== callee && scope.firstLine === callee.firstLine);

/** Whether a variable stands for what it did, whatever functions of the program have run since. isOwn: nobody else was given it to begin with. */
function lasts(program: Program, name: string, value: string, isOwn: boolean): boolean {
  if (program.reboundNames.has(name)) return false;
  if (isImmutable(value)) return true;
  const slot = program.slots.get(name);
  return slot !== undefined && isOwn && isOnlyRead(program, slot, encodeValue(program, value));
}

/** The names that a function has from those around it. */
export const freeNames = ({ namesAtCall, parameters }: Scope): string[] =>
  namesAtCall.filter((name) => !parameters.has(name));

/** Whether a free name of the callee is the variable that the calling frame shows by this name. */
export function isSameVariable(program: Program, callee: Scope, caller: Scope, name: string): boolean {
  const owner = ownerOf(program, callee, name);
  return owner !== undefined && ownerOf(program, caller, name) === owner;
}

/** The function that a name is local to, as seen from a scope. */
export function ownerOf(program: Program, scope: Scope, name: string): Scope | undefined {
  if (!scope.names.includes(name)) return undefined;
  let owner: Scope | undefined = scope;
  while (owner !== undefined && freeNames(owner).includes(name))
    owner = owner.parent === undefined ? undefined : program.scopes[owner.parent];
  return owner;
}
