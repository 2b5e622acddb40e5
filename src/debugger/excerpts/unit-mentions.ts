/** What the code of a unit names, and by which other means it reaches something. */
import type { LexicalToken } from '../language/lexer.js';
import { namedAttributes } from './named-attributes.js';
import { isReading } from './reading.js';
import { assigning, deepTokens } from './source-units.js';

/** What some code mentions. */
export interface Mentions {
  /** Names that stand by themselves, those that a function surely binds itself left out. */
  readonly names: ReadonlySet<string>;
  /** Those that are not only read, as far as lists, dicts and sets of plain values go. */
  readonly used: ReadonlySet<string>;
  /** Names of attributes and keyword arguments, and what stands in the braces of texts. */
  readonly attributes: ReadonlySet<string>;
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
const reachesAll = new Set(
  'globals eval exec __import__ importlib get_type_hints import_module pickle copyreg'.split(' '),
);
const reachesAllAsAttribute = new Set(
  'modules __globals__ __builtins__ get_type_hints import_module __subclasses__'.split(' '),
);
const reachesMembers = new Set('vars dir inspect __dict__ getmembers mro __mro__ __bases__'.split(' '));
const wordPattern = /[\p{L}_][\p{L}\p{N}_]*/gu;
/** Names what positional patterns of a class look up, by texts. */
const patternNames = '__match_args__';
/** What `_Class__name` is written as inside its class. */
const mangled = /^_[^_].*?(?<name>__.*[^_].?)$/;

/** Code, and the plain names in it that are none of the module's. */
export interface Code {
  readonly tokens: readonly LexicalToken[];
  readonly locals?: ReadonlySet<string>;
}

/** What `code` mentions. */
export function mentionsOf(...code: readonly Code[]): Mentions {
  const found = new Noted();
  for (const { tokens, locals } of code) found.note([...deepTokens(tokens)], locals);
  return found;
}

class Noted implements Mentions {
  readonly names = new Set<string>();
  readonly used = new Set<string>();
  readonly attributes = new Set<string>();
  readonly globals = new Set<string>();
  readonly holders = new Set<string>();
  readonly prefixes = new Set<string>();
  isAll = false;
  opensMembers = false;

  note(tokens: readonly LexicalToken[], locals: ReadonlySet<string> | undefined): void {
    let declaring = -1;
    let deleting = -1;
    for (const [at, { kind, text, logical }] of tokens.entries()) {
      if (kind === 'string' || kind === 'fstring') this.read(text);
      if (kind !== 'name') continue;
      if (declaring === logical) this.globals.add(text);
      if (text === 'global') declaring = logical;
      if (text === 'del') deleting = logical;
      if (reachesMembers.has(text)) this.opensMembers = true;
      const next = tokens[at + 1]?.text ?? '';
      if (tokens[at - 1]?.text === '.') this.attribute(text, next, tokens[at - 2]);
      else if (!locals?.has(text)) {
        this.names.add(text);
        if (!isReading(tokens, at, deleting === logical)) this.used.add(text);
        if (reachesAll.has(text)) this.isAll = true;
      }
      if (next === '=') this.attributes.add(text);
    }
    if (this.names.has(patternNames) || this.attributes.has(patternNames))
      for (const { text } of tokens) this.addWords(text);
    const given = namedAttributes(tokens);
    for (const name of given.names) this.attribute(name);
    for (const prefix of given.prefixes) this.prefixes.add(prefix);
    if (given.prefixes.has('')) this.opensMembers = true;
  }

  private attribute(name: string, next = '', holder?: LexicalToken): void {
    this.attributes.add(name);
    const own = mangled.exec(name)?.groups?.name;
    if (own !== undefined) this.attributes.add(own);
    if (assigning.has(next)) this.holders.add(holder?.text ?? '');
    if (reachesAllAsAttribute.has(name)) this.isAll = true;
  }

  /** What `format` looks up. */
  private read(text: string): void {
    for (const [field] of text.matchAll(/\{[^{}]*\}/g)) this.addWords(field);
  }

  private addWords(text: string): void {
    for (const [word] of text.matchAll(wordPattern)) this.attributes.add(word);
  }
}
