/** What the code of a unit names, and by which other means it reaches something. */
import type { LexicalToken } from '../language/lexer.js';
import { namedAttributes } from './named-attributes.js';
import { assigning, deepTokens } from './source-units.js';

/** What some code mentions. */
export interface Mentions {
  /** Identifiers, those of attributes and keyword arguments too, and what stands in the braces of texts. */
  readonly names: ReadonlySet<string>;
  /** It may reach any name of the module. */
  readonly isAll: boolean;
  /** It may reach any member of a class without naming it. */
  readonly opensMembers: boolean;
  /** Beginnings of the names of attributes that it reaches by texts. */
  readonly prefixes: ReadonlySet<string>;
  /** Names that its `global` statements declare. */
  readonly globals: ReadonlySet<string>;
  /** Where it assigns an attribute of something, the name before the dot; a bracket where that is none. */
  readonly holders: ReadonlySet<string>;
}

/** What reaches any name of a module by a text: by itself, and as an attribute. */
const reachesAll = new Set('globals eval exec __import__ importlib get_type_hints import_module'.split(' '));
const reachesAllAsAttribute = new Set(
  'modules __globals__ __builtins__ get_type_hints import_module __subclasses__ pickle copyreg'.split(' '),
);
const reachesMembers = new Set('vars dir inspect __dict__ getmembers mro __mro__ __bases__'.split(' '));
const wordPattern = /[\p{L}_][\p{L}\p{N}_]*/gu;
/** What `_Class__name` is written as inside its class. */
const mangled = /^_[^_].*?(?<name>__.*[^_].?)$/;

/** What `code` mentions. */
export function mentionsOf(code: readonly LexicalToken[]): Mentions {
  const tokens = [...deepTokens(code)];
  const names = new Set<string>();
  const globals = new Set<string>();
  const holders = new Set<string>();
  const found = { isAll: false, opensMembers: false };
  let declaring = -1;
  for (const [at, { kind, text, logical }] of tokens.entries()) {
    if (kind === 'string' || kind === 'fstring') readText(text, names);
    if (kind !== 'name') continue;
    const isAttribute = tokens[at - 1]?.text === '.';
    names.add(text);
    if (declaring === logical) globals.add(text);
    if (text === 'global') declaring = logical;
    if (isAttribute && assigning.has(tokens[at + 1]?.text ?? '')) holders.add(tokens[at - 2]?.text ?? '');
    found.isAll ||= (isAttribute ? reachesAllAsAttribute : reachesAll).has(text);
    found.opensMembers ||= reachesMembers.has(text);
  }
  if (names.has('__match_args__'))
    for (const { text } of tokens) for (const [word] of text.matchAll(wordPattern)) names.add(word);
  const attributes = namedAttributes(tokens);
  for (const name of attributes.names) names.add(name);
  for (const name of [...names]) {
    const own = mangled.exec(name)?.groups?.name;
    if (own !== undefined) names.add(own);
  }
  found.opensMembers ||= attributes.prefixes.has('');
  return { names, prefixes: attributes.prefixes, globals, holders, ...found };
}

/** What `format` looks up. */
function readText(text: string, names: Set<string>): void {
  for (const [field] of text.matchAll(/\{[^{}]*\}/g))
    for (const [word] of field.matchAll(wordPattern)) names.add(word);
}
