/** What the names of a loop stand for next that goes over what a generator function of the program yields. */
import { lineTokens, nameOfSlot, type Program } from '../program.js';
import { type Running, scopeOf } from '../running.js';
import type { DebuggerState } from '../state.js';
import { taken } from './items.js';
import { lineParts } from './line-parts.js';
import { isSlotToken, wordToken } from './tokens.js';
import { decodeValue, encodeValue } from './values.js';

const forWord = wordToken('for');

/**
 * By name, behind a `return` state of a generator that the head of a loop in its caller asks for an item; undefined for other states, and where nothing may have
 * been yielded: a generator that ends gives None.
 */
export function yieldedTo(
  program: Program,
  { event, frames, value = 'None' }: DebuggerState,
  { frame, scope }: Running,
): ReadonlyMap<string, string> | undefined {
  const own = frames.at(-1);
  const generator =
    own && event === 'return' && value !== 'None' ? scopeOf(program, own, 'return') : undefined;
  const code = [...lineTokens(program, frame.line)];
  const iterable = code[0] === forWord ? lineParts(code)?.values[0] : undefined;
  if (generator === undefined || iterable === undefined || !isFunction(generator)) return undefined;
  const [callee] = iterable.kind === 'call' ? iterable.parts : [iterable];
  const isAsked =
    callee?.kind === 'name' &&
    (iterable.kind === 'name' || nameOfSlot(program, code[callee.first] as number) === generator.name);
  const target = code.slice(1, iterable.begin - 1);
  const found = isAsked ? taken(target, encodeValue(program, value)) : undefined;
  const names = [...(found ?? [])].map(
    ([slot, item]) => [nameOfSlot(program, slot), decodeValue(program, item)] as const,
  );
  const areTold =
    found?.size === target.filter(isSlotToken).length &&
    names.every(([name, text]) => scope.names.includes(name) && typeof text === 'string');
  return areTold ? new Map(names as [string, string][]) : undefined;
}

const isFunction = ({
  isGenerator,
  name,
}: {
  readonly isGenerator: boolean;
  readonly name: string;
}): boolean => isGenerator && !name.startsWith('<');
