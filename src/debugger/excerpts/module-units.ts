/** The units of a module, found by their names, and what each of them runs while the module is imported. */
import { builtinExceptions } from '../language/exception-classes.js';
import type { LexicalToken } from '../language/lexer.js';
import { functionHead, localNames } from './local-names.js';
import { type Changes, changesOf } from './plain-constants.js';
import { append, decoratorsOf, isText, type Unit, unitsOf } from './source-units.js';
import { type Mentions, mentionsOf } from './unit-mentions.js';

/** Bases from the library that call no method of a class but special ones and a few of others' (`reached-units.ts`). */
const plainBases = new Set([
  ...'object ABC ABCMeta Generic Protocol NamedTuple namedtuple TypedDict type'.split(' '),
  ...'Enum IntEnum StrEnum Flag IntFlag EnumMeta int float complex str bytes bytearray'.split(' '),
  ...'list tuple dict set frozenset OrderedDict defaultdict Counter deque'.split(' '),
  ...builtinExceptions,
]);

/** A module taken apart. What it tells of a unit is found once. */
export class ModuleUnits {
  readonly units: readonly Unit[];
  /** Units that are part of whatever is read: they bind names that nobody spells, or set what the library goes by. */
  readonly always: readonly Unit[];
  /** Names that the module binds, imports left out. */
  readonly bound: ReadonlySet<string>;
  private readonly byName = new Map<string, Unit[]>();
  private readonly classes = new Map<string, Unit[]>();
  private readonly members = new Set<Unit>();
  private readonly membersByName = new Map<string, [owner: Unit, member: Unit][]>();
  /** Statements that bind what nothing changes. */
  private readonly constants = new Set<Unit>();
  private open: ReadonlySet<Unit> | undefined;
  private told: ReadonlySet<Unit> | undefined;
  private readonly mentions = new Map<Unit, Mentions>();
  private readonly imports = new Map<Unit, Mentions>();

  constructor(source: string, tokens: readonly LexicalToken[]) {
    this.units = unitsOf(source, tokens);
    const bound = this.units.filter(({ kind }) => kind !== 'import').flatMap(({ binds }) => [...binds]);
    this.bound = new Set(bound);
    for (const unit of this.units) this.index(unit);
    const [first] = this.units;
    if (first !== undefined && isText(first)) append(this.byName, '__doc__', first);
    for (const unit of this.units) if (this.changesOf(unit) === 'nothing') this.constants.add(unit);
    this.always = this.units.filter((unit) => isForAll(unit) || this.setsLibrary(unit));
  }

  private index(unit: Unit): void {
    if (unit.kind === 'guard') return;
    for (const name of unit.binds) append(this.byName, name, unit);
    if (unit.kind !== 'class') return;
    if (unit.name !== undefined) append(this.classes, unit.name, unit);
    for (const member of unit.members) {
      this.members.add(member);
      if (member.name !== undefined) append(this.membersByName, member.name, [unit, member]);
    }
  }

  /** A statement that is there for what it does to the library, such as `sys.setrecursionlimit(50)` and `getcontext().prec = 6`. */
  private setsLibrary(unit: Unit): boolean {
    const { kind, head, binds } = unit;
    if (kind !== 'statement' || !callsFirst(head)) return false;
    return [...binds].every((name) =>
      this.binding(name).every((other) => other === unit || other.kind === 'import'),
    );
  }

  /** Units of the module that bind a name. */
  binding = (name: string): readonly Unit[] => this.byName.get(name) ?? [];

  /** Members of classes that have a name, each with its class. */
  membersNamed = (name: string): readonly (readonly [owner: Unit, member: Unit])[] =>
    this.membersByName.get(name) ?? [];

  /** Whether a unit stands in the body of a class of the module. */
  isMember = (unit: Unit): boolean => this.members.has(unit);

  allClasses = (): readonly Unit[] => [...this.classes.values()].flat();

  /** What may become of the value that a statement binds. */
  changesOf(unit: Unit): Changes {
    if (this.constants.has(unit)) return 'nothing';
    const isKept = (name: string): boolean =>
      this.binding(name).every((other) => other.kind === 'import' || this.constants.has(other));
    return unit.kind === 'statement' ? changesOf(unit, isKept) : 'anything';
  }

  /** What a unit mentions wherever it stands; of a class what stands in its head. */
  mentionsOf(unit: Unit): Mentions {
    let found = this.mentions.get(unit);
    if (found === undefined) {
      found = this.find(unit);
      this.mentions.set(unit, found);
    }
    return found;
  }

  private find(unit: Unit): Mentions {
    if (unit.kind !== 'function') return mentionsOf({ tokens: unit.head });
    const head = functionHead(unit);
    const locals = localNames(unit, head);
    return mentionsOf(
      { tokens: head.decorators },
      { tokens: head.outer },
      { tokens: head.body, locals },
      { tokens: unit.body, locals },
    );
  }

  /** What a unit mentions in code that runs while the module is imported, its own name left out. */
  importMentionsOf(unit: Unit): Mentions {
    let found = this.imports.get(unit);
    if (found === undefined) {
      found = mentionsOf({ tokens: this.runByImport(unit) });
      this.imports.set(unit, found);
    }
    return found;
  }

  private runByImport(unit: Unit): LexicalToken[] {
    if (unit.kind === 'import') return [];
    if (unit.kind === 'statement') return [...unit.head];
    if (unit.kind === 'function') return outsideOf(unit);
    const members = unit.members.flatMap((member) => this.runByImport(member));
    const bases = unit.head.slice(decoratorsOf(unit).length);
    // A base that is made by a call.
    const isCalled = bases.some(({ text }, at) => text === '(' && at > 2);
    const head = isCalled || this.isToldOfSubclasses(unit) ? withoutName(unit) : decoratorsOf(unit);
    return [...head, ...members];
  }

  /** Whether a class has a base that may call any of its methods: one of the library. */
  isOpen(owner: Unit): boolean {
    this.open ??= this.withBase((base, own) => own.length === 0 && !plainBases.has(base));
    return this.open.has(owner);
  }

  /** Whether a class has a base that is told of it, or what may be one, or a metaclass. */
  private isToldOfSubclasses(owner: Unit): boolean {
    this.told ??= this.withBase(
      (base, own) =>
        (own.length === 0 && !plainBases.has(base)) ||
        own.some(
          ({ head, members }) =>
            head.some(({ text }) => text === 'metaclass') ||
            members.some(({ name }) => name === '__init_subclass__'),
        ),
    );
    return this.told.has(owner);
  }

  /** Classes for one of whose bases, or of the bases of these, `holds`; `own`: the classes of the program that a base may be. */
  private withBase(holds: (base: string, own: readonly Unit[]) => boolean): ReadonlySet<Unit> {
    const found = new Set<Unit>();
    const derived = new Map<Unit, Unit[]>();
    for (const unit of this.allClasses()) {
      for (const base of basesOf(unit)) {
        const own = this.classes.get(base) ?? [];
        if (holds(base, own)) found.add(unit);
        for (const other of own) append(derived, other, unit);
      }
    }
    for (const unit of found) for (const other of derived.get(unit) ?? []) found.add(other);
    return found;
  }
}

const isForAll = ({ head }: Unit): boolean =>
  head.some(({ text }, at) => (text === '*' && head[at - 1]?.text === 'import') || text === '__future__');

/** Whether a simple statement begins with a dotted name and calls it, or assigns an attribute of something. */
function callsFirst(head: readonly LexicalToken[]): boolean {
  const end = head.findIndex(({ kind, text }) => kind !== 'name' && text !== '.');
  const isOneLine = head.at(-1)?.logical === head[0]?.logical;
  return (
    isOneLine &&
    end > 0 &&
    (head[end]?.text === '(' || (head[end]?.text === '=' && head[end - 2]?.text === '.'))
  );
}

/** The head of a class without its own name. */
function withoutName({ name, head }: Unit): LexicalToken[] {
  const own = head.findIndex(({ text }, at) => text === name && head[at - 1]?.text === 'class');
  return head.filter((_, at) => at !== own);
}

/** Names of the bases of a class and of its metaclass, of dotted ones the last part. */
function basesOf({ name, head }: Unit): string[] {
  const found: string[] = [];
  let depth = 0;
  const from = head.findIndex(({ text }, at) => text === name && head[at - 1]?.text === 'class');
  for (let at = from + 1; at < head.length; at += 1) {
    const { kind, text } = head[at] as LexicalToken;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    if (depth === 0) break;
    const next = head[at + 1]?.text;
    if (kind === 'name' && depth === 1 && next !== '.' && next !== '=') found.push(text);
  }
  return found;
}

/** What runs of a function where it is defined: annotations do little where they make no calls. */
function outsideOf(unit: Unit): LexicalToken[] {
  const { decorators, defaults, outer } = functionHead(unit);
  return [...decorators, ...(outer.some(({ text }) => text === '(') ? outer : defaults)];
}
