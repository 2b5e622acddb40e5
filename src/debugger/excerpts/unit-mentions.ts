/** What the code of a unit names, and by which other means it reaches or changes something. */
import type { LexicalToken } from '../language/lexer.js';
import { keywords } from '../language/source-checks.js';
import { namedAttributes } from './named-attributes.js';
import { isReading } from './reading.js';
import { append, assigning, atDepthZero, deepTokens } from './source-units.js';

/** What some code mentions. */
export interface Mentions {
  /** Names that stand by themselves, those that a function surely binds itself left out. */
  readonly names: ReadonlySet<string>;
  /** Those that are not only read, as far as lists, dicts and sets of plain values go. */
  readonly used: ReadonlySet<string>;
  /** Those that are given to a call, neither called nor looked into themselves, nor the class of a test or an exception. */
  readonly handed: ReadonlySet<string>;
  /** Names of attributes and keyword arguments, and what stands in the braces of texts. */
  readonly attributes: ReadonlySet<string>;
  /** Names in whose place a method is called: of `Shape.register(x)` the two. */
  readonly calls: ReadonlySet<`${string}.${string}`>;
  /** It may reach any name of the module. */
  readonly isAll: boolean;
  /** It may reach any member of a class without naming it. */
  readonly opensMembers: boolean;
  /** Beginnings of the names of attributes that it reaches by texts. */
  readonly prefixes: ReadonlySet<string>;
  /** Names that its `global` statements declare. */
  readonly globals: ReadonlySet<string>;
  /** What has attributes that it assigns or deletes: the name before the dot, `''` where that is none. */
  readonly holders: ReadonlySet<string>;
  /** It makes calls. */
  readonly isCalling: boolean;
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
const changers = new Set(['setattr', 'delattr', '__setattr__', '__delattr__', 'update_wrapper', '__dict__']);
const wordPattern = /[\p{L}_][\p{L}\p{N}_]*/gu;

/** Code, and what is known of the plain names in it. */
export interface Code {
  readonly tokens: readonly LexicalToken[];
  /** Names of a function that are none of the module's. */
  readonly locals?: ReadonlySet<string>;
  readonly parameters?: ReadonlySet<string>;
  /** The class of the module in whose body it stands. */
  readonly owner?: string | undefined;
  /** It is the head of a class or function, behind its decorators. */
  readonly isHead?: boolean;
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
  readonly used = new Set<string>();
  readonly handed = new Set<string>();
  readonly attributes = new Set<string>();
  readonly calls = new Set<`${string}.${string}`>();
  readonly globals = new Set<string>();
  readonly holders = new Set<string>();
  readonly prefixes = new Set<string>();
  isAll = false;
  opensMembers = false;
  isCalling = false;

  note({ tokens: given, locals, parameters, isAnnotation, isHead, owner }: Code): void {
    const tokens = [...deepTokens(given)];
    let declaring = -1;
    let deleting = -1;
    /** For each open bracket whether it is that of a call. */
    const calls: boolean[] = [];
    for (const [at, { kind, text, logical }] of tokens.entries()) {
      if (kind === 'string' || kind === 'fstring') this.read(text, isAnnotation === true);
      if (kind === 'operator' && '([{'.includes(text)) calls.push(text === '(' && isBehindValue(tokens, at));
      else if (kind === 'operator' && ')]}'.includes(text)) calls.pop();
      if (calls.at(-1) === true) this.isCalling = true;
      if (kind !== 'name') continue;
      if (declaring === logical) this.globals.add(text);
      if (text === 'global') declaring = logical;
      if (text === 'del') deleting = logical;
      if (reachesMembers.has(text)) this.opensMembers = true;
      if (changers.has(text)) this.holders.add('');
      const next = tokens[at + 1]?.text ?? '';
      if (tokens[at - 1]?.text === '.') this.attribute(text, next, tokens[at - 2]);
      else if (!locals?.has(text)) {
        this.names.add(text);
        if (owner !== undefined && text.startsWith('__'))
          this.names.add(`_${owner.replace(/^_+/, '')}${text}`);
        if (!isReading(tokens, at, deleting === logical)) this.used.add(text);
        if (calls.at(-1) === true && isHead !== true && next !== '(' && next !== '.' && !isTested(tokens, at))
          this.handed.add(text);
        if (reachesAll.has(text)) this.isAll = true;
      }
      if (next === '=') this.attributes.add(text);
      // A class that is made of others by a call.
      if (text === 'type' && next === '(' && tokens[at + 3]?.text === ',') this.isAll = true;
    }
    for (const holder of storedIn(given)) this.holders.add(holder);
    const attributes = namedAttributes(tokens, parameters ?? new Set());
    for (const name of attributes.names) this.attribute(name);
    for (const prefix of attributes.prefixes) this.prefixes.add(prefix);
    if (attributes.prefixes.has('')) this.opensMembers = true;
  }

  private attribute(name: string, next = '', holder?: LexicalToken): void {
    this.attributes.add(name);
    // What `_Class__name` is written as inside its class.
    for (let at = name.indexOf('__', 1); at > 0 && name.startsWith('_'); at = name.indexOf('__', at + 1))
      this.attributes.add(name.slice(at));
    if (next === '(' && holder?.kind === 'name') this.calls.add(`${holder.text}.${name}`);
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

/** What has attributes that statements assign or delete, wherever they stand in a target: the first name, `''` where that is none. */
function* storedIn(tokens: readonly LexicalToken[]): Generator<string> {
  const lines = new Map<number, LexicalToken[]>();
  for (const token of tokens) append(lines, token.logical, token);
  for (const line of lines.values()) {
    const last = atDepthZero(line, assigning).at(-1) ?? -1;
    const takes = line.some(
      ({ text }) => text === 'for' || text === 'with' || text === 'del' || text === 'as',
    );
    /** For each open bracket whether what stands in it is a target if the whole is one. */
    const groups: boolean[] = [];
    for (const [at, { kind, text }] of line.entries()) {
      const before = line[at - 1];
      if ('([{'.includes(text))
        groups.push(
          before?.kind === 'operator'
            ? !')]}'.includes(before.text)
            : before?.kind !== 'name' || keywords.has(before.text),
        );
      else if (')]}'.includes(text)) groups.pop();
      const next = line[at + 1]?.text ?? '';
      if (kind !== 'name' || before?.text !== '.' || groups.includes(false)) continue;
      if (next === '(' || next === '.' || (at > last && !takes)) continue;
      // What a loop goes over, and what is called, is no target.
      if (at > last && !isTarget(line, at)) continue;
      let root = at - 2;
      while (line[root]?.kind === 'name' && line[root - 1]?.text === '.') root -= 2;
      yield line[root]?.kind === 'name' ? (line[root]?.text ?? '') : '';
    }
  }
}

/** Whether what stands at `at` may be a target of `for`, `as` or `del`. */
function isTarget(line: readonly LexicalToken[], at: number): boolean {
  for (let other = at; other >= 0; other -= 1) {
    const text = line[other]?.text;
    if (text === 'in') return false;
    if (text === 'for' || text === 'as' || text === 'del') return true;
  }
  return false;
}

/** Whether a name stands for the class of an exception, or in a test of what class something is of. */
function isTested(tokens: readonly LexicalToken[], at: number): boolean {
  const { logical } = tokens[at] as LexicalToken;
  for (let other = at - 1; other >= Math.max(at - 12, 0) && tokens[other]?.logical === logical; other -= 1)
    if (/^(?:isinstance|issubclass|except|raise)$/.test(tokens[other]?.text ?? '')) return true;
  return false;
}

/** Whether a text for `format` has a field that looks up a name which is put in: `'{0.%s}' % name`. */
function looksUpAny(text: string): boolean {
  let isLookedUp = false;
  let isInside = false;
  for (const char of text) {
    if (char === '{' || char === '}') {
      isInside = char === '{';
      isLookedUp = false;
    } else if (char === ':') isInside = false;
    else if (isInside && (char === '.' || char === '[')) isLookedUp = true;
    else if (isInside && isLookedUp && char === '%') return true;
  }
  return false;
}

/** Whether a bracket at `at` stands behind a value, which it calls or looks into. */
function isBehindValue(tokens: readonly LexicalToken[], at: number): boolean {
  const before = tokens[at - 1];
  return before?.kind === 'name' ? !keywords.has(before.text) : /^[)\]]$/.test(before?.text ?? '');
}
