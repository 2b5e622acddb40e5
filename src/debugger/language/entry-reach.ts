/** What the entry of a program, the call that runs it, says of the functions that its lines can enter. */

/** What an entry reaches besides the function that it calls. Entries that reach the same leave the lines of a program the same ways. */
export interface EntryReach {
  /** Names of functions and classes of the program that the entry mentions and does not call, ascending; perhaps other names besides. */
  readonly values: readonly string[];
  /** Names of functions and classes of the program that it calls besides the first one, ascending: what these give may be an argument. */
  readonly given: readonly string[];
  /** It may run code where the function it is given to shows no call: iterators with callbacks. */
  readonly hasCallbacks: boolean;
  /** It uses what reaches functions by other means than their names. */
  readonly reflects: boolean;
  /** Whether a text in it or in the program may spell the name of a function or of a constant of a class, for `getattr` and `setattr` in the program. */
  readonly spells: boolean;
}

export const nothingReached: EntryReach = {
  values: [],
  given: [],
  hasCallbacks: false,
  reflects: false,
  spells: true,
};

/** What reaches functions by other means than their names. */
export const reflection = new Set(
  'getattr eval exec vars locals globals __import__ setattr methodcaller attrgetter compile'.split(' '),
);

/** Builtins that call what they are given. */
export const callbackTakers = new Set(
  'map filter iter eval exec setattr vars locals globals __import__'.split(' '),
);

/** Definitions, and what looks like them in texts and comments. */
const defined = /\b(?:def|class)[\s\\]+([\p{L}_][\p{L}\p{N}_]*)/gu;
const definedFunction = /\bdef[\s\\]+([\p{L}_][\p{L}\p{N}_]*)/gu;
const called = /([\p{L}_][\p{L}\p{N}_]*)\s*(\(?)/gu;

/** Strings but for f-strings: what reaches a function by what stands in one is found in the program. */
const strings = /(?<![\p{L}\p{N}_])[rRbBuU]{0,2}(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/gsu;
const fStrings = /[fF][rR]?['"]|'{3}|"{3}/;

/** What `entry` reaches of the program `source`. Words in f-strings count, too. */
export function reachOf(source: string, entry: string): EntryReach {
  const definitions = new Set([...source.normalize('NFKC').matchAll(defined)].map(([, name = '']) => name));
  const read = fStrings.test(entry) ? entry : entry.replace(strings, "''");
  const words = [...read.normalize('NFKC').matchAll(called)];
  const values = words.flatMap(([, word = '', bracket]) =>
    bracket === '' && definitions.has(word) ? [word] : [],
  );
  const given = words
    .slice(1)
    .flatMap(([, word = '', bracket]) => (bracket === '(' && definitions.has(word) ? [word] : []));
  return {
    values: [...new Set(values)].sort(),
    given: [...new Set(given)].sort(),
    hasCallbacks: words.some(
      ([, word = '']) => word === 'lambda' || word === 'for' || callbackTakers.has(word),
    ),
    reflects: words.some(([, word = '']) => reflection.has(word)),
    spells: byName.test(source) && spellsName(source, entry),
  };
}

/** What reaches attributes by texts. */
const byName = /\b[gs]etattr\b/;
/** What has names for texts that are written as names: keyword arguments, members of enumerations, fields. */
const namesAsTexts =
  /\*\*[\p{L}_]|\.(?:name|_fields)\b|\.__(?:name|qualname|annotations|slots|dict)__|\b(?:asdict|fields|inspect)\b|\bdir\s*\(/u;
/** Texts that stand by themselves. */
const docstring = /^[ \t]*[rRuU]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')/gm;
const text = /"""([\s\S]*?)"""|'''([\s\S]*?)'''|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g;
const classHead = /^([ \t]*)class[ \t]/;

/** Whether a text has a word that is such a name, or begins one. */
function spellsName(source: string, entry: string): boolean {
  if (namesAsTexts.test(source)) return true;
  const texts = [...source.replace(docstring, '').matchAll(text), ...entry.matchAll(text)];
  const words = new Set(
    texts.flatMap(
      (found) =>
        found
          .slice(1)
          .join(' ')
          .toLowerCase()
          .match(/[\p{L}_][\p{L}\p{N}_]+/gu) ?? [],
    ),
  );
  const names = [
    ...[...source.matchAll(definedFunction)].map(([, name = '']) => name),
    ...classConstants(source),
  ];
  return names.some((name) => [...words].some((word) => name.toLowerCase().startsWith(word)));
}

/** Names that the bodies of classes assign, but for fields of data classes. */
function classConstants(source: string): string[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    const [, indent] = classHead.exec(line) ?? [];
    if (indent === undefined || /^\s*@(?:dataclasses\.)?dataclass\b/.test(lines[at - 1] ?? '')) return [];
    const isInside = (other: string): boolean =>
      /^\s*$/.test(other) || other.startsWith(`${indent} `) || other.startsWith(`${indent}\t`);
    const end = lines.findIndex((other, index) => index > at && !isInside(other));
    const body = lines.slice(at + 1, end < 0 ? undefined : end);
    const [own = ''] = /^[ \t]+/.exec(body.find((other) => other.trim() !== '') ?? '') ?? [];
    return body
      .filter((other) => other.startsWith(own))
      .flatMap((other) => /^(\w+)\s*(?::[^=]*)?=(?!=)/.exec(other.slice(own.length))?.[1] ?? []);
  });
}
