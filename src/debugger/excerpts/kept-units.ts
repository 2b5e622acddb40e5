/** Whether code that runs while a module is imported may change anything of what a call of it reaches. */
import { functionHead } from './local-names.js';
import type { ModuleUnits } from './module-units.js';
import { decoratorsOf, type Unit } from './source-units.js';
import type { Mentions } from './unit-mentions.js';

/** What is reached, as something that other code may change while the module is imported. */
export class Kept {
  /** Names of the module and of its classes whose values may change where they lie. */
  private readonly changeable = new Set<string>();
  /** Those that hold lists, dicts and sets of what cannot change. */
  private readonly filled = new Set<string>();
  /** Names of classes and functions. */
  private readonly definitions = new Set<string>();
  /** Those of classes that have more than their bodies tell. */
  private readonly told = new Set<string>();

  /** `units`: what is reached; isNamed: whether that mentions a name. */
  constructor(
    private readonly module: ModuleUnits,
    private readonly units: ReadonlySet<Unit>,
    private readonly isNamed: (name: string) => boolean,
  ) {
    for (const unit of units) {
      for (const name of module.inlineNames(unit)) this.changeable.add(name);
      if (unit.name !== undefined && module.ownerOf(unit) === undefined) this.definitions.add(unit.name);
      if (unit.name !== undefined && module.tree.told.has(unit)) this.told.add(unit.name);
      if (unit.kind !== 'statement') continue;
      const changes = module.changesOf(unit);
      const names = changes === 'anything' ? this.changeable : this.filled;
      if (changes !== 'nothing') for (const name of unit.binds) names.add(name);
    }
  }

  /** Whether code that runs and the units that it enters may change any of it. */
  isChangedBy(runs: Mentions, entered: ReadonlySet<Unit>): boolean {
    const isOwn = (name: string): boolean => this.isUnknown(name);
    return this.isChanged(runs, isOwn) || [...entered].some((unit) => this.isChangedIn(unit));
  }

  private isChangedIn(unit: Unit): boolean {
    if (unit.kind === 'import') return false;
    const { module } = this;
    return (
      (this.units.has(unit) && module.remembers(unit)) ||
      module.isStateful(unit) ||
      this.isChanged(module.mentionsOf(unit), (name) => name === this.ownName(unit))
    );
  }

  /** Whether a name is that of a class or function, or of a constant, that is not reached: what it has is its own. */
  private isUnknown(name: string): boolean {
    const units = this.module.binding(name);
    const isOwn = (unit: Unit): boolean =>
      !this.units.has(unit) && (unit.name !== undefined || this.module.changesOf(unit) === 'nothing');
    return units.length > 0 && units.every(isOwn);
  }

  /** The name by which a method has its object, which is no class. */
  private ownName(unit: Unit): string | undefined {
    const owner = this.module.ownerOf(unit);
    if (owner === undefined || unit.kind !== 'function' || this.module.tree.isMeta(owner)) return undefined;
    if (decoratorsOf(unit).length > 0) return undefined;
    const [first] = functionHead(unit).parameters;
    return first;
  }

  /** isOwn: what may have its attributes changed, for nothing that is reached is it without being named. */
  private isChanged(
    { names, used, handed, attributes, calls, globals, holders }: Mentions,
    isOwn: (name: string) => boolean,
  ): boolean {
    return (
      [...globals].some((name) => this.isNamed(name)) ||
      ![...holders].every(isOwn) ||
      [...names, ...attributes].some((name) => this.changeable.has(name)) ||
      [...used, ...attributes].some((name) => this.filled.has(name)) ||
      [...calls].some((call) => this.isOfLibrary(call)) ||
      [...names].some((name) => this.told.has(name)) ||
      [...handed].some((name) => this.definitions.has(name))
    );
  }

  /** Whether a call is one of a method that a reached class or function has from the library, such as `Shape.register(x)`. */
  private isOfLibrary(call: `${string}.${string}`): boolean {
    const [name = '', method = ''] = call.split('.');
    const isDefinition = this.module
      .binding(name)
      .some(({ kind }) => kind === 'class' || kind === 'function');
    return isDefinition && this.isNamed(name) && this.module.membersNamed(method).length === 0;
  }
}
