/** How an object looks that has no attributes yet. */
import type { Program, Scope } from '../program.js';
import { classesOf, methodOf, type ProgramClass } from './program-classes.js';

/** The canonical repr of an object of a class, by its qualified name, that has no attributes yet; undefined where its own `__repr__` may come to something. */
export function newObject(program: Program, owner: string): string | undefined {
  const found = classesOf(program).get(owner);
  const written = found && methodOf(program, found, '__repr__');
  if ((written === null && !found?.isData) || !program.source.includes('__repr__'))
    return `<${owner} object>`;
  return found?.isData === false && written && readsOf(program, found, '__repr__', 0).length > 0
    ? `<unrepresentable ${owner}>`
    : undefined;
}

/**
 * Whether an object that cannot be written because its own `__repr__` fails still cannot be, once these attributes are assigned on a line of a method: it reads another one, which is
 * assigned nowhere but further down there.
 */
export function staysUnwritten(
  program: Program,
  text: string,
  { line, lastLine }: { readonly line: number; readonly lastLine: number },
  assigned: readonly string[],
): boolean {
  const name = /^<unrepresentable ([^<>]+)>$/.exec(text)?.[1];
  const owner = name === undefined ? undefined : classesOf(program).get(name);
  const reads = owner?.isData === false ? readsOf(program, owner, '__repr__', 0) : [];
  return reads.some((read) => {
    const binding = new RegExp(`\\.${read}[ \\t]*(?::[^\\n=]*)?=(?!=)|\\bsetattr\\b`);
    const lines = program.lines.flatMap((other, at) => (binding.test(other) ? [at + 1] : []));
    const [only = 0, ...others] = lines;
    return !assigned.includes(read) && others.length === 0 && line < only && only <= lastLine;
  });
}

/** Most methods that a `__repr__` is followed through. */
const mostCalls = 3;
const byOwnMethod: readonly (readonly [RegExp, string])[] = [
  [/\b(?:str|format)\($/, '__str__'],
  [/\blen\($/, '__len__'],
  [/\bin\s+$|\b(?:list|tuple|iter|sorted|enumerate|reversed)\($/, '__iter__'],
];

/** Attributes that a method reads, before anything else can happen, which an object does not have until they are assigned: the first, or all of a method that does nothing else. */
function readsOf(program: Program, owner: ProgramClass, name: string, depth: number): readonly string[] {
  const method = depth < mostCalls ? methodOf(program, owner, name) : undefined;
  if (!method || /__getattr|__slots__/.test(program.source)) return [];
  const [object = ''] = method.positional;
  const first = firstStatement(program, method);
  const at = first.search(new RegExp(`\\b${object}\\b`));
  const before = first.slice(0, at);
  // What a comprehension makes of its items comes behind what it goes over.
  const isInside = /\bfor\b/.test(first.slice(at)) && !/\bin\s+$/.test(before);
  const isSure = at >= 0 && !isInside && !choosing.test(before.replace(/^\s*(?:if|while)\b/, ''));
  if (!isSure) return [];
  const attribute = new RegExp(`^${object}\\.(\\w+)(\\()?`).exec(first.slice(at));
  if (attribute === null) {
    const called = byOwnMethod.find(([pattern]) => pattern.test(before))?.[1];
    return called === undefined ? [] : readsOf(program, owner, called, depth + 1);
  }
  const [, read = '', call] = attribute;
  if (call) return readsOf(program, owner, read, depth + 1);
  const all = new RegExp(`\\b${object}\\.(\\w+)\\b(?!\\()`, 'g');
  const isAll = /^\s*return\b/.test(first) && !choosing.test(first) && !/\bfor\b/.test(first);
  const reads = isAll ? [...first.matchAll(all)].map(([, other = '']) => other) : [read];
  const isOfClass = (other: string): boolean =>
    new RegExp(`^[ \\t]+(?:def[ \\t]+${other}\\b|${other}[ \\t]*(?::[^\\n]*)?=)`, 'm').test(program.source);
  return isOfClass(read) ? [] : reads.filter((other) => !isOfClass(other));
}

/** What leaves open whether something is evaluated. */
const choosing = /\b(?:if|else|and|or|lambda|try|with)\b(?!\s*$)/;

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
