/** The units of a module, found by their names, and what each of them runs while the module is imported. */
import type { LexicalToken } from '../language/lexer.js';
import { ClassTree, isTelling } from './class-tree.js';
import { type Import, importsIn, isQuietModule, leavesNothing } from './library.js';
import { functionHead, localNames } from './local-names.js';
import { type Changes, changesOf, isListing, isPlain, listsOnly } from './plain-constants.js';
import { append, decoratorsOf, deepTokens, isText, type Unit, unitsOf } from './source-units.js';
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
  /** Units that are part of whatever is read: they bind names that nobody spells, or the import of the module runs code of the program for them, or what the library remembers. */
  readonly always: readonly Unit[];
  /** Nothing can be told of what the import of the module does to it. */
  readonly isOpaque: boolean;
  private readonly byName = new Map<string, Unit[]>();
  private readonly classes = new Map<string, Unit[]>();
  private readonly owners = new Map<Unit, Unit>();
  private readonly membersByName = new Map<string, [owner: Unit, member: Unit][]>();
  /** Where names may have been imported from, in functions too. */
  private readonly imports = new Map<string, Import[]>();
  /** Units that import modules which call methods of the program by names of their own. */
  private readonly loud = new Set<Unit>();
  /** Names that functions bind in the module. */
  private readonly globals = new Set<string>();
  /** Statements that bind what nothing changes. */
  private readonly constants = new Set<Unit>();
  /** What classes have from their bases. */
  private readonly tree: ClassTree;
  /** Classes of which no member can be left out by itself. */
  private readonly open: ReadonlySet<Unit>;
  private readonly mentions = new Map<Unit, Mentions>();

  constructor(source: string, tokens: readonly LexicalToken[]) {
    this.units = unitsOf(source, tokens);
    for (const unit of this.units) this.index(unit);
    const [first] = this.units;
    if (first !== undefined && isText(first)) append(this.byName, '__doc__', first);
    const all = this.units.flatMap((unit) => [unit, ...unit.members]);
    for (const unit of all) for (const name of this.mentionsOf(unit).globals) this.globals.add(name);
    for (const unit of this.units) if (this.changesOf(unit) === 'nothing') this.constants.add(unit);
    this.tree = new ClassTree(this.classes);
    this.open = new Set(this.allClasses().filter((owner) => this.mustBeWhole(owner)));
    this.always = this.units.filter((unit) => isForAll(unit) || this.runsProgram(unit));
    this.isOpaque =
      [...this.imports.values()].flat().some(isOfItself) ||
      this.units.some(looksAround) ||
      this.membersByName.has('__class_getitem__');
  }

  private index(unit: Unit): void {
    if (unit.kind === 'guard') return;
    for (const name of unit.binds) append(this.byName, name, unit);
    for (const part of [unit, ...unit.members]) {
      for (const [name, from] of importsIn([...part.head, ...part.body])) {
        append(this.imports, name, from);
        if (!isQuietModule(from.module)) this.loud.add(part);
      }
    }
    if (unit.kind !== 'class') return;
    if (unit.name !== undefined) append(this.classes, unit.name, unit);
    for (const member of unit.members) {
      this.owners.set(member, unit);
      if (member.name !== undefined) append(this.membersByName, member.name, [unit, member]);
    }
  }

  /** Whether the import of the module runs code of the program for a unit, or code of the library that remembers it. */
  private runsProgram(unit: Unit): boolean {
    const { kind, members } = unit;
    if (kind === 'import' || kind === 'guard') return false;
    if (this.isHandedOn(unit)) return true;
    if (kind === 'statement') return !this.runsNothing(unit) && this.mayEnter(unit.head);
    if (kind === 'function') {
      const { defaults, outer } = functionHead(unit);
      const isListed = listsOnly(defaults, this.isThere, this.isStored);
      return outer.some(({ text }) => text === '(')
        ? this.mayEnter(outer)
        : !isListed && this.mayEnter(defaults);
    }
    const isInside = this.ownerOf(unit) !== undefined;
    const bases = unit.head.slice(decoratorsOf(unit).length);
    const isCalled =
      bases.some(({ text }, at) => text === '(' && at > 2) || endOfHead(unit.head) < unit.head.length;
    const head = isInside || isCalled || this.tree.told.has(unit) ? withoutName(unit) : [];
    return this.mayEnter(head) || members.some((member) => this.runsProgram(member));
  }

  /** Whether tokens that run may enter functions of the program, or change what it has or what the library remembers. */
  private mayEnter(tokens: readonly LexicalToken[]): boolean {
    return (
      this.namesStateful(tokens) ||
      [...deepTokens(tokens)].some(
        ({ kind, text }, at, all) =>
          kind === 'name' &&
          all[at - 1]?.text !== '.' &&
          (this.globals.has(text) || this.binding(text).some((other) => other.kind !== 'import')),
      )
    );
  }

  private namesStateful(tokens: readonly LexicalToken[]): boolean {
    return [...deepTokens(tokens)].some(({ kind, text }, at, all) => {
      const from = kind === 'name' && all[at - 1]?.text !== '.' ? (this.imports.get(text) ?? []) : [];
      const attribute = all[at + 1]?.text === '.' ? all[at + 2]?.text : undefined;
      return from.some((origin) => !leavesNothing(origin, attribute));
    });
  }

  /** Whether a decorator that may keep what it is given is given a function or class. */
  private isHandedOn(unit: Unit): boolean {
    const decorators = decoratorsOf(unit);
    const starts = decorators.flatMap(({ text, logical }, at) =>
      text === '@' && decorators[at - 1]?.logical !== logical ? [at] : [],
    );
    return starts.some((start, index) => this.keeps(unit, decorators.slice(start + 1, starts[index + 1])));
  }

  /** Whether a decorator may keep what it is given, or runs code of the program. */
  private keeps(unit: Unit, decorator: readonly LexicalToken[]): boolean {
    const [root, dot, attribute] = decorator;
    if (root?.kind !== 'name') return true;
    const looked = dot?.text === '.' ? attribute?.text : undefined;
    // `@price.setter` of a property of the same class.
    if (this.ownerOf(unit) !== undefined && decorator.length === 3 && plainDecorators.has(looked ?? ''))
      return false;
    const from = this.imports.get(root.text) ?? [];
    const isKnown =
      from.length > 0
        ? from.every((origin) => leavesNothing(origin, looked))
        : this.isPlainDecorator(root.text);
    return !isKnown || !this.isLibrary(root.text) || this.mayEnter(decorator);
  }

  private isPlainDecorator = (name: string): boolean => plainDecorators.has(name) && this.isLibrary(name);

  /** Whether a statement only binds a name to what is there already, or to what it lists: nothing of the program runs for that. */
  private runsNothing(unit: Unit): boolean {
    if (this.changesOf(unit) !== 'anything') return true;
    return unit.kind === 'statement' && isListing(unit, this.isThere, this.isStored);
  }

  /** Whether a name stands for something that runs nothing of the program when it is listed, and is bound to nothing else. */
  private isThere = (name: string): boolean =>
    !this.globals.has(name) &&
    this.binding(name).every((other) => other.kind !== 'statement' || this.changesOf(other) !== 'anything') &&
    !(this.classes.get(name) ?? []).some((owner) => this.isOpen(owner));

  /** Whether an attribute of a name is there as it was bound: a constant of a class, or something of the library. */
  private isStored = (name: string, attribute: string): boolean => {
    const owners = this.classes.get(name) ?? [];
    if (owners.length === 0) return this.isLibrary(name) && this.imports.has(name);
    const binds = (member: Unit): boolean => member.binds.has(attribute);
    return owners.every(
      ({ members }) =>
        members.some(binds) &&
        members.every((member) => !binds(member) || this.changesOf(member) !== 'anything'),
    );
  };

  /** Units of the module that bind a name. */
  binding = (name: string): readonly Unit[] => this.byName.get(name) ?? [];

  /** Members of classes that have a name, each with its class. */
  membersNamed = (name: string): readonly (readonly [owner: Unit, member: Unit])[] =>
    this.membersByName.get(name) ?? [];

  /** The class of the module in whose body a unit stands. */
  ownerOf = (unit: Unit): Unit | undefined => this.owners.get(unit);

  allClasses = (): readonly Unit[] => [...this.classes.values()].flat();

  /** Whether a unit imports a module that calls methods of the program by names of its own. */
  isLoud = (unit: Unit): boolean => this.loud.has(unit);

  /** Whether a name is one of builtins or of the library. */
  private isLibrary = (name: string): boolean => this.binding(name).every(({ kind }) => kind === 'import');

  /** What may become of the value that a statement binds. */
  private changesOf(unit: Unit): Changes {
    if (this.constants.has(unit)) return 'nothing';
    const isKept = (name: string): boolean =>
      !this.globals.has(name) &&
      this.binding(name).every((other) => other.kind === 'import' || this.constants.has(other));
    return unit.kind === 'statement' ? changesOf(unit, isKept, this.isLibrary) : 'anything';
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
      });
    const head = functionHead(unit);
    const own = { locals: localNames(unit, head), parameters: head.parameters, owner };
    return mentionsOf(
      { tokens: head.decorators, owner },
      { tokens: head.outer, isAnnotation: true, owner },
      { tokens: head.body, ...own },
      { tokens: unit.body, ...own },
    );
  }

  /** Whether no member of a class can be left out by itself. */
  isOpen = (owner: Unit): boolean => this.open.has(owner);

  /** Whether something calls members of a class, counts them or is told of them without naming them. */
  private mustBeWhole(owner: Unit): boolean {
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
        : decorators[at + 1]?.text === '.' || this.isPlainDecorator(text);
    const { defaults, outer } = functionHead(member);
    return !decorators.every(isKnown) || !isPlain(defaults) || outer.some(({ text }) => text === '(');
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
