/** The units of a module, found by their names, and what each of them runs while the module is imported. */
import type { LexicalToken } from '../language/lexer.js';
import { ClassTree, isTelling } from './class-tree.js';
import { type Import, importsOf, isQuietModule, leavesNothing } from './library.js';
import { functionHead, localNames } from './local-names.js';
import { type Changes, changesOf, isListing, isPlain } from './plain-constants.js';
import { append, boundBy, decoratorsOf, deepTokens, isText, type Unit, unitsOf } from './source-units.js';
import { type Mentions, mentionsOf } from './unit-mentions.js';

/** Decorators that look at nothing but the function that they are given, and leave nothing behind. */
const plainDecorators = new Set(
  'property staticmethod classmethod setter getter deleter override final'.split(' '),
);
/** What reaches names of a module while it is imported. */
const reachesModule = /^(?:locals|vars|dir|globals|exec|eval)$/;

/** A module taken apart. What it tells of a unit is found once. */
export class ModuleUnits {
  readonly units: readonly Unit[];
  /** Units that are part of whatever is read: they bind names that nobody spells, or set what the library goes by. */
  readonly always: readonly Unit[];
  /** Units that something may run that does not name them: decorators, bases and metaclasses were told of them. */
  readonly registered: readonly Unit[];
  /** Nothing can be told of what the import of the module does to it. */
  readonly isOpaque: boolean;
  private readonly byName = new Map<string, Unit[]>();
  private readonly classes = new Map<string, Unit[]>();
  private readonly owners = new Map<Unit, Unit>();
  private readonly membersByName = new Map<string, [owner: Unit, member: Unit][]>();
  private readonly imports = new Map<string, Import>();
  /** Names that functions bind in the module. */
  private readonly globals = new Set<string>();
  /** Statements that bind what nothing changes. */
  private readonly constants = new Set<Unit>();
  /** What classes have from their bases. */
  readonly tree: ClassTree;
  private readonly mentions = new Map<Unit, Mentions>();
  private readonly runs = new Map<Unit, Mentions>();
  private readonly stateful = new Map<Unit, boolean>();

  constructor(source: string, tokens: readonly LexicalToken[]) {
    this.units = unitsOf(source, tokens);
    for (const unit of this.units) this.index(unit);
    const [first] = this.units;
    if (first !== undefined && isText(first)) append(this.byName, '__doc__', first);
    const all = this.units.flatMap((unit) => [unit, ...unit.members]);
    for (const unit of all) for (const name of this.mentionsOf(unit).globals) this.globals.add(name);
    for (const unit of this.units) if (this.changesOf(unit) === 'nothing') this.constants.add(unit);
    this.tree = new ClassTree(this.classes);
    this.always = this.units.filter((unit) => isForAll(unit) || this.setsLibrary(unit));
    this.registered = this.units.filter((unit) => this.isRegistered(unit));
    this.isOpaque = [...this.imports.values()].some(isOfItself) || this.units.some(looksAround);
  }

  private index(unit: Unit): void {
    if (unit.kind === 'guard') return;
    for (const name of unit.binds) append(this.byName, name, unit);
    if (unit.kind === 'import') for (const [name, from] of importsOf(unit.head)) this.imports.set(name, from);
    if (unit.kind !== 'class') return;
    if (unit.name !== undefined) append(this.classes, unit.name, unit);
    for (const member of unit.members) {
      this.owners.set(member, unit);
      if (member.name !== undefined) append(this.membersByName, member.name, [unit, member]);
    }
  }

  /** A statement that calls what the library remembers, such as `sys.setrecursionlimit(50)`. */
  private setsLibrary(unit: Unit): boolean {
    return unit.kind === 'statement' && this.isStateful(unit) && unit.head.some(({ text }) => text === '(');
  }

  /** Whether a unit names something of the library that remembers calls. */
  isStateful(unit: Unit): boolean {
    const found = this.stateful.get(unit) ?? this.namesStateful([...unit.head, ...unit.body]);
    this.stateful.set(unit, found);
    return found;
  }

  private namesStateful(tokens: readonly LexicalToken[]): boolean {
    return [...deepTokens(tokens)].some(({ kind, text }, at, all) => {
      const from = kind === 'name' && all[at - 1]?.text !== '.' ? this.imports.get(text) : undefined;
      return (
        from !== undefined && !leavesNothing(from, all[at + 1]?.text === '.' ? all[at + 2]?.text : undefined)
      );
    });
  }

  private isRegistered(unit: Unit): boolean {
    if (unit.kind !== 'function' && unit.kind !== 'class') return false;
    return this.tree.told.has(unit) || [unit, ...unit.members].some((part) => this.isHandedOn(part));
  }

  /** Whether a decorator of the program is given a function or class, which may keep it. */
  private isHandedOn(unit: Unit): boolean {
    return decoratorsOf(unit).some(({ kind, text }, at, all) => {
      if (kind !== 'name' || all[at - 1]?.text !== '@') return false;
      const from = this.imports.get(text);
      const attribute = all[at + 1]?.text === '.' ? all[at + 2]?.text : undefined;
      const isOwn =
        this.ownerOf(unit) !== undefined && attribute !== undefined && plainDecorators.has(attribute);
      return !isOwn && !plainDecorators.has(text) && (from === undefined || !leavesNothing(from, attribute));
    });
  }

  /** Whether a statement only binds a name to what is there already, or to what it lists: nothing of the program runs for that. */
  runsNothing(unit: Unit): boolean {
    if (this.changesOf(unit) !== 'anything') return true;
    const isThere = (name: string): boolean =>
      !this.globals.has(name) &&
      this.binding(name).every(
        (other) => other.kind !== 'statement' || this.changesOf(other) !== 'anything',
      ) &&
      !(this.classes.get(name) ?? []).some((owner) => this.isOpen(owner));
    return unit.kind === 'statement' && isListing(unit, isThere);
  }

  /** Units of the module that bind a name. */
  binding = (name: string): readonly Unit[] => this.byName.get(name) ?? [];

  /** Members of classes that have a name, each with its class. */
  membersNamed = (name: string): readonly (readonly [owner: Unit, member: Unit])[] =>
    this.membersByName.get(name) ?? [];

  /** The class of the module in whose body a unit stands. */
  ownerOf = (unit: Unit): Unit | undefined => this.owners.get(unit);

  allClasses = (): readonly Unit[] => [...this.classes.values()].flat();

  /** Whether an import is one of a module that calls methods of the program by names of its own. */
  isLoud = ({ kind, head }: Unit): boolean =>
    kind === 'import' && [...importsOf(head).values()].some(({ module }) => !isQuietModule(module));

  /** Whether a name is one of builtins or of the library. */
  private isLibrary = (name: string): boolean => this.binding(name).every(({ kind }) => kind === 'import');

  /** What may become of the value that a statement binds. */
  changesOf(unit: Unit): Changes {
    if (this.constants.has(unit)) return 'nothing';
    const isKept = (name: string): boolean =>
      !this.globals.has(name) &&
      this.binding(name).every((other) => other.kind === 'import' || this.constants.has(other));
    return unit.kind === 'statement' ? changesOf(unit, isKept, this.isLibrary) : 'anything';
  }

  /** Names that the body of a class binds where that stands on the line of its head. */
  inlineNames({ kind, head, members }: Unit): ReadonlySet<string> {
    const at = kind === 'class' && members.length === 0 ? endOfHead(head) : head.length;
    return boundBy([head.slice(at)]);
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
    const owner = this.owners.get(unit)?.name;
    if (unit.kind !== 'function')
      return mentionsOf({
        tokens: unit.head,
        isAnnotation: isAnnotated(unit),
        owner,
        isHead: unit.kind === 'class',
      });
    const head = functionHead(unit);
    const own = { locals: localNames(unit, head), parameters: head.parameters, owner };
    return mentionsOf(
      { tokens: head.decorators, owner },
      { tokens: head.outer, isAnnotation: true, owner, isHead: true },
      { tokens: head.body, ...own },
      { tokens: unit.body, ...own },
    );
  }

  /** What a unit mentions in code that runs while the module is imported, its own name left out. */
  importMentionsOf(unit: Unit): Mentions {
    let found = this.runs.get(unit);
    if (found === undefined) {
      found = mentionsOf({ tokens: this.runByImport(unit) });
      this.runs.set(unit, found);
    }
    return found;
  }

  private runByImport(unit: Unit): LexicalToken[] {
    if (unit.kind === 'import') return [];
    if (unit.kind === 'statement') return [...unit.head];
    if (unit.kind === 'function') return outsideOf(unit);
    const members = unit.members.flatMap((member) => this.runByImport(member));
    const bases = unit.head.slice(decoratorsOf(unit).length);
    // A base that is made by a call, or a body on the line of the head.
    const isCalled =
      bases.some(({ text }, at) => text === '(' && at > 2) || endOfHead(unit.head) < unit.head.length;
    const head = isCalled || this.tree.told.has(unit) ? withoutName(unit) : decoratorsOf(unit);
    return [...head, ...members];
  }

  /** Whether members of a class can be left out one by one: nothing calls them, counts them or is told of them without naming them. */
  isOpen(owner: Unit): boolean {
    return (
      this.tree.open.has(owner) ||
      this.tree.told.has(owner) ||
      decoratorsOf(owner).some(({ text }) => text === 'runtime_checkable') ||
      owner.members.some(
        (member, at) => (at > 0 && beginsWithText(member)) || isTelling(member) || looksAround(member),
      )
    );
  }

  /** Whether a member of a class is part of it whatever is named: what decorates it, or its defaults, may do anything. */
  isFixed(member: Unit): boolean {
    if (member.kind !== 'function') return true;
    const decorators = decoratorsOf(member);
    const isKnown = ({ kind, text }: LexicalToken, at: number): boolean =>
      kind !== 'name'
        ? text === '@' || text === '.'
        : decorators[at + 1]?.text === '.' || plainDecorators.has(text);
    const { defaults, outer } = functionHead(member);
    return !decorators.every(isKnown) || !isPlain(defaults) || outer.some(({ text }) => text === '(');
  }

  /** Whether calls of a function, or of what stands in a statement, may leave something behind for the next one: stored answers, values of defaults. */
  remembers(unit: Unit): boolean {
    if (unit.kind === 'statement') return unit.head.some(({ text }) => text === 'def' || text === 'class');
    return unit.kind === 'function' && this.isFixed(unit);
  }
}

/** Whether an import gives a module a way to itself. */
const isOfItself = ({ module, name }: Import): boolean =>
  (module === 'sys' && name === 'modules') || module === 'builtins' || module === '__main__';

const isForAll = ({ head }: Unit): boolean =>
  head.some(({ text }, at) => (text === '*' && head[at - 1]?.text === 'import') || text === '__future__');

/** Whether a statement is an annotation, or an assignment with one. */
const isAnnotated = ({ kind, head }: Unit): boolean =>
  kind === 'statement' && head[0]?.kind === 'name' && head[1]?.text === ':';

/** Whether a statement that runs while the module is imported reaches names by texts. */
const looksAround = ({ kind, head }: Unit): boolean =>
  kind === 'statement' &&
  head.some(
    ({ text }, at) => reachesModule.test(text) && head[at + 1]?.text === '(' && head[at - 1]?.text !== '.',
  );

const beginsWithText = ({ kind, head }: Unit): boolean =>
  kind === 'statement' && head.find(({ text }) => text !== '(')?.kind === 'string';

/** Where the body of a class begins that stands on the line of its head, its end if there is none. */
function endOfHead(head: readonly LexicalToken[]): number {
  let depth = 0;
  const from = head.findIndex(({ text }) => text === 'class');
  for (let at = from; at < head.length; at += 1) {
    const { text } = head[at] as LexicalToken;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    else if (depth === 0 && text === ':') return at + 1;
  }
  return head.length;
}

/** The head of a class without its own name. */
function withoutName({ name, head }: Unit): LexicalToken[] {
  const own = head.findIndex(({ text }, at) => text === name && head[at - 1]?.text === 'class');
  return head.filter((_, at) => at !== own);
}

/** What runs of a function where it is defined: annotations do little where they make no calls. */
function outsideOf(unit: Unit): LexicalToken[] {
  const { decorators, defaults, outer } = functionHead(unit);
  return [...decorators, ...(outer.some(({ text }) => text === '(') ? outer : defaults)];
}
