/** How an object looks that has no attributes yet. */
import type { Program, Scope } from '../program.js';
import { classesOf, methodOf, type ProgramClass } from './program-classes.js';

/** The canonical repr of an object of a class, by its qualified name, that has no attributes yet; undefined where its own `__repr__` may come to something. */
export function newObject(program: Program, owner: string): string | undefined {
  const found = classesOf(program).get(owner);
  const written = found && methodOf(program, found, '__repr__');
  if ((written === null && !found?.isData) || !program.source.includes('__repr__'))
    return `<${owner} object>`;
  return found?.isData === false && written && fails(program, found, '__repr__', 0)
    ? `<unrepresentable ${owner}>`
    : undefined;
}

/** Most methods that a `__repr__` is followed through. */
const mostCalls = 3;
const byOwnMethod: readonly (readonly [RegExp, string])[] = [
  [/\b(?:str|format)\($/, '__str__'],
  [/\blen\($/, '__len__'],
  [/\bin\s+$|\b(?:list|tuple|iter|sorted|enumerate|reversed)\($/, '__iter__'],
];

/** Whether a method reads an attribute, before anything else can happen, that an object does not have until it is assigned. */
function fails(program: Program, owner: ProgramClass, name: string, depth: number): boolean {
  const method = depth < mostCalls ? methodOf(program, owner, name) : undefined;
  if (!method || /__getattr|__slots__/.test(program.source)) return false;
  const [object = ''] = method.positional;
  const first = firstStatement(program, method);
  const at = first.search(new RegExp(`\\b${object}\\b`));
  const before = first.slice(0, at);
  // What a comprehension makes of its items comes behind what it goes over.
  const isInside = /\bfor\b/.test(first.slice(at)) && !/\bin\s+$/.test(before);
  const isSure =
    at >= 0 &&
    !isInside &&
    !/\b(?:if|else|and|or|lambda|try|with)\b(?!\s*$)/.test(before.replace(/^\s*(?:if|while)\b/, ''));
  if (!isSure) return false;
  const attribute = new RegExp(`^${object}\\.(\\w+)(\\()?`).exec(first.slice(at));
  if (attribute === null) {
    const called = byOwnMethod.find(([pattern]) => pattern.test(before))?.[1];
    return called !== undefined && fails(program, owner, called, depth + 1);
  }
  const [, read = '', call] = attribute;
  if (call) return fails(program, owner, read, depth + 1);
  const isOfClass = new RegExp(`^[ \\t]+(?:def[ \\t]+${read}\\b|${read}[ \\t]*(?::[^\\n]*)?=)`, 'm');
  return !isOfClass.test(program.source);
}

/** The text of the first statement of a function, its docstring left out, up to the end of its line or of its brackets. */
function firstStatement({ lines, source }: Program, { firstLine, lastLine }: Scope): string {
  const body = lines
    .slice(firstLine - 1, lastLine)
    .join('\n')
    .replace(/^[^\n]*\n/, '');
  const code = body.replace(/^\s*(?:"""[\s\S]*?"""|'''[\s\S]*?''')/, '').replace(/^\s*(?:#[^\n]*\n\s*)*/, '');
  const end = /\n(?=[ \t]*\w)/.exec(code)?.index ?? code.length;
  return source.includes('\t') ? '' : code.slice(0, end);
}
