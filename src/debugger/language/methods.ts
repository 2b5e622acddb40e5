/** What functions in the bodies of classes are. */
import type { ProgramText, Scope } from '../program.js';

/** Whether a function stands in the body of a class. */
export const isMethod = ({ name, qualifiedName }: Scope): boolean =>
  qualifiedName.endsWith(`.${name}`) && !qualifiedName.endsWith(`<locals>.${name}`);

/** Whether a function is the `__init__` of a class. */
export const isConstructor = ({ name, qualifiedName }: Scope): boolean =>
  name === '__init__' && qualifiedName.endsWith('.__init__') && !qualifiedName.endsWith('<locals>.__init__');

/** The qualified name of the class that a method belongs to. */
export const classOf = ({ qualifiedName, name }: Scope): string => qualifiedName.slice(0, -name.length - 1);

const property = /^\s*@property\s*(?:#.*)?$/;

/** Whether a function runs where an attribute of its name is read. */
export function isGetter({ lines }: ProgramText, scope: Scope): boolean {
  const [first = '', second = ''] = lines.slice(scope.firstLine - 1);
  return isMethod(scope) && !scope.isGenerator && property.test(first) && /^\s*def\b/.test(second);
}

/** Whether a decorator stands before a function. */
export const isDecorated = ({ lines }: ProgramText, { firstLine }: Scope): boolean =>
  /^\s*@/.test(lines[firstLine - 1] ?? '') || /^\s*@/.test(lines[firstLine - 2] ?? '');
