/** The part of a walk over the calls of a line that knows what operators, loops and assignments enter, where classes of the program have methods for them. */
import type { Program, Scope } from '../program.js';
import { scopeOf } from '../running.js';
import type { Frame } from '../state.js';
import { attributeName, hasPlainAttributes, valueOfPart } from './attributes.js';
import { type Callables, callablesOf, mayOperate } from './callables.js';
import type { Entered } from './handed.js';
import { lineParts } from './line-parts.js';
import { isLiteral } from './literal-values.js';
import { type OwnedLine, ownerOfPart } from './object-owners.js';
import { augmented } from './operators.js';
import type { Part, PartKind } from './parts.js';
import { classNamed, methodOf } from './program-classes.js';
import { getterOf, isProperty, onlyGetter } from './properties.js';
import {
  type Entering,
  enteredByItem,
  enteredByOperator,
  enteredByTruth,
  type Special,
} from './special-methods.js';
import { charTokens, wordTokens } from './tokens.js';

const [brace, squareEnd, equals] = charTokens('{]=') as [number, number, number];
const [del] = wordTokens('del');
const conditionWords: ReadonlySet<number | undefined> = new Set(wordTokens('if elif while assert'));

/** A call, and the function that it enters. */
export interface LineCall {
  readonly part: Part;
  readonly callee: Scope;
  /** Whether nothing can be raised before, unless by arguments that do not fit. */
  readonly isSure: boolean;
  /** What it is given, its object first, where no call is written. */
  readonly operands?: readonly Part[];
  /** What it gives is not the value of the part. */
  readonly unlike?: Special['unlike'];
}

/** It cannot be told which functions are called. */
export class Untold extends Error {}

/** @throws Untold if it is not. */
export function expect(isTold: boolean): void {
  if (!isTold) throw new Untold();
}

/** Kinds of parts that a class may have a method for. */
const operators: ReadonlySet<PartKind> = new Set(['unary', 'not', 'binary', 'compare', 'subscript']);

/** Walks operators; what else a line is made of is visited by the walk that extends it. */
export abstract class OperatorWalk {
  protected readonly found: LineCall[] = [];
  protected entered: Entered | undefined;
  protected enteredBy: Part | undefined;
  /** Whether nothing that has been visited can raise something. */
  protected isSure = true;
  protected readonly owned: OwnedLine;
  protected readonly callables: Callables;
  /** Whether the line may enter methods by its operators, loops, conditions, and what builtins do. */
  protected readonly operates: boolean;

  constructor(
    protected readonly program: Program,
    protected readonly code: ArrayLike<number>,
    protected readonly frame: Frame,
  ) {
    this.callables = callablesOf(program);
    this.operates =
      this.callables.hasSpecialMethods && mayOperate(program, scopeOf(program, frame, 'paused'), frame.line);
    this.owned = { program, frame, code, told: (part) => this.told(part) };
  }

  protected abstract visit(part: Part, mayBeIterator?: boolean): void;
  /** The value of a part, if it is a literal. */
  protected abstract told(part: Part): readonly number[] | undefined;

  /** The parts of a line of a program whose classes have operators of their own. */
  protected visitOperands(parts: readonly Part[], isLoop: boolean): void {
    for (const part of parts) {
      this.pass(part, isLoop);
      if (isLoop) this.iterate(part);
    }
    const [condition] = parts;
    if (condition && conditionWords.has(this.code[0]))
      this.enterSpecial(enteredByTruth(this.owned, condition));
  }

  /** What is only handed on: nothing runs when a name or an attribute is read, whatever it stands for. */
  protected pass(part: Part, mayBeIterator = false): void {
    const isRead = this.isRead(part);
    if (!isRead) this.visit(part, mayBeIterator);
    else if (part.kind === 'attribute') this.isSure &&= this.isHeld(part);
  }

  /** An operator, where classes have operators of their own. */
  protected operate(part: Part): void {
    const { kind, parts, first } = part;
    if (kind === 'constant' || kind === 'lambda') return;
    if (this.told(part) !== undefined) return;
    for (const inner of parts) this.pass(inner);
    if (kind === 'slice') {
      expect(parts.every((inner) => this.told(inner) !== undefined));
      return;
    }
    // What stands in a set or a dict is compared.
    if (kind === 'display') expect(this.code[first] !== brace);
    else if (kind !== 'keyword') {
      expect(operators.has(kind));
      this.enterSpecial(enteredByOperator(this.owned, part));
      this.isSure = false;
    }
  }

  /** A method is entered next, or nothing; else it cannot be told. */
  protected enterSpecial(entering: Entering): void {
    expect(entering !== undefined);
    if (!entering) return;
    const { callee } = entering;
    expect(!callee.isGenerator);
    this.found.push({ ...entering, isSure: this.isSure });
    this.isSure = false;
    // What it gives decides what comes next.
    expect(entering.unlike !== 'unseen');
  }

  /** An object that is gone over: what it gives for that runs first. */
  protected iterate(part: Part, isListed = false): void {
    const owner = ownerOfPart(this.owned, part);
    if (owner === 'builtin' || owner === undefined) return;
    const method = methodOf(this.program, owner, '__iter__');
    if (!method) throw new Untold();
    if (!method.isGenerator) this.enterSpecial({ callee: method, operands: [part], part, unlike: 'unseen' });
    // A generator that is made runs nothing yet; a list that is made of its items asks how many there are first.
    const length = isListed ? methodOf(this.program, owner, '__len__') : null;
    if (length === undefined) throw new Untold();
    if (length) this.enterSpecial({ callee: length, operands: [part], part, unlike: 'unseen' });
    const value = valueOfPart(this.program, this.code, part, this.frame);
    if (value !== undefined)
      this.entered = { callee: method, given: [value], isWritten: false, isSure: this.isSure };
    throw new Untold();
  }

  /** What a line assigns to an item: an object may take that for itself. So may it what is added to it, which is not told. */
  protected store(): void {
    const code = Array.from(this.code);
    expect(!code.some((token) => augmented.has(token)));
    const isItem = code.includes(squareEnd) && (code.includes(equals) || code[0] === del);
    if (!isItem || !/__(?:set|del)item__/.test(this.program.source)) return;
    const { targets = [], values = [] } = lineParts(code) ?? {};
    const [[target, ...others], [value, ...more]] = [targets, values];
    const [base, index] = target?.kind === 'subscript' ? target.parts : [];
    if (target === undefined || value === undefined || base === undefined || index === undefined)
      throw new Untold();
    expect(others.length + more.length === 0 && this.isRead(base));
    expect(this.isRead(index) || this.told(index) !== undefined);
    this.enterSpecial(enteredByItem(this.owned, target, value));
  }

  /** Whether a part is a name or an attribute, of which nothing runs when it is read, whatever it stands for. */
  protected isRead(part: Part): boolean {
    const { kind, parts } = part;
    if (kind !== 'attribute') return kind === 'name';
    return hasPlainAttributes(this.program) && this.getter(part) === null && this.isRead(parts[0] as Part);
  }

  /** What reading an attribute enters. null: nothing of the program; undefined: that is not told. */
  protected getter({ parts, end }: Part): Scope | null | undefined {
    const name = attributeName(this.program, this.code[end - 1] as number);
    if (!isProperty(this.program, name)) return null;
    const [base] = parts as [Part];
    const own = base.kind === 'name' ? attributeName(this.program, this.code[base.first] as number) : '';
    // Of a class the property itself is read.
    if (classNamed(this.program, this.frame, own)) return undefined;
    const owner = ownerOfPart(this.owned, base);
    if (owner === 'builtin') return null;
    return owner ? getterOf(this.program, owner, name) : onlyGetter(this.program, name);
  }

  /** An attribute whose value is needed: one that its object shows, or a property, which is entered. */
  protected readAttribute(part: Part): void {
    const getter = this.getter(part);
    if (getter === null) expect(this.isHeld(part));
    else {
      const [base] = part.parts as [Part];
      this.pass(base);
      if (getter === undefined) throw new Untold();
      this.found.push({ part, callee: getter, operands: [base], isSure: this.isSure });
    }
  }

  /** Whether an attribute of a name is one that its object shows: nothing of the program runs when it is read, nor when it is used. */
  protected isHeld(part: Part): boolean {
    const value = valueOfPart(this.program, this.code, part, this.frame);
    return value !== undefined && (isLiteral(value) || !this.operates);
  }
}
