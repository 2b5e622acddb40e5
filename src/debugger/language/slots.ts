/** Classes with `__slots__`: their objects have these attributes and no others. */
import { perText } from '../program.js';
import { classOf, isMethod } from './methods.js';

const written = /^[ \t]+__slots__[ \t]*=[ \t]*(?:[([]([^()[\]]*)[)\]]|("\w+"|'\w+'))[ \t]*$/gm;
const name = /^["']([^\W\d]\w*)["']$/u;

/**
 * Names of slots by the qualified name of the class, in the order of the alphabet, in which CPython keeps them; undefined where they are not told of a class, or it
 * has bases and they are not alone.
 */
export const slotsOf = perText(
  ({ source, scopes, lines }): ReadonlyMap<string, readonly string[]> | undefined => {
    const found = new Map<string, readonly string[]>();
    for (const { 1: several, 2: one, index } of source.matchAll(written)) {
      const line = source.slice(0, index).split('\n').length;
      const names = (several ?? one ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => name.exec(part)?.[1]);
      const head = lines.findLastIndex((text, at) => at < line - 1 && /^[ \t]*class\b/.test(text));
      const method = scopes.filter(isMethod).find(({ firstLine }) => firstLine > line);
      const isBare =
        /^[ \t]*class[ \t]+\w+[ \t]*(?:\([ \t]*(?:object|(?:typing\.)?Generic\[[^\]\n]*\]|(?:abc\.)?ABC)?[ \t]*\))?[ \t]*:/.test(
          lines[head] ?? '',
        );
      const isOwn = method && (lines[head] ?? '').includes(` ${classOf(method).split('.').at(-1)}`);
      const isPlain = names.every((part) => part !== undefined && !part.startsWith('__'));
      if (!isBare || !isOwn || !isPlain || method === undefined) return undefined;
      found.set(classOf(method), (names as string[]).sort());
    }
    const mentions = source.match(/__slots__/g)?.length ?? 0;
    const bases = [...found.keys()].map((owner) => owner.split('.').at(-1));
    const isBase = bases.some((base) => new RegExp(`\\bclass\\s+\\w+\\s*\\([^)]*\\b${base}\\b`).test(source));
    return mentions === found.size && !isBase ? found : undefined;
  },
);
