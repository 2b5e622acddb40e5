/** What the code of a unit names, and by which other means it reaches something. */
import type { LexicalToken } from '../language/lexer.js';
import { namedAttributes } from './named-attributes.js';
import { deepTokens } from './source-units.js';

/** What some code mentions. */
export interface Mentions {
  /** Names that stand by themselves, those that a function surely binds itself left out. */
  readonly names: ReadonlySet<string>;
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
}

/** What reaches any name of a module by a text: by itself, and as an attribute. */
const reachesAll = new Set(
  (
    'globals eval exec __import__ importlib get_type_hints import_module pickle copyreg builtins __main__ ' +
    '__annotations__ currentframe runpy new_class'
  ).split(' '),
);
const reachesAllAsAttribute = new Set(
  (
    'modules __globals__ __builtins__ get_type_hints import_module __subclasses__ f_globals f_locals f_back ' +
    '__annotations__ currentframe new_class eval_str'
  ).split(' '),
);
const reachesMembers = new Set(
  (
    'vars dir inspect __dict__ __dir__ getmembers mro __mro__ __bases__ __match_args__ __abstractmethods__ Formatter ' +
    'Template __slots__'
  ).split(' '),
);
const wordPattern = /[\p{L}_][\p{L}\p{N}_]*/gu;

/** Code, and what is known of the plain names in it. */
export interface Code {
  readonly tokens: readonly LexicalToken[];
  /** Names of a function that are none of the module's. */
  readonly locals?: ReadonlySet<string>;
  readonly parameters?: ReadonlySet<string>;
  /** The class of the module in whose body it stands. */
  readonly owner?: string | undefined;
  /** Texts in it may be annotations. */
  readonly isAnnotation?: boolean;
}

/** What `code` mentions. */
export function mentionsOf(...code: readonly Code[]): Mentions {
  const found = new Noted();
  for (const part of code) found.note(part);
  return found;
}

class Noted implements Mentions {
  readonly names = new Set<string>();
  readonly attributes = new Set<string>();
  readonly globals = new Set<string>();
  readonly prefixes = new Set<string>();
  isAll = false;
  opensMembers = false;

  note({ tokens: given, locals, parameters, isAnnotation, owner }: Code): void {
    const tokens = [...deepTokens(given)];
    let declaring = -1;
    for (const [at, { kind, text, logical }] of tokens.entries()) {
      if (kind === 'string' || kind === 'fstring') this.read(text, isAnnotation === true);
      if (kind !== 'name') continue;
      if (declaring === logical) this.globals.add(text);
      if (text === 'global') declaring = logical;
      if (reachesMembers.has(text)) this.opensMembers = true;
      const next = tokens[at + 1]?.text ?? '';
      if (tokens[at - 1]?.text === '.') this.attribute(text);
      else if (!locals?.has(text)) {
        this.names.add(text);
        if (owner !== undefined && text.startsWith('__'))
          this.names.add(`_${owner.replace(/^_+/, '')}${text}`);
        if (reachesAll.has(text)) this.isAll = true;
      }
      if (next === '=') this.attributes.add(text);
      // A class that is made of others by a call.
      if (text === 'type' && next === '(' && tokens[at + 3]?.text === ',') this.isAll = true;
    }
    const attributes = namedAttributes(tokens, parameters ?? new Set());
    for (const name of attributes.names) this.attribute(name);
    for (const prefix of attributes.prefixes) this.prefixes.add(prefix);
    if (attributes.prefixes.has('')) this.opensMembers = true;
  }

  private attribute(name: string): void {
    this.attributes.add(name);
    // What `_Class__name` is written as inside its class.
    for (let at = name.indexOf('__', 1); at > 0 && name.startsWith('_'); at = name.indexOf('__', at + 1))
      this.attributes.add(name.slice(at));
    if (reachesAllAsAttribute.has(name)) this.isAll = true;
  }

  /** What `format` looks up, and names in annotations. */
  private read(text: string, isAnnotation: boolean): void {
    const isField = text.includes('{');
    if (isField) for (const [word] of text.matchAll(wordPattern)) this.attributes.add(word);
    if (isField && looksUpAny(text)) this.opensMembers = true;
    if (isAnnotation) for (const [word] of text.matchAll(wordPattern)) this.names.add(word);
  }
}

/** Whether a text for `format` has a field that looks up a name which is put in: `'{0.%s}' % name`, `'{row.' + name + '}'`, `f'{{0.{name}}}'`. */
function looksUpAny(text: string): boolean {
  let isLookedUp = false;
  let isInside = false;
  for (const char of text) {
    if (char === '{' || char === '}') {
      if (isInside && isLookedUp && char === '{') return true;
      isInside = char === '{';
      isLookedUp = false;
    } else if (char === ':') isInside = false;
    else if (isInside && (char === '.' || char === '[')) isLookedUp = true;
    else if (isInside && isLookedUp && char === '%') return true;
  }
  return isInside && isLookedUp;
}
