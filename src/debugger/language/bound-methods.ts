/** Methods with their object, as values: `<bound method Queue.put of <Queue object {..}>>`. */
import type { Program, Scope } from '../program.js';
import { isDecorated, isMethod } from './methods.js';

const written = /^<bound method ([\w.]+) of (.*)>$/s;

interface BoundMethod {
  readonly method: Scope;
  /** Canonical repr of its object. */
  readonly object: string;
}

/** The method that calling a value of this text enters, and its object; undefined for other texts. */
export function boundMethod(program: Program, text: string | undefined): BoundMethod | undefined {
  const [, name, object = ''] = (text && written.exec(text)) || [];
  if (name === undefined || object.includes('…')) return undefined;
  const [method, ...others] = program.scopes.filter(({ qualifiedName }) => qualifiedName === name);
  const isOne = method && others.length === 0 && isMethod(method) && !isDecorated(program, method);
  return isOne ? { method, object } : undefined;
}

/** How a method of an object is written. */
export const boundText = ({ qualifiedName }: Scope, object: string): string =>
  `<bound method ${qualifiedName} of ${object}>`;
