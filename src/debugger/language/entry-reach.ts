/** What the entry of a program, the call that runs it, says of the functions that its lines can enter. */

/** What an entry reaches besides the function that it calls. Entries that reach the same leave the lines of a program the same ways. */
export interface EntryReach {
  /** Names of functions and classes of the program that the entry mentions and does not call, ascending; perhaps other names besides. */
  readonly values: readonly string[];
  /** It may run code where the function it is given to shows no call: iterators with callbacks. */
  readonly hasCallbacks: boolean;
  /** It uses what reaches functions by other means than their names. */
  readonly reflects: boolean;
}

export const nothingReached: EntryReach = { values: [], hasCallbacks: false, reflects: false };

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
  return {
    values: [...new Set(values)].sort(),
    hasCallbacks: words.some(
      ([, word = '']) => word === 'lambda' || word === 'for' || callbackTakers.has(word),
    ),
    reflects: words.some(([, word = '']) => reflection.has(word)),
  };
}
