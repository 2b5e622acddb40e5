/**
 * Reads which file imports what, in TypeScript, C++ and Python, and compares it with a table of allowed arrows. Files are given as (path, text), so
 * that the checker itself can be tested on planted ones.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Repository path -> text. */
export type Files = ReadonlyMap<string, string>;

export interface Arrow {
  readonly from: string;
  /** Repository path for a file of the repository, else the name as written. */
  readonly to: string;
  readonly inside: boolean;
}

/** All files below `directory` (relative to `root`) whose names end in one of `endings`. */
export function readFiles(root: string, directory: string, endings: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(posix.join(root, directory), { withFileTypes: true })) {
    const path = posix.join(directory, entry.name);
    if (entry.isDirectory()) {
      for (const [name, text] of readFiles(root, path, endings)) files.set(name, text);
    } else if (endings.some((ending) => entry.name.endsWith(ending))) {
      files.set(path, readFileSync(posix.join(root, path), 'utf8'));
    }
  }
  return files;
}

const typescriptImport =
  /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]|\brequire(?:\.resolve)?\(\s*['"]([^'"]+)['"]|\bnew\s+URL\(\s*['"](\.[^'"]+)['"]/g;

export function typescriptArrows(files: Files): Arrow[] {
  return arrowsOf(files, typescriptImport, withoutComments, (from, name) => {
    if (!name.startsWith('.')) return { from, to: name, inside: false };
    return { from, to: posix.join(posix.dirname(from), name), inside: true };
  });
}

const cppInclude = /^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]/gm;

/** Includes are written from `native/` or from the directory of the file. */
export function cppArrows(files: Files, root = 'native'): Arrow[] {
  return arrowsOf(files, cppInclude, withoutComments, (from, name) => {
    const beside = posix.join(posix.dirname(from), name);
    if (files.has(beside)) return { from, to: beside, inside: true };
    const rooted = posix.join(root, name);
    const inside = files.has(rooted);
    return { from, to: inside ? rooted : name, inside };
  });
}

const pythonImport =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)|import[ \t]+([^\n#;]+))/gm;

/** One arrow for each imported module; relative imports are resolved to `package.module`. */
export function pythonArrows(files: Files, sourceRoot = 'python'): Arrow[] {
  const arrows: Arrow[] = [];
  for (const [from, text] of files) {
    for (const match of withoutPythonStrings(text).matchAll(pythonImport)) {
      for (const to of pythonTargets(from, match, sourceRoot)) {
        arrows.push({ from, to, inside: to === 'foretrace' || to.startsWith('foretrace.') });
      }
    }
  }
  return arrows;
}

function pythonTargets(from: string, match: RegExpMatchArray, sourceRoot: string): string[] {
  const [, base, names, plain] = match;
  const listOf = (text: string) =>
    text
      .replace(/[()\\]/g, ' ')
      .split(',')
      .map((part) => part.trim().split(/\s+/)[0] as string)
      .filter(Boolean);
  if (plain !== undefined) return listOf(plain);
  const dots = (/^\.*/.exec(base as string) as RegExpExecArray)[0].length;
  const rest = (base as string).slice(dots);
  if (dots === 0)
    return rest === 'foretrace' ? listOf(names as string).map((name) => `foretrace.${name}`) : [rest];
  const parts = posix.relative(sourceRoot, from).split('/');
  const parent = parts.slice(0, parts.length - dots).join('.');
  if (rest !== '') return [`${parent}.${rest}`];
  return listOf(names as string).map((name) => `${parent}.${name}`);
}

function arrowsOf(
  files: Files,
  pattern: RegExp,
  prepare: (text: string) => string,
  resolve: (from: string, name: string) => Arrow,
): Arrow[] {
  const arrows: Arrow[] = [];
  for (const [from, text] of files) {
    for (const match of prepare(text).matchAll(pattern)) {
      arrows.push(resolve(from, match.slice(1).find((group) => group !== undefined) as string));
    }
  }
  return arrows;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/^[ \t]*\/\/.*$/gm, ' ');
}

function withoutPythonStrings(text: string): string {
  return text.replace(/"""[\s\S]*?"""|'''[\s\S]*?'''/g, '""').replace(/^[ \t]*#.*$/gm, '');
}

/** Name of a layer -> the layers it may import; its own name is always allowed. */
export type Layers = Readonly<Record<string, readonly string[]>>;

/** Arrows that the table does not allow, as text; a layer without a row may not exist. */
export function violations(
  arrows: readonly Arrow[],
  layers: Layers,
  layerOf: (path: string) => string,
): string[] {
  const found: string[] = [];
  for (const { from, to, inside } of arrows) {
    if (!inside) continue;
    const source = layerOf(from);
    const target = layerOf(to);
    const allowed = layers[source];
    if (allowed === undefined) found.push(`${from}: layer '${source}' has no row in the table`);
    else if (source !== target && !allowed.includes(target))
      found.push(`${from} imports ${to}: ${source} may not import ${target}`);
  }
  return found;
}
