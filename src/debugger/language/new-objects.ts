/** How an object looks that has no attributes yet, and what it needs to look otherwise. */
import { lineBehind, onlyOf, statementOn } from '../method-walk.js';
import type { Program, Scope } from '../program.js';
import { lineParts } from './line-parts.js';
import { classesOf, isAttribute, methodOf, type ProgramClass } from './program-classes.js';
import { unwrittenText } from './repr-text.js';
import { surelyRead } from './sure-reads.js';
import { wordTokens } from './tokens.js';

const [returning, ifWord] = wordTokens('return if') as [number, number];

/** The canonical repr of an object of a class, by its qualified name, that has no attributes yet; undefined where its own `__repr__` may come to something. */
export function newObject(program: Program, owner: string): string | undefined {
  const found = classesOf(program).get(owner);
  const written = found && methodOf(program, found, '__repr__');
  if ((written === null && !found?.isData) || !program.source.includes('__repr__'))
    return `<${owner} object>`;
  return found?.isData === false && written && readsOf(program, found, '__repr__', 0).length > 0
    ? unwrittenText(owner)
    : undefined;
}

/** The attributes without which an object of a class, by its qualified name, cannot be written: its own `__repr__` reads them, whatever it comes to. */
export function neededBy(program: Program, owner: string): readonly string[] {
  const found = classesOf(program).get(owner);
  const method = found && !found.isData ? methodOf(program, found, '__repr__') : undefined;
  if (found === undefined || !method) return [];
  const reads = readFirst(program, method).filter((name) => isAttribute(program, name));
  return [...new Set([...readsOf(program, found, '__repr__', 0), ...reads])];
}

/** The attributes of its object that a function reads before it branches or calls a method of that, whatever it comes to. */
function readFirst(program: Program, method: Scope): readonly string[] {
  const [name = ''] = method.positional;
  if (!method.keptParameters.has(name)) return [];
  const reads: string[] = [];
  const walked = new Set<number>();
  let line = onlyOf(method.flow?.entry ?? []);
  while (line !== undefined && !walked.has(line)) {
    walked.add(line);
    const code = statementOn(program, method, line);
    const { values = [], targets = [] } = lineParts(code) ?? {};
    const isLast = code[0] === returning || code[0] === ifWord;
    if (!isLast && targets.length === 0) break;
    for (const value of values) {
      const { attributes, isAll } = surelyRead(program, code, value, name);
      reads.push(...attributes);
      if (!isAll) return reads;
    }
    if (isLast) break;
    line = lineBehind(method, line);
  }
  return reads;
}

/** Most methods that a `__repr__` is followed through. */
const mostCalls = 3;
const byOwnMethod: readonly (readonly [RegExp, string])[] = [
  [/\b(?:str|format)\($/, '__str__'],
  [/\blen\($/, '__len__'],
  [/\bin\s+$|\b(?:list|tuple|iter|sorted|enumerate|reversed)\($/, '__iter__'],
];

/** The attribute that a method reads first, before anything else can happen, if objects do not have it until it is assigned. */
function readsOf(program: Program, owner: ProgramClass, name: string, depth: number): readonly string[] {
  const method = depth < mostCalls ? methodOf(program, owner, name) : undefined;
  if (!method || /__getattr|__slots__/.test(program.source)) return [];
  const [object = ''] = method.positional;
  const first = firstStatement(program, method);
  const at = first.search(new RegExp(`\\b${object}\\b`));
  const before = first.slice(0, at);
  // What a comprehension makes of its items comes behind what it goes over.
  const isInside = /\bfor\b/.test(first.slice(at)) && !/\bin\s+$/.test(before);
  const isBound = at < (assigning.exec(first)?.[0].length ?? 0);
  const isSure = at >= 0 && !isBound && !isInside && !choosing.test(before.replace(/^\s*(?:if|while)\b/, ''));
  if (!isSure) return [];
  const attribute = new RegExp(`^${object}\\.(\\w+)(\\()?`).exec(first.slice(at));
  if (attribute === null) {
    const called = byOwnMethod.find(([pattern]) => pattern.test(before))?.[1];
    return called === undefined ? [] : readsOf(program, owner, called, depth + 1);
  }
  const [, read = '', call] = attribute;
  if (call) return readsOf(program, owner, read, depth + 1);
  const isOfClass = new RegExp(`^[ \\t]+(?:def[ \\t]+${read}\\b|${read}[ \\t]*(?::[^\\n]*)?=)`, 'm');
  return isOfClass.test(program.source) ? [] : [read];
}

/** Targets of an assignment without brackets in them. */
const assigning = /^[^=([{]*(?<![=!<>+\-*/%&|^@:])=(?!=)/;
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
