/** What the names of a loop stand for next that goes over what a generator function of the program yields. */
import { wordToken } from './language/tokens.js';
import { encodeValue } from './language/values.js';
import { headAt } from './loop-heads.js';
import { lineTokens, nameOfSlot, type Program } from './program.js';
import { type Running, scopeOf } from './running.js';
import type { DebuggerState } from './state.js';

const returnWord = wordToken('return') as number;

/**
 * By name, behind a `return` state of a generator that the head of a loop in its caller asks for an item; undefined for other states, and where nothing may have
 * been yielded: a generator that ends gives None.
 */
export function yieldedTo(
  program: Program,
  { event, frames, value = 'None' }: DebuggerState,
  caller: Running,
): ReadonlyMap<string, string> | undefined {
  const own = frames.at(-1);
  const generator =
    own && event === 'return' && value !== 'None' ? scopeOf(program, own, 'return') : undefined;
  if (!generator?.isGenerator || generator.name.startsWith('<')) return undefined;
  // What a generator returns is no item.
  if (own === undefined || lineTokens(program, own.line).includes(returnWord)) return undefined;
  const code = [...lineTokens(program, caller.frame.line)];
  const head = headAt(program, caller, code);
  if (head === undefined) return undefined;
  const { kind, parts, first } = head.iterable;
  const isCalled =
    kind === 'call' &&
    parts[0]?.kind === 'name' &&
    nameOfSlot(program, code[first] as number) === generator.name;
  return kind === 'name' || isCalled ? head.given(encodeValue(program, value)) : undefined;
}
