/** With which values a call begins: what its line tells of the arguments. */
import type { Program } from '../program.js';
import type { Running } from '../running.js';
import { classOf, isConstructor, type LineCall } from './line-calls.js';
import type { Part } from './parts.js';
import { slotBase } from './tokens.js';
import { ToldLine } from './told-line.js';

/**
 * Canonical reprs of the parameters that are told, by name. `code`: the line of the calling frame, perhaps with values in place of what was worked out;
 * `isStale`: lists and their like may have changed since the frame was seen.
 */
export function argumentsOf(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  { part, callee }: LineCall,
  isStale: boolean,
): Map<string, string> {
  const told = new ToldLine(program, running, code, isStale);
  const found = new Map<string, string>();
  const bind = (name: string | undefined, argument: Part | undefined): void => {
    const text = argument && told.text(argument);
    if (name !== undefined && text !== undefined) found.set(name, text);
  };
  const [target, ...given] = part.parts;
  if (given.some(({ kind }) => kind === 'star')) return found;
  const isMethod = target?.kind === 'attribute';
  const isMade = target?.kind === 'name' && isConstructor(callee);
  if (isMethod) bind(callee.positional[0], target.parts[0]);
  if (isMade) found.set(callee.positional[0] ?? '', `<${classOf(callee)} object>`);
  const names = callee.positional.slice(Number(isMethod || isMade));
  const inOrder = given.filter(({ kind }) => kind !== 'keyword');
  for (const [index, argument] of inOrder.entries()) bind(names[index], argument);
  for (const { kind, first, parts } of given) {
    const name = kind === 'keyword' ? program.slotNames[(code[first] as number) - slotBase] : undefined;
    if (name !== undefined && names.includes(name)) bind(name, parts[0]);
  }
  return found;
}
