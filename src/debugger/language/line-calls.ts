/** The calls of functions of the program that a line makes, as far as its text tells them. */
import { nameOfSlot, type Program, type Scope } from '../program.js';
import { scopeOf } from '../running.js';
import type { Frame } from '../state.js';
import { attributeName, classOfObject, hasPlainAttributes, valueAt, valueOfPart } from './attributes.js';
import { functionNamed, harmlessImports, isBuiltinMethod } from './callables.js';
import { valueOfName } from './constants.js';
import { dataClassesOf } from './data-classes.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { hasEnumerations, memberLookedUp } from './enums.js';
import { toldIn } from './frame-literals.js';
import {
  asking,
  type Entered,
  functionIn,
  type Handed,
  handedBy,
  makesCaller,
  type Resolving,
  takesIterators,
} from './handed.js';
import { itemAt } from './item-changes.js';
import { changesNothing, isKnownFunction, isSuper, takesAll } from './known-calls.js';
import { isLiteral, isMutable, truthOfLiteral } from './literal-values.js';
import { looksBuiltin, type Owner, ownerOfPart } from './object-owners.js';
import { expect, type LineCall, OperatorWalk, Untold } from './operator-walk.js';
import { isNamed, type Part, type PartKind, partTokens } from './parts.js';
import {
  classNamed,
  isStored,
  methodOf,
  ownerOf as ownerOfScope,
  type ProgramClass,
} from './program-classes.js';
import { enteredByFunction, enteredByTruth } from './special-methods.js';
import { charToken, isSlotToken, wordToken } from './tokens.js';
import { toldValue } from './told.js';
import { isWhole } from './told-values.js';
import { decodeValue } from './values.js';
import { writtenScope } from './written.js';

const [opening, angle] = [charToken('('), charToken('<')];
const forWord = wordToken('for');
/** Functions of builtins that make a list or a tuple of what they go over. */
const listing: ReadonlySet<string> = new Set(['list', 'tuple', 'sorted']);

export type { LineCall } from './operator-walk.js';

export interface LineCalls {
  /** Those that are surely made, unless something is raised before, in the order in which they are entered, and return. */
  readonly calls: readonly LineCall[];
  /** Whether there are no others behind them. */
  readonly isWhole: boolean;
  /** What is entered behind them, if it is known and no such call. */
  readonly entered?: Entered | undefined;
  /** The call of a builtin that enters it. */
  readonly enteredBy?: Part | undefined;
}

/** The calls that the evaluation of these parts of a line makes in a frame. */
export const lineCalls = (
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  parts: readonly Part[],
): LineCalls => new CallWalk(program, code, frame).of(parts);

/** Walks the parts of a line in the order in which they are evaluated. */
class CallWalk extends OperatorWalk {
  private readonly line: Resolving;
  /** What is evaluated last, behind all that is in it. */
  private last: Part | undefined;

  constructor(program: Program, code: ArrayLike<number>, frame: Frame) {
    super(program, code, frame);
    this.line = {
      program,
      code,
      told: (part) => this.told(part),
      shown: (part) => this.shown(part),
      called: (token) => this.named(token),
      written: (part) => writtenScope(program, frame, code, part),
    };
  }

  of(parts: readonly Part[]): LineCalls {
    this.last = parts.at(-1);
    try {
      const isLoop = this.code[0] === forWord;
      if (this.operates) this.visitOperands(parts, isLoop);
      else this.visitAll(parts, isLoop);
      // The head of a loop asks for the first item.
      if (isLoop && this.frame.its.at(-1) === 0) this.askAll(parts);
      if (this.operates) this.store();
    } catch (error) {
      if (error instanceof Untold)
        return { calls: this.found, isWhole: false, entered: this.entered, enteredBy: this.enteredBy };
      throw error;
    }
    return { calls: this.found, isWhole: true };
  }

  private visitAll(parts: readonly Part[], mayBeIterator = false): void {
    for (const part of parts) this.visit(part, mayBeIterator);
  }

  /** mayBeIterator: what asks the part for items is known. */
  protected visit(part: Part, mayBeIterator = false): void {
    const { kind, parts } = part;
    if (this.isMember(part)) return;
    if (kind === 'call') this.call(part, mayBeIterator);
    else if (kind === 'name') expect(this.isPlainName(part));
    else if (kind === 'attribute') this.readAttribute(part);
    else if (kind === 'generator') {
      expect(mayBeIterator);
      this.visit(parts[0] as Part, true);
    } else if (kind === 'comprehension') {
      const [iterable, ...inside] = parts as [Part, ...Part[]];
      if (this.operates) {
        this.pass(iterable, true);
        this.iterate(iterable);
      } else this.visit(iterable, true);
      this.askAll([iterable]);
      this.isSure = false;
      expect(inside.every((inner) => this.isQuiet(inner)));
    } else if (kind === 'and' || kind === 'or' || kind === 'ternary') this.choose(kind, parts);
    else if (this.operates) this.operate(part);
    else if (kind !== 'lambda') {
      const surely = kind === 'compare' ? 2 : parts.length;
      this.visitAll(parts.slice(0, surely));
      this.isSure &&= harmless.has(kind) || this.told(part) !== undefined;
      expect(this.entersNothing(part) && parts.slice(surely).every((inner) => this.isQuiet(inner)));
    }
  }

  /** Whether a part is `Color(1)` or `Color['RED']`, which looks up a member of an enumeration that there is. */
  private isMember({ kind, parts: [base, key, ...others] }: Part): boolean {
    if (base?.kind !== 'name' || key === undefined || others.length > 0) return false;
    if ((kind !== 'call' && kind !== 'subscript') || !hasEnumerations(this.program)) return false;
    const owner = attributeName(this.program, this.code[base.first] as number);
    const value = this.frame.locals.has(owner) ? undefined : this.told(key);
    const text = value && decodeValue(this.program, value);
    return typeof text === 'string' && memberLookedUp(this.program, owner, kind, text) !== undefined;
  }

  /** Operands up to the one that decides, as far as it is told what they come to. */
  private choose(kind: PartKind, [first, ...others]: readonly Part[]): void {
    if (first === undefined) return;
    if (this.operates) {
      this.pass(first);
      const entering = enteredByTruth(this.owned, first);
      // What decides is the value of `and` and `or` itself.
      this.enterSpecial(entering && kind !== 'ternary' ? { ...entering, unlike: 'unseen' } : entering);
    } else this.visit(first);
    const value = this.told(first);
    if (value === undefined) {
      expect(others.every((part) => this.isQuiet(part)));
      return;
    }
    const holds = truthOfLiteral(value);
    if (kind === 'ternary') this.visit(others[holds ? 0 : 1] as Part);
    else if (holds === (kind === 'and')) this.choose(kind, others);
  }

  private call(part: Part, mayBeIterator: boolean): void {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    const special = this.operates ? enteredByFunction(this.owned, part) : undefined;
    if (special !== undefined) {
      this.pass(given[0] as Part);
      this.enterSpecial(special);
      this.isSure = false;
      return;
    }
    if (this.operates && given.length === 1 && takesAll(this.code, callee)) {
      const name = attributeName(this.program, this.code[callee.first] as number);
      const [only] = given as [Part];
      const owner = ownerOfPart(this.owned, only);
      if (owner !== undefined && owner !== 'builtin') {
        this.pass(only);
        this.iterate(only, listing.has(name));
      }
    }
    if (
      callee.kind === 'name' &&
      dataClassesOf(this.program).has(attributeName(this.program, this.code[callee.first] as number))
    ) {
      for (const argument of given)
        this.pass(argument.kind === 'keyword' ? (argument.parts[0] as Part) : argument);
      return;
    }
    const isMethod = callee.kind === 'attribute';
    const ours = isMethod
      ? this.method(callee)
      : callee.kind === 'name'
        ? this.named(this.code[callee.first] as number)
        : undefined;
    const handed = ours === undefined ? functionIn(this.line, part) : undefined;
    const isImported = ours === undefined && this.isImported(callee);
    const takes = ours !== undefined || takesIterators(this.code, part);
    const named = given.findIndex(({ kind }) => kind === 'keyword');
    // `f(a=g(), *h())` calls h first.
    expect(named < 0 || given.slice(named).every(({ kind }) => kind !== 'star'));
    if (isMethod && !isImported && !(ours && this.isTaken(callee.parts[0] as Part)))
      this.visitAll(callee.parts);
    for (const argument of given) {
      const inner = argument.kind === 'keyword' ? (argument.parts[0] as Part) : argument;
      // What a builtin is given it may call.
      expect(ours !== undefined || inner === handed || inner.kind !== 'lambda');
      if (inner !== handed && !(ours && this.isRead(inner))) this.visit(inner, takes);
    }
    // What stands in a call is evaluated first, whatever the call does then.
    const isQuiet = changesNothing(this.code, callee) || (part === this.last && this.changesBuiltin(callee));
    expect(takes || isImported || handed !== undefined || isQuiet);
    if (ours === undefined) {
      expect(mayBeIterator || handed === undefined || !makesCaller(this.code, part));
      this.enter(handedBy(this.line, part), part);
      this.isSure = false;
    } else if (ours.isGenerator) expect(mayBeIterator);
    else {
      this.found.push({ part, callee: ours, isSure: this.isSure });
    }
  }

  /** Asks what parts make for their first items. */
  private askAll(parts: readonly Part[]): void {
    for (const part of parts) this.enter(asking(this.line, part));
  }

  private enter(handed: Handed, by?: Part): void {
    if (handed === null) return;
    this.enteredBy = by;
    this.entered = handed && { ...handed, isSure: this.isSure };
    throw new Untold();
  }

  /** The value of a part, if it is a literal. An object with operators may look like one. */
  protected told(part: Part): readonly number[] | undefined {
    return this.operates && derivesFromBuiltins(this.program)
      ? toldValue(this.code, part, (inner) => (isNamed(inner) ? null : undefined))
      : toldIn(this.program, this.frame, this.code, part);
  }

  /** What a name stands for, objects that it holds among it. */
  private shown({ kind, first }: Part): readonly number[] | undefined {
    const value =
      kind === 'name' ? valueOfName(this.program, this.frame, this.code[first] as number) : undefined;
    return value && isWhole(value) ? value : undefined;
  }

  /** The function that calls of a name enter, or that make a generator of it. */
  private named(token: number): Scope | undefined {
    return this.callables.plain.get(token) ?? functionNamed(this.program, this.frame, token);
  }

  /** Whether a call is one of a function of the standard library that changes nothing. */
  private isImported({ kind, first, end }: Part): boolean {
    const isOfName = kind === 'name' || (kind === 'attribute' && end === first + 3);
    const token = this.code[first] as number;
    return isOfName && harmlessImports(this.program).has(attributeName(this.program, token));
  }

  /** Whether a call changes a list or the like, in which it may look for something: that enters nothing. */
  private changesBuiltin({ kind, first, end, parts: [base] }: Part): boolean {
    const name = nameOfSlot(this.program, this.code[first] as number);
    if (kind !== 'attribute' || base === undefined || this.program.reboundNames.has(name)) return false;
    const isBuiltin = isBuiltinMethod(attributeName(this.program, this.code[end - 1] as number));
    const mayEnter = this.operates || derivesFromBuiltins(this.program);
    const value =
      isBuiltin && !mayEnter
        ? (this.itemAt(base) ?? valueOfPart(this.program, this.code, base, this.frame))
        : undefined;
    return value !== undefined && value[0] !== angle && isMutable(value);
  }

  /** The value of a part, or of an item of one. */
  private itemAt(part: Part): readonly number[] | undefined {
    const [base, index] = part.kind === 'subscript' ? part.parts : [];
    if (base === undefined || index === undefined) return this.told(part);
    const [whole, key] = [this.itemAt(base), this.told(index)];
    return whole && key && itemAt(whole, key);
  }

  /** The method of a class of the program that a call enters; undefined: none. */
  private method(callee: Part): Scope | undefined {
    const [base] = callee.parts as [Part];
    const name = attributeName(this.program, this.code[callee.end - 1] as number);
    const named = this.callables.methods.get(name);
    if (named === undefined) return undefined;
    const known = this.classNamed(base) ?? this.ownerOf(base);
    if (known !== undefined && known !== 'builtin') {
      const found = methodOf(this.program, known, name);
      expect(found !== undefined && found?.isGenerator !== true && !isStored(this.program, name));
      return found ?? undefined;
    }
    expect(!this.operates || hasPlainAttributes(this.program));
    const { value, end } = valueAt(this.program, this.code, base.first, this.frame);
    const isLiteralBase = value !== undefined && end === base.end && isLiteral(value);
    if (isLiteralBase && isBuiltinMethod(name)) return undefined;
    const text = value && end === base.end ? decodeValue(this.program, value) : undefined;
    const owner = typeof text === 'string' ? classOfObject(text) : undefined;
    // Of an object that is not known, the only method that is called so, unless builtins have one, too.
    expect(owner !== undefined || !(isBuiltinMethod(name) || this.isOfModule(base)));
    const [only, ...others] = named.filter(
      ({ qualifiedName }) => owner === undefined || qualifiedName === `${owner}.${name}`,
    );
    expect(only?.isNamed === true && others.length === 0 && !only.isGenerator);
    return only;
  }

  /** The class that a name stands for. */
  private classNamed({ kind, first }: Part): ProgramClass | undefined {
    const name = kind === 'name' ? attributeName(this.program, this.code[first] as number) : '';
    return classNamed(this.program, this.frame, name);
  }

  /** The class of the object whose method is called, if nothing runs when that is read. */
  private ownerOf(base: Part): Owner {
    if (isSuper(this.code, base) && base.parts.length === 1) {
      const scope = scopeOf(this.program, this.frame, 'paused');
      return scope && ownerOfScope(this.program, scope)?.bases[0];
    }
    const isKnown = this.isRead(base) || base.kind === 'name' || base.kind === 'call';
    return isKnown && !/__getattribute__/.test(this.program.source)
      ? ownerOfPart(this.owned, base)
      : undefined;
  }

  /** Whether a part is a name that may stand for a class or for something imported, whose functions take no object of their own. */
  private isOfModule({ kind, first }: Part): boolean {
    const name = attributeName(this.program, this.code[first] as number);
    const binding = new RegExp(`^\\s*(?:class\\s|from\\s.*import|import\\s).*\\b${name}\\b`, 'm');
    return kind === 'name' && binding.test(this.program.source);
  }

  /** Whether nothing runs to come to the object of a method: a name, an attribute, or `super()`. */
  private isTaken(part: Part): boolean {
    return this.isRead(part) || isSuper(this.code, part);
  }

  /** Whether a name is that of a builtin, or bound to what runs nothing of the program when it is used. */
  private isPlainName(part: Part): boolean {
    const token = this.code[part.first] as number;
    if (!isSlotToken(token)) return isKnownFunction(token);
    if (this.told(part) !== undefined) return true;
    const text = this.frame.locals.get(nameOfSlot(this.program, token));
    return !this.operates && text !== undefined && isInert(this.program, text);
  }

  /** Whether nothing of the program runs for the part itself, which is no call. */
  private entersNothing(part: Part): boolean {
    if (part.kind === 'attribute') return this.isHeld(part);
    if (part.kind === 'subscript') return !this.callables.hasFactories;
    if (part.kind !== 'text') return part.kind !== 'generator';
    return !this.operates && !partTokens(this.code, part).includes(opening);
  }

  /** Whether nothing of the program runs when the part is evaluated, but for what its names stand for. */
  private isQuiet(part: Part): boolean {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    if (this.operates && part.kind !== 'constant') return false;
    if (part.kind !== 'call')
      return (
        part.kind !== 'lambda' && this.entersNothing(part) && part.parts.every((inner) => this.isQuiet(inner))
      );
    const inside = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
    return changesNothing(this.code, callee) && inside.every((inner) => this.isQuiet(inner));
  }
}

/** Whether a value is one of builtins that is no iterator, or an object of a class of the program, of which nothing but its methods runs. */
function isInert({ source }: Program, text: string): boolean {
  const owner = classOfObject(text)?.split('.').at(-1);
  return looksBuiltin(text) || (owner !== undefined && new RegExp(`\\bclass\\s+${owner}\\b`).test(source));
}

/** What raises nothing by itself. */
const harmless: ReadonlySet<PartKind> = new Set(['constant', 'display', 'keyword', 'text', 'not']);
