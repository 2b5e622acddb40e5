/** The calls of functions of the program that a line makes, as far as its text tells them. */
import type { Program, Scope } from '../program.js';
import type { Frame } from '../state.js';
import { attributeName, classOfObject, hasPlainAttributes, valueAt } from './attributes.js';
import { literalOf } from './frame-literals.js';
import { changesNothing, isKnownFunction, isKnownMethod } from './known-calls.js';
import { isLiteral } from './literal-values.js';
import { type Part, type PartKind, partTokens } from './parts.js';
import { charToken, isSlotToken, wordToken } from './tokens.js';
import { decodeValue } from './values.js';

const opening = charToken('(');

/** A call, and the function that it enters. */
export interface LineCall {
  readonly part: Part;
  readonly callee: Scope;
}

export interface LineCalls {
  /** Those that are surely made, unless something is raised before, in the order in which they are entered, and return. */
  readonly calls: readonly LineCall[];
  /** Whether there are no others behind them. */
  readonly isWhole: boolean;
}

/** The calls that the evaluation of these parts of a line makes in a frame. */
export const lineCalls = (
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  parts: readonly Part[],
): LineCalls =>
  callablesOf(program).hasSpecialMethods
    ? { calls: [], isWhole: false }
    : new CallWalk(program, code, frame).of(parts);

/** What a program's names call. */
interface Callables {
  /** Whether operators may call functions of the program. */
  readonly hasSpecialMethods: boolean;
  /** Whether a subscript may call one: a `defaultdict` makes what is missing with a function or a class of the program. */
  readonly hasFactories: boolean;
  /** By the tokens of names that stand for one function each (those of classes for `__init__`). */
  readonly plain: ReadonlyMap<number, Scope>;
  /** By name: functions in the bodies of classes. */
  readonly methods: ReadonlyMap<string, readonly Scope[]>;
}

const known = new WeakMap<Program, Callables>();

function callablesOf(program: Program): Callables {
  const found = known.get(program) ?? callables(program);
  known.set(program, found);
  return found;
}

const madeByProgram =
  /\bdefaultdict\s*\(\s*(?!(?:None|bool|(?:collections\.)?(?:Counter|deque|OrderedDict)|dict|float|frozenset|int|list|set|str|tuple)\s*[,)]|\))/;

function callables(program: Program): Callables {
  const { scopes, slots } = program;
  const functions = scopes.filter(({ isGenerator }) => !isGenerator);
  const byToken = (found: readonly Scope[]) =>
    new Map(found.map((scope) => [slots.get(scope.name) ?? -1, scope]));
  return {
    hasSpecialMethods: scopes.some(({ name }) => /^__\w+__$/.test(name) && name !== '__init__'),
    hasFactories: madeByProgram.test(program.source),
    plain: new Map([...byToken(functions.filter(({ isPlain }) => isPlain)), ...constructors(program)]),
    methods: methodsByName(scopes),
  };
}

function methodsByName(scopes: readonly Scope[]): ReadonlyMap<string, readonly Scope[]> {
  const found = new Map<string, Scope[]>();
  for (const scope of scopes) {
    const { name, qualifiedName } = scope;
    if (!qualifiedName.endsWith(`.${name}`) || qualifiedName.endsWith(`<locals>.${name}`)) continue;
    found.set(name, [...(found.get(name) ?? []), scope]);
  }
  return found;
}

/** By the tokens of the names of classes: what their calls enter, where the class has no bases and its name stands for nothing else. */
function constructors(program: Program): (readonly [token: number, initial: Scope])[] {
  const { scopes, slots, source } = program;
  if (source.includes('__new__')) return [];
  return scopes.flatMap((scope) => {
    const isOnly = scopes.filter(({ qualifiedName }) => qualifiedName === scope.qualifiedName).length === 1;
    if (!scope.isNamed || scope.isGenerator || !isConstructor(scope) || !isOnly) return [];
    const name = classOf(scope).split('.').at(-1) as string;
    return isPlainClass(source, name) ? [[slots.get(name) ?? -1, scope] as const] : [];
  });
}

/** Whether a line is the head of a class without bases. */
export const isPlainClassHead = (line: string): boolean =>
  /^\s*class\s+\w+\s*(?:\(\s*(?:object\s*)?\))?\s*:/.test(line);

/** Whether a class of this name is defined once, without bases and decorators, and the name is bound to nothing else. */
function isPlainClass(source: string, name: string): boolean {
  const [head = '', ...others] = source.match(new RegExp(`^[ \\t]*class\\s+${name}\\b.*`, 'gm')) ?? [];
  const isDecorated = new RegExp(`^[ \\t]*@.*\\n\\s*(?:@.*\\n\\s*)*class\\s+${name}\\b`, 'm').test(source);
  const isBound = new RegExp(`\\b${name}\\s*=(?!=)`).test(source);
  return others.length === 0 && isPlainClassHead(head) && !isDecorated && !isBound;
}

/** Whether a function is the `__init__` of a class. */
export const isConstructor = ({ name, qualifiedName }: Scope): boolean =>
  name === '__init__' && qualifiedName.endsWith('.__init__') && !qualifiedName.endsWith('<locals>.__init__');

/** The qualified name of the class that a method belongs to. */
export const classOf = ({ qualifiedName, name }: Scope): string => qualifiedName.slice(0, -name.length - 1);

const changing =
  /^(?:add|append(?:left)?|clear|close|discard|elements|extend(?:left)?|insert|most_common|move_to_end|pop(?:item|left)?|remove|reverse|rotate|send|setdefault|sort|subtract|total|update|\w+_update)$/;

/** Whether builtins have a method of this name. */
const isBuiltinMethod = (name: string): boolean => {
  const word = wordToken(name);
  return changing.test(name) || (word !== undefined && isKnownMethod(word));
};

/** It cannot be told which functions are called. */
class Untold extends Error {}

/** Walks the parts of a line in the order in which they are evaluated. */
class CallWalk {
  private readonly found: LineCall[] = [];
  private readonly callables: Callables;

  constructor(
    private readonly program: Program,
    private readonly code: ArrayLike<number>,
    private readonly frame: Frame,
  ) {
    this.callables = callablesOf(program);
  }

  of(parts: readonly Part[]): LineCalls {
    try {
      this.visitAll(parts);
    } catch (error) {
      if (error instanceof Untold) return { calls: this.found, isWhole: false };
      throw error;
    }
    return { calls: this.found, isWhole: true };
  }

  private visitAll(parts: readonly Part[]): void {
    for (const part of parts) this.visit(part);
  }

  private visit(part: Part): void {
    const { kind, parts } = part;
    if (kind === 'call') this.call(part);
    else if (kind === 'name') expect(this.isLiteralName(part));
    else if (kind === 'attribute') expect(this.isHeld(part));
    else if (kind !== 'lambda') {
      const surely = surelyEvaluated[kind] ?? parts.length;
      expect(this.entersNothing(part) && parts.slice(surely).every((inner) => this.isQuiet(inner)));
      this.visitAll(parts.slice(0, surely));
    }
  }

  private call(part: Part): void {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    const isMethod = callee.kind === 'attribute';
    const name = this.code[callee.end - 1] as number;
    const ours = isMethod
      ? this.method(callee)
      : callee.kind === 'name'
        ? this.callables.plain.get(name)
        : undefined;
    expect(ours !== undefined || changesNothing(this.code, callee));
    const named = given.findIndex(({ kind }) => kind === 'keyword');
    // `f(a=g(), *h())` calls h first.
    expect(named < 0 || given.slice(named).every(({ kind }) => kind !== 'star'));
    if (isMethod && !(ours && this.isRead(callee.parts[0] as Part))) this.visitAll(callee.parts);
    for (const argument of given) {
      const inner = argument.kind === 'keyword' ? (argument.parts[0] as Part) : argument;
      // What a builtin is given it may call.
      expect(ours !== undefined || inner.kind !== 'lambda');
      if (!(ours && this.isRead(inner))) this.visit(inner);
    }
    if (ours !== undefined) this.found.push({ part, callee: ours });
  }

  /** The method of a class of the program that a call enters; undefined: none. */
  private method(callee: Part): Scope | undefined {
    const [base] = callee.parts as [Part];
    const name = attributeName(this.program, this.code[callee.end - 1] as number);
    const named = this.callables.methods.get(name);
    if (named === undefined) return undefined;
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

  /** Whether a part is a name that may stand for a class or for something imported, whose functions take no object of their own. */
  private isOfModule({ kind, first }: Part): boolean {
    const name = attributeName(this.program, this.code[first] as number);
    const binding = new RegExp(`^\\s*(?:class\\s|from\\s.*import|import\\s).*\\b${name}\\b`, 'm');
    return kind === 'name' && binding.test(this.program.source);
  }

  /** Whether a part is a name or an attribute, of which nothing runs when it is read, whatever it stands for. */
  private isRead({ kind, parts }: Part): boolean {
    if (kind !== 'attribute') return kind === 'name';
    return hasPlainAttributes(this.program) && this.isRead(parts[0] as Part);
  }

  /** Whether a name is bound to a literal, or is that of a builtin: nothing of the program runs when it is used. */
  private isLiteralName({ first }: Part): boolean {
    const token = this.code[first] as number;
    if (!isSlotToken(token)) return isKnownFunction(token);
    return literalOf(this.program, this.frame, token) !== undefined;
  }

  /** Whether an attribute of a name is one that its object shows: nothing of the program runs when it is read. */
  private isHeld({ first, end }: Part): boolean {
    const found = valueAt(this.program, this.code, first, this.frame);
    return found.value !== undefined && found.end === end;
  }

  /** Whether nothing of the program runs for the part itself, which is no call. */
  private entersNothing(part: Part): boolean {
    if (part.kind === 'attribute') return this.isHeld(part);
    if (part.kind === 'subscript') return !this.callables.hasFactories;
    if (part.kind !== 'text') return part.kind !== 'generator';
    return !partTokens(this.code, part).includes(opening);
  }

  /** Whether nothing of the program runs when the part is evaluated, but for what its names stand for. */
  private isQuiet(part: Part): boolean {
    const [callee, ...given] = part.parts as [Part, ...Part[]];
    if (part.kind !== 'call')
      return (
        part.kind !== 'lambda' && this.entersNothing(part) && part.parts.every((inner) => this.isQuiet(inner))
      );
    const inside = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
    return changesNothing(this.code, callee) && inside.every((inner) => this.isQuiet(inner));
  }
}

function expect(isTold: boolean): void {
  if (!isTold) throw new Untold();
}

/** How many parts of a kind are surely evaluated, where it is not all of them. */
const surelyEvaluated: Partial<Record<PartKind, number>> = {
  and: 1,
  or: 1,
  ternary: 1,
  compare: 2,
  comprehension: 1,
};
