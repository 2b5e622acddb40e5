/** Generators of the program whose frames have returned: whether they have given a value or are over. */
import { isAskedOn } from './asked-on.js';
import { lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import { hasCleanup } from './language/results.js';
import { isGeneratorFunction } from './language/suspending.js';
import { wordTokens } from './language/tokens.js';
import { ToldLine } from './language/told-line.js';
import { lineTokens, nameOfSlot, type Program, perText, type Scope } from './program.js';
import { isNeverNone } from './raised.js';
import { endsQuietly } from './raises-nothing.js';
import { type Running, scopeOf } from './running.js';
import type { DebuggerState } from './state.js';
import { statementLines, statementTokens } from './whole-statement.js';
import { yieldLine } from './yield-lines.js';

const [yieldWord, fromWord, returnWord, withWord, none] = wordTokens('yield from return with None') as [
  number,
  number,
  number,
  number,
  number,
];
/** By which a generator may give something while it is closed, or where it was not asked. */
const mayResist = perText(({ source }) =>
  /\b(?:throw|__del__|weakref|BaseException|GeneratorExit|__mro__|__bases?__|async|await)\b|\bexcept\s*:/.test(
    source,
  ),
);

/** `open`: it has given None, is over, or was left by an exception. undefined: nothing is known. */
export type Left = 'gave' | 'ended' | 'open' | undefined;

/** What the generator function did whose frame has returned on top of a state. */
export function leftGenerator(program: Program, state: DebuggerState): Left {
  const frame = state.event === 'return' ? state.frames.at(-1) : undefined;
  const scope = frame && scopeOf(program, frame, 'return');
  if (frame === undefined || scope === undefined || !isGeneratorFunction(scope)) return undefined;
  const running = { frame, scope };
  if (!scope.flow?.lines.has(frame.line) || statementLines(running).size !== 1) return undefined;
  const code = statementTokens(program, running);
  const [gives, returns] = [code.includes(yieldWord), code.includes(returnWord)];
  if (state.value !== 'None') {
    if (gives) return !returns && !resists(program, scope) ? 'gave' : undefined;
    return returns && !hasCleanup(program, scope) && !mayResist(program) ? 'ended' : undefined;
  }
  if (frame.inFlight !== undefined) return undefined;
  if (!gives) return !mayResist(program) && endsQuietly(program, running) ? 'ended' : undefined;
  return isOver(program, running, state) ? 'ended' : 'open';
}

/** Whether a generator may go on though it is closed. */
function resists(program: Program, { firstLine, lastLine }: Scope): boolean {
  const lines = program.codeLines.filter((line) => firstLine <= line && line <= lastLine);
  return mayResist(program) || lines.some((line) => lineTokens(program, line).includes(withWord));
}

/** Whether a frame that gave None on a line with `yield` gave it because it was over. */
function isOver(program: Program, running: Running, { frames }: DebuggerState): boolean {
  const line = yieldLine(program, running);
  const { part, code = [] } = line ?? {};
  if (line === undefined || part === undefined) return false;
  // What something gives on that never gives None has ended with that.
  if (line.isFrom)
    return running.frame.gots.at(-1) === 'None' && neverGivesNone(program, code, part, new Set());
  const text = new ToldLine(program, running, code, false).text(part);
  return text !== undefined && text !== 'None' && isAskedOn(program, frames, 'return');
}

/** Whether nothing that a part gives, which is a call of a generator function, is None. */
function neverGivesNone(
  program: Program,
  code: ArrayLike<number>,
  { kind, parts: [callee] }: Part,
  seen: Set<Scope>,
): boolean {
  const name =
    kind === 'call' && callee?.kind === 'name' ? nameOfSlot(program, code[callee.first] as number) : '';
  const [scope, ...others] = program.scopes.filter((one) => one.name === name);
  if (scope === undefined || others.length > 0 || !isGeneratorFunction(scope)) return false;
  if (seen.has(scope)) return true;
  seen.add(scope);
  return scope.lines.every((line) => {
    const tokens = lineTokens(program, line);
    if (!tokens.includes(yieldWord)) return true;
    if (tokens[0] !== yieldWord || scope.flow?.lines.get(line)?.own.size !== 1) return false;
    const isFrom = tokens[1] === fromWord;
    const given = tokens.slice(isFrom ? 2 : 1);
    const [value, ...more] = lineParts(given)?.values ?? [];
    if (value === undefined || more.length > 0) return false;
    if (isFrom) return neverGivesNone(program, given, value, seen);
    const isConstant = value.kind === 'constant' && given[value.first] !== none;
    return isConstant || isNeverNone(program, given, value);
  });
}
