/** What calls make that are given nothing but types: empty collections of builtins and of `collections`. */
import { type Program, perText } from '../program.js';
import { attributeName } from './attributes.js';
import { type Part, partTokens } from './parts.js';
import { charOf, isSlotToken, isWordToken } from './tokens.js';

const empty: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'deque()': 'deque([])',
    'set()': 'set()',
    'dict()': '{}',
    'list()': '[]',
    'OrderedDict()': 'OrderedDict()',
    'Counter()': 'Counter()',
    'defaultdict(list)': "defaultdict(<class 'list'>, {})",
    'defaultdict(dict)': "defaultdict(<class 'dict'>, {})",
    'defaultdict(int)': "defaultdict(<class 'int'>, {})",
    'defaultdict(set)': "defaultdict(<class 'set'>, {})",
  }),
);

const builtins = new Set(['set', 'dict', 'list']);
const imported = /^[ \t]*from[ \t]+collections[ \t]+import\b(.*)$/gm;

/** What a program has of `collections` by its own name. */
const importedNames = perText(
  ({ source }): ReadonlySet<string> =>
    new Set([...source.matchAll(imported)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])),
);

/** The canonical repr of what a call makes, if it is such a call; undefined for others, and where its name may be that of anything else. */
export function emptyMadeBy(program: Program, code: ArrayLike<number>, part: Part): string | undefined {
  const [callee] = part.kind === 'call' ? part.parts : [];
  if (callee?.kind !== 'name' || part.end - part.first > 4) return undefined;
  const name = attributeName(program, code[callee.first] as number);
  const isTheirs = builtins.has(name) || importedNames(program).has(name);
  const isBound = program.scopes.some(({ names }) => names.includes(name)) || program.reboundNames.has(name);
  if (!isTheirs || isBound || (builtins.has(name) && program.bound.has(name))) return undefined;
  const text = partTokens(code, part).map((token) =>
    isSlotToken(token) || isWordToken(token) ? attributeName(program, token) : charOf(token),
  );
  return empty.get(text.join(''));
}
