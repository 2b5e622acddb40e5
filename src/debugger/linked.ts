/** Names that go along what another name holds: what they stand for stays within that as long as nothing is stored but through them. */
import { changesOnlyNew } from './harmless.js';
import { attributeName } from './language/attributes.js';
import { changesNothing } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import { classesOf, methodOf } from './language/program-classes.js';
import { onlyStatement } from './only-statement.js';
import { lineTokens, type Program, type Scope } from './program.js';

/** Whether a function stores something only into what a name stands for, and calls nothing that may store into what was there before. */
export function storesOnlyThrough(program: Program, scope: Scope, slot: number): boolean {
  // What runs without being called may store anything.
  const runsUnseen = program.scopes.some(({ isGenerator, name }) => isGenerator && name !== '<genexpr>');
  if (runsUnseen) return false;
  return scope.lines.every((line) => {
    const { effects } = scope.flow?.lines.get(line) ?? {};
    if (effects === undefined || effects.operates) return false;
    if (!effects.stores && !effects.calls && !effects.disturbs) return true;
    const code = lineTokens(program, line);
    const parts = (effects.stores ? onlyStatement(program, scope, line)?.line : undefined) ?? lineParts(code);
    const isThrough = ({ kind, first, parts: inner }: Part): boolean =>
      kind === 'display' ? inner.every(isThrough) : kind === 'name' || code[first] === slot;
    return (
      parts !== undefined &&
      (!effects.stores || parts.targets.length > 0) &&
      parts.targets.every(isThrough) &&
      [...parts.values, ...parts.inner].every((part) => makesOnly(program, code, part))
    );
  });
}

/** Whether all that is called in a part changes nothing, or makes an object and changes nothing else. */
function makesOnly(program: Program, code: ArrayLike<number>, { kind, parts }: Part): boolean {
  const [callee] = parts;
  const isCall = kind === 'call' && callee !== undefined;
  const name = isCall && callee.kind === 'name' ? attributeName(program, code[callee.first] as number) : '';
  const owner = classesOf(program).get(name);
  const maker = owner?.isPlain ? methodOf(program, owner, '__init__') : undefined;
  const isHarmless = !isCall || changesNothing(code, callee) || (maker && changesOnlyNew(program, maker));
  return Boolean(isHarmless) && parts.every((inner) => makesOnly(program, code, inner));
}
