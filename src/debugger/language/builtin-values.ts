/**
 * Which names and attributes of a program only ever stand for values of builtins, whose operators run no method of the program: those to which nothing else is bound
 * anywhere in its text. An attribute is one, whatever object has it.
 */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, loopHead, nodeText, parametersOf } from './syntax-nodes.js';

/** What an expression comes to, the higher the more is known. */
export const kinds = {
  anything: 0,
  /** Lists and their like, with whatever in them. */
  builtin: 1,
  /** None, numbers, texts, and tuples of these. */
  literal: 2,
} as const;
export type Kind = (typeof kinds)[keyof typeof kinds];

export interface BuiltinValues {
  kindOf(node: SyntaxNode | undefined): Kind;
  /** Whether nothing but builtins and the standard library has a method of this name. */
  isOfBuiltins(method: string): boolean;
  /** Whether a call of an attribute of this name enters a function of that name, or one of the standard library. */
  isOfFunctions(method: string): boolean;
  /** Whether a node is the name of a class of the program, and of nothing else. */
  isClass(node: SyntaxNode): boolean;
  /** Whether a node is the name of a module, or of something that one has. */
  isImported(node: SyntaxNode | undefined): boolean;
}

export interface NamedInText {
  readonly source: string;
  /** Names that the program binds anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Names of its functions. */
  readonly functions: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const constants = words('Number String ContinuedString FormatString Boolean None');
const displays = /^(?:Array|Set|Dictionary)(?:Comprehension)?Expression$/;
const comprehension = /ComprehensionExpression$|^ArgList$/;
const punctuation = /^[()[\]{},]$/;

/** Functions of builtins that give literals, and those that do if they are given nothing else. */
const givesLiterals = words(
  'ascii bin bool callable chr float format hash hex id int isinstance issubclass len oct ord repr str',
);
const keepsLiterals = words('abs divmod max min pow round');
const givesBuiltins = words('dict frozenset list range set sorted tuple');
const ofCollections = words('Counter OrderedDict defaultdict deque');
/** The same of methods, those of texts and numbers first. */
const methodsForLiterals = words(
  'bit_length capitalize casefold center count endswith expandtabs find format index is_integer isalnum isalpha isascii isdecimal isdigit isidentifier islower ' +
    'isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rstrip ' +
    'startswith strip swapcase title translate upper zfill',
);
const methodsForBuiltins = words('items keys rsplit split splitlines values');

const plainDecorator = /^@(?:(?:dataclasses\.)?dataclass|(?:functools\.)?total_ordering|(?:enum\.)?unique)\b/;
/** What binds names or attributes where no binding of them is written, or has objects of builtins with methods of the program. */
const unseenNames = /\b(?:exec|eval|globals|locals)\b|\bimport\s+\*/;
const unseenAttributes =
  /\b(?:setattr|vars|exec|eval|globals|locals|namedtuple|make_dataclass|SimpleNamespace|partial)\b|__(?:dict|setattr|getattr|getattribute|set_name|new)__|(?<!@)\bproperty\b/;
/** Objects of such classes are taken for texts, lists and their like by those that make new ones of them. */
const derived =
  /\bclass\s+\w+\s*\([^)]*\b(?:bytes|deque|dict|float|frozenset|int|list|set|str|tuple|User(?:Dict|List|String)|OrderedDict|Counter|defaultdict)\b/;

/** What is known of a program's names and attributes. */
export function builtinValues(top: SyntaxNode, named: NamedInText): BuiltinValues {
  const values = new Values(named);
  values.read(top);
  return values;
}

/** What is bound to a name or an attribute: an expression, an item of what one comes to, or what is known of it without one. */
type Bound = SyntaxNode | { readonly itemOf: SyntaxNode } | Kind;
/** By attribute, or by name and the function that has it. */
type Bindings = Map<string, Bound[]>;

class Values implements BuiltinValues {
  private readonly names: Bindings = new Map();
  private readonly attributes: Bindings = new Map();
  /** Attributes that are assigned, or fields of a class. */
  private readonly assigned = new Set<string>();
  private readonly imported = new Set<string>();
  /** Of classes, as names have them. */
  private readonly classes = new Set<string>();
  /** Names that functions bind outside of them: these are one each, whatever function they are in. */
  private readonly shared: ReadonlySet<string>;
  private readonly hasDerived: boolean;
  /** Whether attributes may be bound where that is not written. */
  private readonly isUnseen: boolean;
  private kindsOfNames = new Map<string, Kind>();
  private kindsOfAttributes = new Map<string, Kind>();

  constructor(private readonly of: NamedInText) {
    this.hasDerived = derived.test(of.source);
    this.isUnseen = unseenAttributes.test(of.source);
    const shared = of.source.matchAll(/\b(?:global|nonlocal)\b([^\n]*)/g);
    this.shared = new Set(
      [...shared].flatMap(([, names = '']) => names.normalize('NFKC').match(/[\p{L}\p{N}_]+/gu) ?? []),
    );
  }

  /** Takes every name for a literal until what is bound to it is none. */
  read(top: SyntaxNode): void {
    const { source } = this.of;
    this.visit(top);
    if (/\bStopIteration\b/.test(source)) add(this.attributes, 'value', kinds.anything);
    if (this.hasDerived) return;
    if (!unseenNames.test(source)) this.kindsOfNames = allLiterals(this.names);
    if (!this.isUnseen) this.kindsOfAttributes = allLiterals(this.attributes);
    let isSettled = false;
    while (!isSettled) {
      const areNames = this.settle(this.names, this.kindsOfNames);
      isSettled = this.settle(this.attributes, this.kindsOfAttributes) && areNames;
    }
  }

  /** Whether all are what was taken for known of them; they are from then on. */
  private settle(bindings: Bindings, known: Map<string, Kind>): boolean {
    let isSettled = true;
    for (const [name, before] of known) {
      const kind = least((bindings.get(name) ?? []).map((bound) => this.kindOfBound(bound)));
      if (kind === before) continue;
      known.set(name, kind);
      isSettled = false;
    }
    return isSettled;
  }

  isClass(node: SyntaxNode): boolean {
    const key = this.keyOf(node);
    return this.classes.has(key) && this.names.get(key)?.length === 1;
  }

  isImported(node: SyntaxNode | undefined): boolean {
    return node?.name === 'VariableName' && this.imported.has(this.text(node));
  }

  isOfBuiltins(method: string): boolean {
    return !this.of.functions.has(method) && !this.attributes.has(method) && this.isOnlyCalled(method);
  }

  isOfFunctions(method: string): boolean {
    return this.of.functions.has(method) && !this.assigned.has(method) && this.isOnlyCalled(method);
  }

  /** Whether a name stands nowhere but where a method is defined or called; it need not, where all bindings of attributes are written. */
  private isOnlyCalled(method: string): boolean {
    const other = new RegExp(`(?<!\\.|\\bdef\\s)\\b${method}\\b|\\.${method}\\b(?!\\()`);
    return !this.isUnseen || !other.test(this.of.source);
  }

  kindOf(node: SyntaxNode | undefined): Kind {
    if (node === undefined) return kinds.anything;
    if (constants.has(node.name)) return kinds.literal;
    if (displays.test(node.name)) return kinds.builtin;
    const parts = childrenOf(node);
    switch (node.name) {
      case 'VariableName':
        return this.kindsOfNames.get(this.keyOf(node)) ?? kinds.anything;
      case 'MemberExpression':
        return this.member(parts);
      case 'ParenthesizedExpression':
        return this.kindOf(parts[1]);
      case 'NamedExpression':
        return this.kindOf(parts[2]);
      case 'ConditionalExpression':
        return this.least([parts[0], parts[4]]);
      case 'TupleExpression':
        return this.least(parts.filter(({ name }) => !punctuation.test(name))) === kinds.literal
          ? kinds.literal
          : kinds.builtin;
      case 'UnaryExpression':
        return parts[0]?.name === 'not' ? kinds.literal : this.kindOf(parts[1]);
      case 'BinaryExpression':
        return this.operation(parts);
      case 'UpdateStatement':
        return this.least([parts[0], parts[2]]);
      case 'CallExpression':
        return this.call(parts);
      default:
        return kinds.anything;
    }
  }

  private text(node: SyntaxNode): string {
    return nodeText(this.of.source, node);
  }

  private least(nodes: readonly (SyntaxNode | undefined)[]): Kind {
    return least(nodes.map((node) => this.kindOf(node)));
  }

  private kindOfBound(bound: Bound): Kind {
    if (typeof bound === 'number') return bound;
    if ('itemOf' in bound) return itemOf(this.kindOf(bound.itemOf));
    return this.kindOf(bound);
  }

  private member([base, dot, name]: readonly SyntaxNode[]): Kind {
    if (dot?.name === '[') return itemOf(this.kindOf(base));
    if (name?.name !== 'PropertyName' || this.isImported(base)) return kinds.anything;
    return this.kindsOfAttributes.get(this.text(name)) ?? kinds.anything;
  }

  private operation(parts: readonly SyntaxNode[]): Kind {
    const [left, operator] = parts;
    const both = this.least([left, parts.at(-1)]);
    if (operator?.name === 'is' || operator?.name === 'in' || operator?.name === 'not') return kinds.literal;
    return operator?.name === 'CompareOp' && both >= kinds.builtin ? kinds.literal : both;
  }

  private call([callee, list]: readonly SyntaxNode[]): Kind {
    const given = list === undefined ? [] : childrenOf(list).slice(1, -1);
    const name = callee?.name === 'MemberExpression' ? callee.lastChild : callee;
    if (this.hasDerived || callee === undefined || name === undefined || name === null) return kinds.anything;
    const text = this.text(name);
    if (name.name === 'PropertyName') return this.method(callee, text);
    if (name.name !== 'VariableName') return kinds.anything;
    if (ofCollections.has(text) && this.isOnlyImported(name)) return kinds.builtin;
    if (this.of.bound.has(text)) return kinds.anything;
    if (givesLiterals.has(text)) return kinds.literal;
    if (givesBuiltins.has(text)) return kinds.builtin;
    const areLiterals =
      keepsLiterals.has(text) &&
      given.length > 0 &&
      this.least(given.filter(({ name }) => !punctuation.test(name))) === kinds.literal;
    return areLiterals ? kinds.literal : kinds.anything;
  }

  private method(callee: SyntaxNode, name: string): Kind {
    const [base] = childrenOf(callee);
    if (this.isImported(base))
      return this.text(callee) === `collections.${name}` && ofCollections.has(name)
        ? kinds.builtin
        : kinds.anything;
    if (!this.isOfBuiltins(name)) return kinds.anything;
    if (methodsForLiterals.has(name)) return kinds.literal;
    return methodsForBuiltins.has(name) ? kinds.builtin : kinds.anything;
  }

  private isOnlyImported(node: SyntaxNode): boolean {
    return this.isImported(node) && this.names.get(this.keyOf(node))?.length === 1;
  }

  /** The key of a name where it is read: of the function that has it, the innermost one. */
  private keyOf(node: SyntaxNode): string {
    const name = this.text(node);
    let scope = this.shared.has(name) ? undefined : scopeOf(node);
    for (let isOwn = true; scope !== undefined; isOwn = false) {
      const key = keyIn(scope, name);
      if ((isOwn || scope.name !== 'ClassDefinition') && this.names.has(key)) return key;
      scope = scopeOf(scope);
    }
    return keyIn(undefined, name);
  }

  /** Something is bound to a name, in the function around it unless another one is said. */
  private bindName(node: SyntaxNode, value: Bound, scope = scopeOf(node)): void {
    const name = this.text(node);
    add(this.names, keyIn(this.shared.has(name) ? undefined : scope, name), value);
  }

  private visit(node: SyntaxNode): void {
    const parts = childrenOf(node);
    switch (node.name) {
      case 'AssignStatement':
        this.assign(parts, isOfClass(node));
        break;
      case 'UpdateStatement':
        if (parts[0]) this.bind(parts[0], node);
        break;
      case 'NamedExpression':
        if (parts[0]) this.bind(parts[0], parts[2] ?? kinds.anything);
        break;
      case 'ForStatement':
        this.loop(parts);
        break;
      case 'ImportStatement':
        this.import(parts);
        break;
      case 'MatchClause':
        this.bindAll(parts.filter(({ name }) => name !== 'Body'));
        break;
      case 'FunctionDefinition':
      case 'ClassDefinition':
        for (const name of parts.filter((part) => part.name === 'VariableName').slice(0, 1)) {
          this.bindName(name, kinds.anything);
          if (node.name === 'ClassDefinition' && this.isAsWritten(node)) this.classes.add(this.keyOf(name));
          add(this.attributes, this.text(name), kinds.anything);
        }
        break;
      case 'ParamList':
        for (const name of parametersOf(node).names)
          this.bindName(name, kinds.anything, node.parent ?? undefined);
        break;
      case 'TypeParamList':
        this.bindAll(parts);
        break;
      case 'WithStatement':
      case 'TryStatement':
        for (const [at, part] of parts.entries())
          if (parts[at - 1]?.name === 'as') this.bind(part, kinds.anything);
        break;
    }
    if (comprehension.test(node.name)) this.comprehension(parts);
    for (const part of parts) this.visit(part);
  }

  /** Whether no decorator puts something else in place of a class. */
  private isAsWritten({ parent }: SyntaxNode): boolean {
    const decorators = parent?.name === 'DecoratedStatement' ? parent.getChildren('Decorator') : [];
    return decorators.every((decorator) => plainDecorator.test(this.text(decorator)));
  }

  /** All names within are bound, to what is not known. */
  private bindAll(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) {
      if (node.name === 'VariableName') this.bindName(node, kinds.anything);
      this.bindAll(childrenOf(node));
    }
  }

  private import(parts: readonly SyntaxNode[]): void {
    for (const part of parts.filter(({ name }) => name === 'VariableName')) {
      this.imported.add(this.text(part));
      this.bindName(part, kinds.anything);
    }
  }

  private assign(parts: readonly SyntaxNode[], isField: boolean): void {
    const sides: SyntaxNode[][] = [[]];
    for (const part of parts)
      if (part.name === 'AssignOp') sides.push([]);
      else if (part.name !== 'TypeDef') sides.at(-1)?.push(part);
    const values = sides.length > 1 ? (sides.pop() as SyntaxNode[]) : undefined;
    for (const targets of sides) {
      const [target] = targets;
      const value = values?.length === 1 ? values[0] : undefined;
      if (target === undefined) continue;
      if (isField && target.name === 'VariableName') this.field(target, value);
      if (values === undefined) continue;
      if (targets.length === 1) this.bind(target, value ?? kinds.builtin);
      else if (value !== undefined) this.bindItems(targets, value);
      else this.bindEach(targets, values);
    }
  }

  /** What the body of a class binds its objects may have for an attribute; of data classes and enumerations that is something else. */
  private field(target: SyntaxNode, value: SyntaxNode | undefined): void {
    const definition = target.parent?.parent?.parent;
    const isPlain =
      definition?.getChild('ArgList') === null && definition.parent?.name !== 'DecoratedStatement';
    this.bindAttribute(target, (isPlain && value) || kinds.anything);
  }

  private bindAttribute(name: SyntaxNode, value: Bound): void {
    add(this.attributes, this.text(name), value);
    this.assigned.add(this.text(name));
  }

  private bindEach(targets: readonly SyntaxNode[], values: readonly SyntaxNode[]): void {
    const isPaired =
      targets.length === values.length && [...targets, ...values].every(({ name }) => name !== '*');
    targets.forEach((target, at) => {
      if (target.name !== ',') this.bind(target, (isPaired && values[at]) || kinds.anything);
    });
  }

  /** Targets side by side, which take what is in a value. */
  private bindItems(targets: readonly SyntaxNode[], value: SyntaxNode | Kind): void {
    targets.forEach((target, at) => {
      if (targets[at - 1]?.name === '*') this.bind(target, kinds.builtin);
      else if (!/^[,*()[\]]$/.test(target.name))
        this.bind(target, typeof value === 'number' ? itemOf(value) : { itemOf: value });
    });
  }

  private bind(target: SyntaxNode, value: Bound): void {
    const parts = childrenOf(target);
    if (target.name === 'VariableName') this.bindName(target, value);
    else if (target.name === 'MemberExpression') {
      const name = parts.at(-1);
      if (name?.name === 'PropertyName') this.bindAttribute(name, value);
    } else if (typeof value === 'number') this.bindItems(parts, value);
    else this.bindItems(parts, 'itemOf' in value ? kinds.anything : value);
  }

  /** The names of a loop, from `for` to what stands behind `in`. */
  private loop(parts: readonly SyntaxNode[]): void {
    const { targets, iterable } = loopHead(parts.slice(parts[0]?.name === 'async' ? 2 : 1));
    const [callee] = iterable?.name === 'CallExpression' ? childrenOf(iterable) : [];
    const name =
      callee?.name === 'VariableName' && !this.of.bound.has(this.text(callee)) ? this.text(callee) : '';
    const [first, ...others] = targets;
    if (first === undefined) return;
    if (name === 'range' && others.length === 0) this.bind(first, kinds.literal);
    else if (name === 'enumerate' && others.length > 1) {
      this.bind(first, kinds.literal);
      this.bindItems(others, kinds.anything);
    } else if (others.length === 0) this.bind(first, iterable ? { itemOf: iterable } : kinds.anything);
    else this.bindItems(targets, kinds.anything);
  }

  private comprehension(parts: readonly SyntaxNode[]): void {
    parts.forEach((part, at) => {
      if (part.name === 'for') this.loop(parts.slice(at));
      // `f(x := y)` has no node of its own.
      if (part.name === 'AssignOp' && this.text(part) === ':=' && parts[at - 1])
        this.bind(parts[at - 1] as SyntaxNode, parts[at + 1] ?? kinds.anything);
    });
  }
}

/** The function, lambda or class in whose body a node stands; undefined: the module. */
function scopeOf(node: SyntaxNode): SyntaxNode | undefined {
  for (let inner = node; inner.parent !== null; inner = inner.parent) {
    const { name } = inner.parent;
    const isBody = name === 'LambdaExpression' ? inner.name !== 'ParamList' : inner.name === 'Body';
    if (isBody && /^(?:FunctionDefinition|LambdaExpression|ClassDefinition)$/.test(name)) return inner.parent;
  }
  return undefined;
}

const keyIn = (scope: SyntaxNode | undefined, name: string): string => `${scope?.from ?? ''} ${name}`;

function add(bindings: Bindings, name: string, value: Bound): void {
  const found = bindings.get(name) ?? [];
  bindings.set(name, [...found, value]);
}

const allLiterals = (bindings: Bindings): Map<string, Kind> =>
  new Map([...bindings.keys()].map((name) => [name, kinds.literal]));

const least = (all: readonly Kind[]): Kind => Math.min(kinds.literal, ...all) as Kind;

const itemOf = (kind: Kind): Kind => (kind === kinds.literal ? kinds.literal : kinds.anything);

const isOfClass = ({ parent }: SyntaxNode): boolean =>
  parent?.name === 'Body' && parent.parent?.name === 'ClassDefinition';
