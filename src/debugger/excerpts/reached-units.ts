/**
 * Which units of a module the call that runs it can reach. Told by names: whatever a reached unit mentions is reached, whoever it is of; and so is all that runs code of
 * the program while the module is imported. What is left out runs neither then nor behind the call.
 */
import { hidesArguments } from '../language/entry-callee.js';
import type { LexicalToken } from '../language/lexer.js';
import { askedFor } from './library.js';
import type { ModuleUnits } from './module-units.js';
import type { Unit } from './source-units.js';
import { type Mentions, mentionsOf } from './unit-mentions.js';

/** Which units of `module` the tokens of a call reach; undefined where they may reach anything. */
export function reachedUnits(
  module: ModuleUnits,
  call: readonly LexicalToken[],
): ReadonlySet<Unit> | undefined {
  if (module.isOpaque) return undefined;
  const reached = new Reached(module);
  for (const unit of module.always) reached.add(unit);
  // Arguments that are not known may be objects of any class.
  if (hidesArguments(call)) for (const unit of module.allClasses()) reached.add(unit);
  reached.mention(mentionsOf({ tokens: call }));
  return reached.isAll ? undefined : reached.units;
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

  constructor(private readonly module: ModuleUnits) {}

  /** Adds a unit and all that it reaches. */
  add(unit: Unit): void {
    this.waiting.push(unit);
    this.follow();
  }

  /** Adds all that such mentions reach. */
  mention(mentions: Mentions): void {
    this.note(mentions);
    this.follow();
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
    this.units.add(unit);
    if (this.module.isLoud(unit)) this.opensMembers = true;
    this.note(this.module.mentionsOf(unit), this.module.ownerOf(unit) !== undefined);
    if (unit.kind === 'class') this.queueMembers(unit);
    // Methods that take its place in derived classes, without which these may have no objects.
    else if (this.module.ownerOf(unit) !== undefined && unit.name !== undefined)
      this.noteAttribute(unit.name);
  }

  private noteAttribute(name: string): void {
    if (this.attributes.has(name)) return;
    this.attributes.add(name);
    for (const [owner, member] of this.module.membersNamed(name))
      if (this.units.has(owner)) this.queue(member);
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
    for (const name of isMember ? [...attributes, ...names] : attributes) this.noteAttribute(name);
  }

  /** The members of a class that are asked for; one of them, whichever, for a class has a body. */
  private queueMembers(owner: Unit): void {
    const isOpen = this.opensMembers || this.module.isOpen(owner);
    const isWanted = (member: Unit): boolean =>
      isOpen || this.module.isFixed(member) || this.isAsked(owner, member.name ?? '');
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
