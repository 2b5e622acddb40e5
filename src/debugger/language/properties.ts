/** Properties: functions of the program that run where an attribute is read. */
import { type Program, perText, type Scope } from '../program.js';
import { attributeName } from './attributes.js';
import { isGetter } from './methods.js';
import type { Part } from './parts.js';
import { isBoundInside, isStored, type ProgramClass } from './program-classes.js';

/** By the name of the attribute: what reading it enters. */
const gettersOf = perText((text): ReadonlyMap<string, readonly Scope[]> => {
  const found = new Map<string, Scope[]>();
  for (const scope of text.scopes.filter((one) => isGetter(text, one)))
    found.set(scope.name, [...(found.get(scope.name) ?? []), scope]);
  return found;
});

/** Whether some class of the program has a property of this name. */
export const isProperty = (program: Program, name: string): boolean => gettersOf(program).has(name);

/** Whether a property of the program may be read in a part. */
export const readsProperty = (
  program: Program,
  code: ArrayLike<number>,
  { kind, end, parts }: Part,
): boolean =>
  (kind === 'attribute' && isProperty(program, attributeName(program, code[end - 1] as number))) ||
  parts.some((part) => readsProperty(program, code, part));

/** Attributes that builtins and members of enumerations have. */
const ofOthers = new Set('args denominator imag name numerator real start step stop value'.split(' '));

/** What reading an attribute of this name enters, whatever object of the program it is of; undefined where that depends on the object. */
export function onlyGetter(program: Program, name: string): Scope | undefined {
  const [only, ...others] = gettersOf(program).get(name) ?? [];
  const isOnly = others.length === 0 && program.scopes.filter((scope) => scope.name === name).length === 1;
  const isField = new RegExp(`^[ \\t]+${name}[ \\t]*:|\\bnamedtuple\\b`, 'm').test(program.source);
  return isOnly &&
    !isField &&
    !ofOthers.has(name) &&
    !isStored(program, name) &&
    !isBoundInside(program, name)
    ? only
    : undefined;
}

/** What reading an attribute of an object of this class enters. null: nothing of the program; undefined: that cannot be told. */
export function getterOf(program: Program, owner: ProgramClass, name: string): Scope | null | undefined {
  const getters = gettersOf(program).get(name);
  if (getters === undefined) return null;
  if (!owner.isPlain) return undefined;
  const own = program.scopes.filter(({ qualifiedName }) => qualifiedName === `${owner.name}.${name}`);
  const [only, ...others] = own;
  if (only) return others.length === 0 && getters.includes(only) ? only : undefined;
  // What the body of a class binds hides a property of its base.
  if (isBoundInside(program, name) && !owner.isData) return undefined;
  const [base] = owner.bases;
  return base ? getterOf(program, base, name) : null;
}
