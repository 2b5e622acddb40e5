/** What a line of code tokens leaves in a frame, where the values that it tells say so. */
import { isImmutable } from '../frozen.js';
import { nameOfSlot } from '../program.js';
import { statementTokens } from '../whole-statement.js';
import { attributeName, hasPlainAttributes, isWrittenOnce, withAttribute } from './attributes.js';
import { withShownItem } from './cut-lists.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { brace, isSequence, itemsIn } from './displays.js';
import { itemAt } from './item-changes.js';
import { listed } from './items.js';
import { lineParts } from './line-parts.js';
import { integerOf, isLiteral } from './literal-values.js';
import { boundsOf, placesIn } from './lookups.js';
import { changedBy } from './method-changes.js';
import { changedIn, itemIn, withItemIn, withoutItemIn } from './nested-items.js';
import { type Part, partTokens } from './parts.js';
import { type Defaulted, isPlainBase, type Place, placeOf, setdefault, withDefaultIn } from './places.js';
import { isProperty } from './properties.js';
import { sharesItems } from './shared-items.js';
import { charTokens, slotBase, textTokens } from './tokens.js';
import { isWhole, ToldValues } from './told-values.js';
import { unpacked } from './unpacking.js';
import { encodeValue } from './values.js';

type Value = readonly number[];
const [square, minus] = charTokens('[-') as [number, number];

/** Whether what indices lead through is written once in a value, so that it is there once. */
function isOnceIn(value: Value, path: readonly Value[]): boolean {
  const [index, ...rest] = path;
  if (index === undefined || rest.length === 0) return true;
  const item = itemAt(value, index);
  return item !== undefined && isWrittenOnce(value, item) && isOnceIn(item, rest);
}

const isMadeOfConstants = ({ kind, parts }: Part): boolean =>
  (kind === 'constant' || kind === 'display' || kind === 'unary' || kind === 'binary') &&
  parts.every(isMadeOfConstants);

/** An expression, or its value where that is one of several that an expression gives. */
type Assigned = Part | Value;
type Pair = readonly [target: Part, assigned: Assigned];

const isTold = (assigned: Assigned): assigned is Value => 'length' in assigned;

const areTold = (values: readonly (Value | undefined)[]): values is Value[] => !values.includes(undefined);

/** What is assigned, changed and deleted by a line, where the line tells it. */
export class ToldLine extends ToldValues {
  /** What the names of a target are bound to. */
  assigned(target: Part, value: Part): [name: string, text: string][] {
    if (this.isPairwise(target, value))
      return target.parts.flatMap((inner, index) => this.assigned(inner, value.parts[index] as Part));
    if (target.kind === 'name') return this.bound([[this.code[target.first] as number, this.text(value)]]);
    if (target.kind === 'subscript') return this.replaced(target, value);
    const whole =
      target.kind === 'display'
        ? (this.tokens(value) ?? this.shown(value) ?? this.iterated(value))
        : undefined;
    const tokens = whole && isWhole(whole) ? whole : undefined;
    const found = tokens && unpacked(partTokens(this.code, target), tokens);
    return this.bound([...(found ?? [])].map(([slot, item]) => [slot, this.written(item)]));
  }

  /**
   * What a line leaves that assigns items, and names besides, one after the other: `xs[i], xs[j] = 1, 2`, `xs[i], x = x, xs[i]`; undefined where it assigns anything else, or where
   * not all of it is told.
   */
  items(targets: readonly Part[], value: Part): [name: string, text: string][] | undefined {
    const pairs = targets.flatMap((target) => this.pairs(target, value));
    const stored = pairs.filter(([{ kind }]) => kind !== 'name');
    const places = stored.map(([target]) => placeOf(target));
    if (stored.length === 0 || places.includes(undefined) || derivesFromBuiltins(this.program))
      return undefined;
    const bases = new Map(places.map((place) => [this.keyOf(place as Place), (place as Place).base]));
    const [only] = bases.values();
    if (only && bases.size === 1 && stored.length === pairs.length && this.contents(only) === undefined)
      return this.shownItems(only, stored, places as readonly Place[]);
    const left = new Map<string, Value>();
    for (const [key, base] of bases) {
      const contents = this.contents(base);
      if (contents === undefined) return undefined;
      left.set(key, contents);
    }
    const bound = this.boundBeside(pairs, places as readonly Place[], left);
    if (bound === undefined) return undefined;
    const mayShare = sharesItems(this.program) || stored.length < pairs.length || bases.size > 1;
    for (const [at, [, assigned]] of stored.entries()) {
      const [place, key] = [places[at] as Place, this.keyOf(places[at] as Place)];
      const path = place.path.map((index) => this.tokens(index));
      const [whole, item] = [left.get(key) as Value, this.assignedValue(assigned)];
      if (!item || !areTold(path) || this.mayHold([item], whole, path.slice(0, -1))) return undefined;
      if (mayShare && !isOnceIn(whole, path)) return undefined;
      const inner = itemIn(this.program, whole, path.slice(0, -1));
      if (place.base.kind === 'attribute' && !(inner && this.isOnceIn(place.base, inner))) return undefined;
      const changed = withItemIn(this.program, whole, path, item);
      if (changed === undefined) return undefined;
      left.set(key, changed);
    }
    return [...bound, ...this.bound([...bases].map(([key, base]) => this.leaving(base, left.get(key))))];
  }

  /** Whether one of these values may be, or hold, one of the objects that hold what is at the end of a path. */
  private mayHold(values: readonly Value[], whole: Value, path: readonly Value[]): boolean {
    if (this.isFresh()) return false;
    const around = Array.from({ length: path.length + 1 }, (_, at) => path.slice(0, at));
    const holding = around.map((some) => itemIn(this.program, whole, some)?.join() ?? '');
    return values.some((value) => holding.some((object) => value.join().includes(object)));
  }

  /** Whether all values in the statement as it is written are made there of constants alone. */
  private isFresh(): boolean {
    const code = statementTokens(this.program, this.running);
    const { values = [], targets = [] } = lineParts(code) ?? {};
    const given = targets.length > 0 ? values : values.flatMap(({ parts }) => parts.slice(1));
    return values.length > 0 && given.every(isMadeOfConstants);
  }

  private keyOf({ base }: Place): string {
    return partTokens(this.code, base).join();
  }

  /**
   * What names are bound to in a line that assigns items, too; undefined where a value, or an object whose items are assigned, may be or hold what changes by that: what is written alike
   * may be one.
   */
  private boundBeside(
    pairs: readonly Pair[],
    places: readonly Place[],
    bases: ReadonlyMap<string, Value>,
  ): [name: string, text: string][] | undefined {
    const named = pairs.filter(([{ kind }]) => kind === 'name');
    if (named.length === 0 && bases.size === 1) return [];
    const slots = new Set(places.map(({ base }) => this.code[base.first] as number));
    const isRebound = named.some(([{ first }]) => slots.has(this.code[first] as number));
    const values = pairs.map(([, assigned]) => this.assignedValue(assigned));
    if (isRebound || slots.size < bases.size || !areTold(values)) return undefined;
    for (const place of places) {
      const own = this.keyOf(place);
      const path = place.path.slice(0, -1).map((index) => this.tokens(index));
      const changing = areTold(path) && itemIn(this.program, bases.get(own) as Value, path);
      if (!changing) return undefined;
      const others = [...bases].filter(([key]) => key !== own).map(([, contents]) => contents);
      if ([...values, ...others].some((held) => held.join().includes(changing.join()))) return undefined;
    }
    return this.bound(
      named.map(([{ first }, assigned]) => [
        this.code[first] as number,
        this.written(this.assignedValue(assigned) as Value),
      ]),
    );
  }

  private assignedValue(assigned: Assigned): Value | undefined {
    return isTold(assigned) ? assigned : (this.value(assigned) ?? this.object(assigned));
  }

  /** The same of a list whose text is cut, where it shows these items. */
  private shownItems(
    base: Part,
    pairs: readonly Pair[],
    places: readonly Place[],
  ): [name: string, text: string][] | undefined {
    let text = base.kind === 'name' ? this.named(base) : undefined;
    for (const [at, [, assigned]] of pairs.entries()) {
      const path = (places[at] as Place).path.map((index) => integerOf(this.tokens(index) ?? []));
      const item = isTold(assigned) ? this.written(assigned) : this.text(assigned);
      const isKnown = item !== undefined && path.every((number) => number !== undefined && number >= 0);
      if (text === undefined || !isKnown || (path.length > 1 && sharesItems(this.program))) return undefined;
      text = withShownItem(text, path as number[], item);
    }
    return this.bound([[this.code[base.first] as number, text]]);
  }

  /** What an object holds of which a line assigns attributes, if it assigns to nothing else but names, and all of it is told. */
  attributes(targets: readonly Part[], value: Part): [name: string, text: string][] {
    const pairs = targets.flatMap((target) => this.pairs(target, value));
    const stored = pairs.filter(([{ kind }]) => kind !== 'name');
    const [slot, ...others] = new Set(stored.map(([{ first }]) => this.code[first] as number));
    const isRebound = pairs.some(([{ kind, first }]) => kind === 'name' && this.code[first] === slot);
    const areAttributes = stored.every(([target]) => target.kind === 'attribute' && isPlainBase(target));
    if (slot === undefined || others.length > 0 || isRebound || !areAttributes) return [];
    let object: string | undefined;
    for (const [target, assigned] of stored) {
      const held = isTold(assigned) ? assigned : this.contents(assigned);
      object = held && !this.isWithin(slot, held) ? this.withHeld(target, held, object) : undefined;
      if (object === undefined) return [];
    }
    return this.bound([[slot, object]]);
  }

  /** Whether what a name stands for may be in a value: nothing is shown whole that is in itself. */
  private isWithin(slot: number, value: Value): boolean {
    const text = this.running.frame.locals.get(nameOfSlot(this.program, slot)) ?? '';
    return !isLiteral(value) && (this.written(value)?.includes(text) ?? true);
  }

  /** What is left of a list or dict without the item that is deleted. */
  deleted(target: Part): [name: string, text: string][] {
    const place = placeOf(target);
    const [index, ...rest] = place?.path ?? [];
    if (place && index?.kind === 'slice' && rest.length === 0) return this.withoutSlice(place.base, index);
    const [value, key] = [place && this.contents(place.base), index && this.tokens(index)];
    if (!place || !value || !key || rest.length > 0) return [];
    return this.bound([this.leaving(place.base, withoutItemIn(this.program, value, key))]);
  }

  /** `del xs[a:b]`. */
  private withoutSlice(base: Part, slice: Part): [name: string, text: string][] {
    const list = this.tokens(base);
    const bounds = list?.[0] === square ? boundsOf(this.code, slice, (part) => this.signed(part)) : undefined;
    const places = bounds && list ? placesIn(itemsIn(list).length, bounds) : undefined;
    const left = places && list ? itemsIn(list).filter((_, at) => !places.includes(at)) : undefined;
    return this.bound([this.leaving(base, left && listed(left))]);
  }

  /** The value of a part, or of one with a `-` before it. */
  private signed(part: Part): Value | undefined {
    const [number] = part.kind === 'unary' && this.code[part.first] === minus ? part.parts : [];
    const value = number && this.tokens(number);
    const size = value && integerOf(value);
    return size === undefined ? this.tokens(part) : textTokens(String(-size));
  }

  /** What a call of a method that changes a list, a deque, a dict or a set leaves of it, and of the names that are given its value. */
  changed({ parts }: Part, target: Part | undefined): [name: string, text: string][] {
    const [callee, ...given] = parts as [Part, ...Part[]];
    const filled = withDefaultIn(this.code, callee.parts[0] as Part);
    const { base, path: indices } = filled ??
      placeOf(callee.parts[0] as Part) ?? { base: callee.parts[0] as Part, path: [] };
    const path = indices.map((index) => this.tokens(index));
    const [before, values] = [this.contents(base), given.map((inner) => this.contents(inner))];
    const whole = filled && before ? this.filled(before, filled) : before;
    if (whole === undefined || !areTold(path) || !areTold(values)) return [];
    if (derivesFromBuiltins(this.program) || this.mayHold(values, whole, path)) return [];
    const value = itemIn(this.program, whole, path);
    // It may stand in another place, too.
    const isOnce = path.length === 0 || !sharesItems(this.program) || isOnceIn(whole, [...path, []]);
    const method = this.code[callee.end - 1] as number;
    const found = value && isOnce ? changedIn(this.program, method, value, values) : undefined;
    const slot = this.code[base.first] as number;
    const names =
      found && target ? unpacked(partTokens(this.code, target), found.given) : new Map<number, Value>();
    if (found === undefined || names === undefined || names.has(slot)) return [];
    return this.bound([
      this.leaving(base, withItemIn(this.program, whole, path, found.left), value),
      ...[...names].map(([name, item]) => [name, this.written(item)] as [number, string]),
    ]);
  }

  /** A dict that has a key for `setdefault`. */
  private filled(dict: Value, { path: [index], otherwise }: Defaulted): Value | undefined {
    const [key, value] = [index && this.tokens(index), this.tokens(otherwise)];
    return key && value && changedBy(setdefault, dict, [key, value])?.left;
  }

  /** The object that a call of a method changes. */
  changing({ parts }: Part): Value | undefined {
    const base = (parts[0] as Part).parts[0] as Part;
    const place = placeOf(base);
    const path = place?.path.map((index) => this.tokens(index)) ?? [];
    const whole = this.contents(place?.base ?? base);
    return whole && areTold(path) ? itemIn(this.program, whole, path) : undefined;
  }

  /**
   * Names with their values which a line leaves that changes these objects and nothing else: each is written in whatever holds it, so what has another text is not it. None where the
   * line stores or updates something besides, and none of the names that it binds.
   */
  others(changing: readonly Value[]): Map<string, string> {
    const { frame, scope } = this.running;
    const effects = scope.flow?.lines.get(frame.line)?.effects;
    const found = new Map<string, string>();
    if (effects === undefined || effects.stores || effects.updates.size > 0) return found;
    for (const [name, text] of frame.locals) {
      const value = effects.binds.has(name) ? [] : encodeValue(this.program, text);
      const holds = changing.some((object) => value.join().includes(object.join()));
      // What was called may have changed it.
      if (this.isStale && !isImmutable(text)) continue;
      if (value.length > 0 && isLiteral(value) && !holds && !this.program.reboundNames.has(name))
        found.set(name, text);
    }
    return found;
  }

  /**
   * What the name that a name or an attribute begins with stands for, once that has another value. inner: what is changed in it: an object may have that in two
   * attributes.
   */
  private leaving(
    base: Part,
    left: Value | undefined,
    inner?: Value,
  ): [slot: number, text: string | undefined] {
    const slot = this.code[base.first] as number;
    if (base.kind === 'name' || left === undefined) return [slot, left && this.written(left)];
    const before = this.attribute(base);
    const isOne = [before, inner ?? before].every((held) => held && this.isOnceIn(base, held));
    return [slot, isOne ? this.withHeld(base, left) : undefined];
  }

  /** Whether the object that an attribute is of has something once. */
  private isOnceIn({ parts }: Part, held: Value): boolean {
    const object = this.shown(parts[0] as Part);
    return object !== undefined && isWrittenOnce(object, held);
  }

  /** The object that has an attribute, once that is `held`. object: what it is by then. */
  private withHeld({ parts, end }: Part, held: Value, object?: string): string | undefined {
    const [base] = parts as [Part];
    const token = this.code[end - 1] as number;
    if (isProperty(this.program, attributeName(this.program, token))) return undefined;
    const text = object ?? (hasPlainAttributes(this.program) ? this.named(base) : undefined);
    const value = text === undefined ? undefined : encodeValue(this.program, text);
    const whole = value && withAttribute(this.program, value, token, held);
    return whole && this.written(whole);
  }

  /** What is assigned to what, tuples taken apart. */
  private pairs(target: Part, assigned: Assigned): Pair[] {
    if (target.kind !== 'display') return [[target, assigned]];
    if (!isTold(assigned) && this.isPairwise(target, assigned))
      return target.parts.flatMap((inner, index) => this.pairs(inner, assigned.parts[index] as Part));
    const value = isTold(assigned) ? assigned : this.tokens(assigned);
    const items = value && isSequence(value) ? itemsIn(value) : [];
    const isApart = items.length === target.parts.length && !target.parts.some(({ kind }) => kind === 'star');
    return isApart
      ? target.parts.flatMap((inner, index) => this.pairs(inner, items[index] as Value))
      : [[target, assigned]];
  }

  private isPairwise(target: Part, value: Part): boolean {
    return (
      target.kind === 'display' &&
      value.kind === 'display' &&
      target.parts.length === value.parts.length &&
      this.code[value.first] !== brace &&
      ![...target.parts, ...value.parts].some(({ kind }) => kind === 'star')
    );
  }

  /** `xs[:] = [1, 2]`: a list has other items, all of them. */
  private replaced({ parts }: Part, value: Part): [name: string, text: string][] {
    const [base, index] = parts as [Part, Part];
    if (derivesFromBuiltins(this.program)) return [];
    const isWhole = index.kind === 'slice' && index.parts.length === 0 && index.end - index.first === 1;
    const list =
      isWhole && base.kind === 'name' ? this.running.frame.locals.get(this.nameOf(base)) : undefined;
    const tokens = this.tokens(value);
    const isList = list?.startsWith('[') && tokens?.[0] === square;
    return isList ? this.bound([[this.code[base.first] as number, this.written(tokens)]]) : [];
  }

  private bound(values: readonly [slot: number, text: string | undefined][]): [name: string, text: string][] {
    return values.flatMap(([slot, text]) => {
      const name = this.program.slotNames[slot - slotBase];
      const isLocal = name !== undefined && this.running.scope.names.includes(name);
      return isLocal && text !== undefined ? [[name, text]] : [];
    });
  }
}
