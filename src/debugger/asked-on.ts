/** Generators of the program that are asked for all they give: no such one is closed or dropped before its end, so that one which goes on does so without an exception. */
import { changesNothing } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import { servedAs } from './language/read-as.js';
import { isGeneratorFunction } from './language/suspending.js';
import { isSlotToken, wordTokens } from './language/tokens.js';
import { lineTokens, loopsOf, nameOfSlot, type Program, perText, type Scope } from './program.js';
import { type Running, scopeOf } from './running.js';
import type { DebuggerState, Frame } from './state.js';
import { statementLines } from './whole-statement.js';
import { givesOn, makes } from './yield-lines.js';

const [forWord, inWord, join, ...wholly] = wordTokens('for in join list tuple sorted');
const inner = new Set<Part['kind']>(['generator', 'comprehension', 'lambda']);
/** By which a generator may be ended, or run, out of turn. */
const disturbing = /\b(?:throw|__del__|weakref|close|closing|send|async|await|exec|eval|settrace)\b/;

/** Whether generators are made only where their items are taken one after the other, by what holds them as long as it lasts. */
const areTakenAtOnce = perText(({ source, scopes }): boolean => {
  const names = new Set(scopes.filter(isGeneratorFunction).map(({ name }) => name));
  if (disturbing.test(source) || [...names].some((name) => name.startsWith('__'))) return false;
  return [...names].every((name) => {
    const taken = new RegExp(
      `\\bdef ${name}\\b|(?:\\byield from|\\bin|\\b(?:list|tuple|sorted|set|dict|sum|max|min)\\(|\\.join\\() ?(?:\\w+\\.)*${name}\\(`,
      'g',
    );
    return !new RegExp(`\\b${name}\\b`).test(source.replace(taken, ''));
  });
});

/** Whether the generator whose frame is the last of these, with this event, is asked by what takes all that it gives, perhaps by way of others that give it on. */
export function isAskedOn(
  program: Program,
  frames: readonly Frame[],
  event: DebuggerState['event'],
): boolean {
  const top = frames.at(-1);
  let scope = top && scopeOf(program, top, event);
  if (scope === undefined || !isGeneratorFunction(scope) || !areTakenAtOnce(program)) return false;
  for (const frame of frames.slice(0, -1).reverse()) {
    const caller = runningIn(program, frame);
    if (caller === undefined || !holdsNoOther(program, caller)) return false;
    if (!givesOn(program, caller, scope)) return takenBy(program, caller, scope) !== undefined;
    scope = caller.scope;
  }
  return false;
}

function runningIn(program: Program, frame: Frame): Running | undefined {
  const scope = scopeOf(program, frame, 'paused');
  return scope && { frame, scope };
}

/** Whether no loop around a frame's line goes over what a generator gives, which an exception would drop. */
function holdsNoOther(program: Program, { frame, scope }: Running): boolean {
  const generators = new Set(program.scopes.filter(isGeneratorFunction).map(({ name }) => name));
  const around = loopsOf(scope, frame.line).filter((line) => line !== frame.line);
  return !around.some((line) =>
    lineTokens(program, line).some(
      (token) => isSlotToken(token) && generators.has(nameOfSlot(program, token)),
    ),
  );
}

/** The call of a generator function in the code of a frame's line, if that does nothing else but take all that it gives, which cannot fail. */
export function takenBy(
  program: Program,
  running: Running,
  generator: Scope,
): { readonly code: readonly number[]; readonly part: Part } | undefined {
  const { frame, scope } = running;
  if (!scope.flow?.lines.has(frame.line) || statementLines(running).size !== 1) return undefined;
  const code = servedAs(program, frame, lineTokens(program, frame.line));
  const { values, targets, inner: others } = lineParts(code) ?? { values: [], targets: [], inner: [] };
  const isMade = ({ kind, parts: [callee] }: Part): boolean =>
    kind === 'call' && callee !== undefined && makes(program, running, code, callee, generator);
  const [value, ...more] = values;
  if (value === undefined || more.length + others.length > 0 || calls(code, value) !== 1) return undefined;
  if (code[0] === forWord)
    return code[2] === inWord && scope.flow.conditions.has(frame.line) && isMade(value)
      ? { code, part: value }
      : undefined;
  const all = within(value);
  const isWhole = !all.some(({ kind }) => inner.has(kind)) && targets.every(({ kind }) => kind === 'name');
  const taken = all.filter((part) => takesWholly(code, part)).flatMap(({ parts }) => parts.slice(1, 2));
  const part = taken.find(isMade);
  return isWhole && part ? { code, part } : undefined;
}

/** Whether a call of a builtin goes over all that it is given before it does anything else. */
function takesWholly(code: readonly number[], { kind, parts: [callee] }: Part): boolean {
  if (kind !== 'call' || callee === undefined) return false;
  const name = code[callee.end - 1] as number;
  return callee.kind === 'attribute' ? name === join : callee.kind === 'name' && wholly.includes(name);
}

/** How many calls stand in a part, but for those of builtins that change nothing. */
const calls = (code: readonly number[], part: Part): number =>
  within(part).filter(
    ({ kind, parts: [callee] }) => kind === 'call' && callee && !changesNothing(code, callee),
  ).length;

const within = (part: Part): Part[] => [part, ...part.parts.flatMap(within)];
