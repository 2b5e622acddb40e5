/**
 * Which functions of the program a line can enter: those that its calls name, and those that run where no call names them (generators, operators,
 * callbacks). Errs on the side of "may enter".
 */
import type { SyntaxNode } from '@lezer/common';
import { isDecorated, stopsEarly, uncertain } from './certain-calls.js';
import { type EntryReach, reflection } from './entry-reach.js';
import { inOrder } from './evaluation-order.js';
import type { RawScope } from './scopes.js';
import { childrenOf, nodeText, statementsOf, unwrapped } from './syntax-nodes.js';

/** What evaluating something can enter. */
export interface Entering {
  /** Whether a function of the program is surely entered, unless something is raised before. */
  readonly surely: boolean;
  /** First lines of the functions that can be entered first; undefined: any. */
  readonly first: ReadonlySet<number> | undefined;
  /** Of all that can be entered. */
  readonly all: ReadonlySet<number> | undefined;
  /** Of those that the text names, however it reaches them: by their names, or by those of their classes. */
  readonly named: ReadonlySet<number>;
}

/** What was found to be entered so far. */
interface Found {
  readonly first: Set<number>;
  readonly all: Set<number>;
  isSure: boolean;
}

const harmlessAttribute = /^__(?:init|name|doc|qualname)__$/;
const specialMethod = /^__\w+__$/;
/** Bases that never call methods of the program but special ones. */
const harmlessBase =
  /^(?:object|ABC|BaseException|\w*(?:Error|Exception|Warning)|(?:Int|Str)?Enum|NamedTuple|Protocol|str|int)$/;
/** The same with parameters. */
const genericBase = /^(?:typing\.)?(?:Generic|Protocol)\[[^\]]*\]$/;
/** Methods that enumerations call. */
const ofEnumerations = /^_(?:generate_next_value|missing)_$/;

interface ProgramClass {
  /** Line of its `__init__`, if it has one of its own. */
  readonly initial: number | undefined;
  readonly hasBases: boolean;
}

/** What a program's text says of its functions, and the scopes they have. */
export interface CallableSource {
  readonly source: string;
  readonly entry: EntryReach;
  readonly scopes: readonly RawScope[];
  /** Offsets of statements that are decorators of the definition after them. */
  readonly decorators: ReadonlySet<number>;
  /** Names by which a call surely enters a function of the program (certain-calls.ts). */
  readonly plainFunctions: ReadonlySet<string>;
  /** Names that the program binds anywhere. */
  readonly bound: ReadonlySet<string>;
  readonly lineOf: (offset: number) => number;
}

export class Callees {
  private readonly classes = new Map<string, ProgramClass>();
  private readonly named = new Map<string, number[]>();
  /** Functions that can be entered on any line. */
  private readonly anywhere = new Set<number>();
  /** Names of functions and classes that are used otherwise than in a call. */
  private readonly values = new Set<string>();
  /** Names in `import` statements, and names that are more than the object of an attribute: what is imported has functions of its own. */
  private readonly imported = new Set<string>();
  private readonly used = new Set<string>();
  private isOpen = false;

  constructor(
    top: SyntaxNode,
    private readonly of: CallableSource,
  ) {
    this.read(top, null, 0);
    for (const name of of.entry.values) this.values.add(name);
    if (of.entry.reflects) this.isOpen = true;
    const plainLines = new Set([...this.named.values()].flat());
    for (const { name, firstLine, isGenerator } of of.scopes) {
      const isWritten = plainLines.has(firstLine) && !name.startsWith('<') && !isGenerator;
      const isSpecial = specialMethod.test(name) && name !== '__init__';
      if (!isWritten || isSpecial || this.values.has(name)) this.anywhere.add(firstLine);
    }
    for (const [name, { initial }] of this.classes) {
      if (!this.values.has(name)) continue;
      for (const line of initial === undefined ? this.constructors() : [initial]) this.anywhere.add(line);
    }
  }

  private text(node: SyntaxNode): string {
    return nodeText(this.of.source, node);
  }

  /** Whether a name is that of something which may reach functions by other means than their names. */
  private reflects(name: string): boolean {
    return reflection.has(name) && (this.of.entry.spells || !/^[gs]etattr$/.test(name));
  }

  private constructors(): readonly number[] {
    return this.named.get('__init__') ?? [];
  }

  /** Takes note of definitions, and of names that are used as values. */
  private read(node: SyntaxNode, parent: SyntaxNode | null, index: number): void {
    const isCallee = parent?.name === 'CallExpression' && index === 0;
    if (node.name === 'ImportStatement' && this.text(node).includes('*')) this.isOpen = true;
    if (node.name === 'ClassDefinition') this.readClass(node);
    if (node.name === 'FunctionDefinition') this.readFunction(node);
    if (node.name === 'VariableName') {
      const isDefined = /^(?:Function|Class)Definition$/.test(parent?.name ?? '');
      if (this.reflects(this.text(node))) this.isOpen = true;
      if (!isCallee && !isDefined) this.values.add(this.text(node));
      if (parent?.name === 'ImportStatement') this.imported.add(this.text(node));
      else if (parent?.name !== 'MemberExpression' || index > 0) this.used.add(this.text(node));
    }
    if (node.name === 'PropertyName') {
      const name = this.text(node);
      const isPattern = parent !== null && /^re\s*\.\s*compile$/.test(this.text(parent));
      if ((reflection.has(name) && !isPattern) || (specialMethod.test(name) && !harmlessAttribute.test(name)))
        this.isOpen = true;
    }
    childrenOf(node).forEach((child, at) => {
      const isMethod = isCallee && node.name === 'MemberExpression';
      if (child.name === 'PropertyName' && !isMethod) this.values.add(this.text(child));
      this.read(child, node, at);
    });
  }

  private readFunction(node: SyntaxNode): void {
    const name = node.getChild('VariableName');
    // A decorated function is reached through whatever its decorator gives.
    if (name !== null && ofEnumerations.test(this.text(name))) this.isOpen = true;
    if (name === null || isDecorated(node, this.of.decorators) || node.parent?.name === 'DecoratedStatement')
      return;
    const lines = this.named.get(this.text(name)) ?? [];
    this.named.set(this.text(name), [...lines, this.of.lineOf(node.from)]);
  }

  private readClass(node: SyntaxNode): void {
    const name = node.getChild('VariableName');
    const bases = node.getChild('ArgList');
    const body = node.getChild('Body');
    if (name === null || body === null) return;
    const parts = bases === null ? [] : childrenOf(bases).filter(({ name: kind }) => !/^[(),]$/.test(kind));
    const isKnown = (part: SyntaxNode): boolean =>
      genericBase.test(this.text(part)) ||
      (part.name === 'VariableName' &&
        (harmlessBase.test(this.text(part)) || this.classes.has(this.text(part))));
    if (!parts.every(isKnown)) this.isOpen = true;
    const initial = statementsOf(body).findLast((part) => {
      const defined = part.name === 'FunctionDefinition' ? part.getChild('VariableName') : null;
      return defined !== null && this.text(defined) === '__init__';
    });
    // A class that is defined twice is either of the two.
    const hasBases = parts.length > 0 || this.classes.has(this.text(name));
    this.classes.set(this.text(name), { initial: initial && this.of.lineOf(initial.from), hasBases });
    if (hasBases) this.values.add(this.text(name));
  }

  /** Whether the function that begins on a line is entered by calls of its name alone. */
  isNamed(firstLine: number): boolean {
    return !this.isOpen && !this.anywhere.has(firstLine);
  }

  /**
   * What evaluating the nodes, one after the other, can enter. `evaluated`: whether they surely are. `hides`: whether functions can be entered that are not named in them.
   */
  entering(nodes: readonly SyntaxNode[], evaluated: boolean, hides: boolean): Entering {
    const named = new Set(nodes.flatMap((node) => this.namedIn(node)));
    const written = [...named, ...nodes.flatMap((node) => this.writtenIn(node))];
    const anyhow = hides ? this.anywhere : written.filter((line) => this.anywhere.has(line));
    const found: Found = { first: new Set(anyhow), all: new Set(anyhow), isSure: false };
    for (const node of nodes) this.visit(node, evaluated, found);
    const { isSure: surely, first, all } = found;
    return { surely, first: this.isOpen ? undefined : first, all: this.isOpen ? undefined : all, named };
  }

  private namedIn(node: SyntaxNode): readonly number[] {
    const isName = node.name === 'VariableName' || node.name === 'PropertyName';
    if (!isName) return childrenOf(node).flatMap((child) => this.namedIn(child));
    const text = this.text(node);
    if (this.classes.has(text)) return this.constructors();
    return this.of.scopes.filter(({ name }) => name === text).map(({ firstLine }) => firstLine);
  }

  /** First lines of the lambdas and generator expressions that stand in a node. */
  private writtenIn({ from, to }: SyntaxNode): readonly number[] {
    const [first, last] = [this.of.lineOf(from), this.of.lineOf(to)];
    const isIn = (line: number): boolean => first <= line && line <= last;
    return this.of.scopes
      .filter(({ name, firstLine }) => name.startsWith('<') && isIn(firstLine))
      .map(({ firstLine }) => firstLine);
  }

  /** Adds what a node can enter, in the order of evaluation; first comes what stands before a call that surely enters, and that. */
  private visit(node: SyntaxNode, isCertain: boolean, found: Found): void {
    const children = inOrder(node);
    const isSure =
      isCertain &&
      !uncertain.test(node.name) &&
      !(node.name === 'ArgList' && children.some(({ name }) => name === 'for'));
    const first = node.name === 'BinaryExpression' && stopsEarly(children) ? 1 : children.length;
    children.forEach((child, at) => {
      this.visit(child, isSure && at < first, found);
    });
    const [callee] = children;
    if (node.name !== 'CallExpression' || callee === undefined) return;
    for (const line of this.called(callee)) {
      found.all.add(line);
      if (!found.isSure) found.first.add(line);
    }
    if (isSure && this.isPlain(callee)) found.isSure = true;
  }

  /** Whether a call of `callee` surely enters a function of the program. */
  private isPlain(callee: SyntaxNode): boolean {
    return callee.name === 'VariableName' && this.of.plainFunctions.has(this.text(callee));
  }

  /** Whether an attribute is that of a name which stands for what was imported and nothing else. */
  private isOfImported({ name, firstChild }: SyntaxNode): boolean {
    if (name !== 'MemberExpression' || firstChild?.name !== 'VariableName') return false;
    const object = this.text(firstChild);
    return this.imported.has(object) && !this.used.has(object);
  }

  /** First lines of what a call of `callee` can enter. */
  private called(callee: SyntaxNode): readonly number[] {
    const inner = unwrapped(callee);
    if (this.isOfImported(inner)) return [];
    const name =
      inner.name === 'VariableName' || inner.name === 'MemberExpression'
        ? this.text(childrenOf(inner).at(-1) ?? inner)
        : undefined;
    const known = name === undefined ? undefined : this.classes.get(name);
    const lines = name === undefined ? [] : (this.named.get(name) ?? []);
    const initial = known?.initial === undefined ? [] : [known.initial];
    const isUnknown =
      name === undefined || (lines.length === 0 && inner.name === 'VariableName' && this.of.bound.has(name));
    // Whatever is called may be a class.
    const mayBeAny =
      known?.hasBases === true ||
      (isUnknown && known === undefined) ||
      (known && known.initial === undefined);
    return [...lines, ...initial, ...(mayBeAny ? this.constructors() : [])];
  }
}
