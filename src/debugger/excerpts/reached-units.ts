/**
 * Which units of a module the call that runs it can reach, and which can change what these find. Told by names: whatever a reached unit mentions is
 * reached, whoever it is of. What is left out neither runs behind the call nor has anything of what does.
 */
import { hidesArguments } from '../language/entry-callee.js';
import type { LexicalToken } from '../language/lexer.js';
import { functionHead } from './local-names.js';
import type { ModuleUnits } from './module-units.js';
import { isPlain } from './plain-constants.js';
import { decoratorsOf, isText, type Unit } from './source-units.js';
import { type Mentions, mentionsOf } from './unit-mentions.js';

/** Methods that builtins and the library look for in whatever they are given. */
const askedFor = new Set(
  'write writelines flush close read readline keys items fileno send throw mro _make _replace _asdict'.split(
    ' ',
  ),
);
/** Most units that are followed altogether: above it a module takes too long to be looked through. */
const mostFollowed = 200_000;

/** Which units of `module` the tokens of a call reach; undefined where they may reach anything. */
export function reachedUnits(
  module: ModuleUnits,
  call: readonly LexicalToken[],
): ReadonlySet<Unit> | undefined {
  const left = { units: mostFollowed };
  const reached = new Reached(module, left);
  for (const unit of module.always) reached.add(unit);
  // Arguments that are not known may be objects of any class.
  if (hidesArguments(call)) for (const unit of module.allClasses()) reached.add(unit);
  reached.mention(mentionsOf({ tokens: call }));
  const behind = new Map<Unit, Reached>();
  for (let size = -1; size !== reached.units.size; ) {
    size = reached.units.size;
    if (reached.isAll) return undefined;
    const kept = new Kept(module, reached);
    for (const unit of module.units) {
      if (reached.units.has(unit) || unit.kind === 'guard') continue;
      const runs = module.importMentionsOf(unit);
      if (![...runs.names].some((name) => module.bound.has(name))) continue;
      const entered = behind.get(unit) ?? new Reached(module, left).mention(runs);
      behind.set(unit, entered);
      if (left.units <= 0) return undefined;
      if (entered.isAll || kept.isChangedBy(runs, entered.units)) reached.add(unit);
    }
  }
  return reached.units;
}

/** Units that are reached, closed under what they mention. */
class Reached {
  readonly units = new Set<Unit>();
  /** Anything may be reached. */
  isAll = false;
  private readonly names = new Set<string>();
  private readonly attributes = new Set<string>();
  private readonly prefixes = new Set<string>();
  private opensMembers = false;
  private readonly waiting: Unit[] = [];

  /** `left`: how many units may be followed yet. */
  constructor(
    private readonly module: ModuleUnits,
    private readonly left: { units: number },
  ) {}

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Adds a unit and all that it reaches. */
  add(unit: Unit): void {
    this.waiting.push(unit);
    this.follow();
  }

  /** Adds all that such mentions reach. */
  mention(mentions: Mentions): this {
    this.note(mentions);
    this.follow();
    return this;
  }

  private follow(): void {
    for (let size = -1; size !== this.units.size && !this.isAll; ) {
      size = this.units.size;
      for (let unit = this.waiting.pop(); unit !== undefined; unit = this.waiting.pop()) this.enter(unit);
      // What opens classes does so for those that were reached before, too.
      if (this.prefixes.size > 0 || this.opensMembers)
        for (const unit of [...this.units]) if (unit.kind === 'class') this.queueMembers(unit);
      if (this.waiting.length > 0) size = -1;
    }
  }

  private enter(unit: Unit): void {
    if (this.units.has(unit)) return;
    if (this.left.units <= 0) {
      this.isAll = true;
      return;
    }
    this.left.units -= 1;
    this.units.add(unit);
    this.note(this.module.mentionsOf(unit), this.module.isMember(unit));
    if (unit.kind === 'class') this.queueMembers(unit);
  }

  /** isMember: it stands in the body of a class, where the names of its members stand by themselves. */
  private note(mentions: Mentions, isMember = false): void {
    const { names, attributes, prefixes } = mentions;
    this.isAll ||= mentions.isAll;
    this.opensMembers ||= mentions.opensMembers;
    for (const prefix of prefixes) this.prefixes.add(prefix);
    for (const name of names) {
      if (!this.names.has(name)) this.waiting.push(...this.module.binding(name));
      this.names.add(name);
    }
    for (const name of isMember ? [...attributes, ...names] : attributes) {
      if (this.attributes.has(name)) continue;
      this.attributes.add(name);
      for (const [owner, member] of this.module.membersNamed(name))
        if (this.units.has(owner)) this.queue(member);
    }
  }

  /** The members of a class that are asked for, texts that would become its docstring left out; one of them, whichever, for a class has a body. */
  private queueMembers(owner: Unit): void {
    const isOpen = this.opensMembers || this.module.isOpen(owner);
    const isWanted = (member: Unit, at: number): boolean =>
      isOpen || (member.name === undefined ? at === 0 || !isText(member) : this.isAsked(owner, member.name));
    const asked = owner.members.filter(isWanted);
    for (const member of asked.length > 0 ? asked : owner.members.slice(0, 1)) this.queue(member);
  }

  /** A class inside a class goes with all of its members. */
  private queue(unit: Unit): void {
    if (!this.units.has(unit)) this.waiting.push(unit);
    for (const member of unit.members) this.queue(member);
  }

  private isAsked(owner: Unit, name: string): boolean {
    const isSpecial = name.startsWith('_') && name.endsWith('_');
    return isSpecial || askedFor.has(name) || this.attributes.has(name) || this.isSpelled(owner, name);
  }

  /** Whether the name of a member may be that of an attribute which is reached by a text. */
  private isSpelled({ name: owner }: Unit, name: string): boolean {
    const looked = name.startsWith('__') ? `_${owner?.replace(/^_+/, '')}${name}` : name;
    return [...this.prefixes].some((prefix) => looked.startsWith(prefix));
  }
}

/** What is reached, as something that other code may change while the module is imported. */
class Kept {
  /** Names of the module and of its classes whose values may change where they lie. */
  private readonly changeable = new Set<string>();
  /** Those that hold lists, dicts and sets of what cannot change. */
  private readonly filled = new Set<string>();
  private readonly definitions = new Set<string>([')', ']', 'cls', '__class__']);

  constructor(
    private readonly module: ModuleUnits,
    private readonly reached: Reached,
  ) {
    for (const unit of reached.units) {
      if (unit.name !== undefined) this.definitions.add(unit.name);
      if (unit.kind !== 'statement') continue;
      const changes = module.changesOf(unit);
      const names = changes === 'anything' ? this.changeable : this.filled;
      if (changes !== 'nothing') for (const name of unit.binds) names.add(name);
    }
  }

  /** Whether code that runs and the units that it enters may change any of it. */
  isChangedBy(runs: Mentions, entered: ReadonlySet<Unit>): boolean {
    return this.isChanged(runs) || [...entered].some((unit) => this.isChangedIn(unit));
  }

  private isChangedIn(unit: Unit): boolean {
    if (unit.kind === 'import') return false;
    return (this.reached.units.has(unit) && remembers(unit)) || this.isChanged(this.module.mentionsOf(unit));
  }

  private isChanged({ names, attributes, used, globals, holders }: Mentions): boolean {
    return (
      names.has('setattr') ||
      names.has('delattr') ||
      [...globals].some((name) => this.reached.has(name)) ||
      [...holders].some((name) => this.definitions.has(name)) ||
      [...names, ...attributes].some((name) => this.changeable.has(name)) ||
      [...used, ...attributes].some((name) => this.filled.has(name))
    );
  }
}

/** Decorators by which calls leave nothing behind for the next one. */
const plainDecorators = new Set(
  (
    'property staticmethod classmethod abstractmethod wraps total_ordering overload contextmanager ' +
    'setter getter deleter final'
  ).split(' '),
);

/** Whether calls of a function may leave something behind for the next one: stored answers, values of defaults. */
function remembers(unit: Unit): boolean {
  if (unit.kind !== 'function') return false;
  const decorators = decoratorsOf(unit);
  const isKnown = decorators.every(
    ({ kind, text }, at) => kind !== 'name' || decorators[at + 1]?.text === '.' || plainDecorators.has(text),
  );
  return !isKnown || !isPlain(functionHead(unit).defaults);
}
