/** The whole walk: definitions and statements, and which rule each kind of node has. */
import type { SyntaxNode } from '@lezer/common';
import { type EntryReach, nothingReached } from './entry-reach.js';
import type { LezerInput } from './lezer-input.js';
import { findFlows } from './program-flows.js';
import { type Analysis, Block, type RawScope, resolveNames } from './scopes.js';
import type { SourceMap } from './source-error.js';
import { ExpressionWalk } from './syntax-expressions.js';
import {
  childrenOf,
  codeEnd,
  isDocstring,
  parametersOf,
  positionalNames,
  starIn,
  statementsOf,
  wrongImport,
} from './syntax-nodes.js';

/** What the walk tells of a source. */
export interface SourceAnalysis extends Analysis {
  readonly assignedOnce: ReadonlyMap<string, readonly [firstLine: number, lastLine: number]>;
}

export class SyntaxVisitor extends ExpressionWalk {
  readonly bodies: (readonly [RawScope, SyntaxNode])[] = [];

  /** `entry`: what the call that runs the program reaches. */
  constructor(
    source: string,
    map: SourceMap,
    input: LezerInput,
    private readonly entry: EntryReach = nothingReached,
  ) {
    super(source, map, input);
  }

  /** The scopes of a whole file. */
  module(top: SyntaxNode): SourceAnalysis {
    const module = this.block;
    this.body(top, true);
    const analysis = resolveNames(module, this.owned);
    const { source, map, input } = this;
    findFlows(top, this, analysis, { source, map, input, entry: this.entry });
    return { ...analysis, assignedOnce: this.assignedOnce(top, analysis.keptNames) };
  }

  /** First and last line of the statement, for names that are bound by one assignment of the module's own level alone. */
  private assignedOnce(
    top: SyntaxNode,
    keptNames: ReadonlySet<string>,
  ): ReadonlyMap<string, [number, number]> {
    const found = new Map<string, [number, number]>();
    for (const node of statementsOf(top)) {
      const target = node.name === 'AssignStatement' ? node.firstChild : null;
      const isAlone = target?.name === 'VariableName' && target.nextSibling?.name !== ',';
      const name = isAlone ? this.nameOf(target) : undefined;
      if (name === undefined || !keptNames.has(name)) continue;
      found.set(name, [this.map.lineOf(node.from), this.map.lineOf(Math.max(codeEnd(node) - 1, 0))]);
    }
    return found;
  }

  protected visit(node: SyntaxNode): void {
    const handler = handlers[node.name];
    if (handler === undefined) this.generic(node);
    else handler.call(this, node);
  }

  /** Statements of a block; a first statement that is a docstring runs nothing. */
  body(node: SyntaxNode, documented = false): void {
    const statements = statementsOf(node);
    let decorator: SyntaxNode | undefined;
    statements.forEach((statement, index) => {
      if (this.input.decorators.has(statement.from)) {
        if (childrenOf(statement).length !== 1) throw this.fail(statement, 'invalid decorator');
        decorator ??= statement;
        this.visit(statement);
        return;
      }
      if (decorator !== undefined) {
        this.definition(statement, decorator);
        decorator = undefined;
        return;
      }
      if (index === 0 && documented && isDocstring(statement, this.source)) {
        if (statements.length === 1) this.stop(statement.from);
      } else this.visit(statement);
    });
  }

  // Definitions.

  decorated(node: SyntaxNode, outer?: SyntaxNode): void {
    const children = childrenOf(node);
    const decorators = children.filter((child) => child.name === 'Decorator');
    const definition = children.find((child) => child.name !== 'Decorator');
    for (const decorator of decorators) this.decorator(decorator);
    if (definition !== undefined) this.definition(definition, outer ?? decorators[0] ?? node);
  }

  protected definition(node: SyntaxNode, decorator: SyntaxNode): void {
    if (node.name === 'ClassDefinition') this.class(node);
    else if (node.name === 'FunctionDefinition') this.function(node, decorator);
    else if (node.name === 'DecoratedStatement') this.decorated(node, decorator);
    else throw this.fail(node, 'expected a function or class after a decorator');
  }

  protected decorator(node: SyntaxNode): void {
    let first = true;
    for (const child of childrenOf(node)) {
      if (child.name === 'VariableName') {
        this.stop(child.from);
        if (first) this.block.reads.add(this.nameOf(child));
        first = false;
      } else this.visit(child);
    }
  }

  function(node: SyntaxNode, decorator?: SyntaxNode): void {
    if (node.getChild('TypeParamList') !== null) this.refuse(node);
    const name = node.getChild('VariableName');
    const body = node.getChild('Body');
    if (name === null || body === null) throw this.fail(node, 'invalid function definition');
    const firstLine = this.map.lineOf((decorator ?? node).from);
    this.stop(node.from);
    const parameters = this.parameters(node.getChild('ParamList'));
    for (const child of childrenOf(node)) if (child.name === 'TypeDef') this.visit(child);
    this.bind(name);
    const scope = this.scope(this.nameOf(name), node, firstLine, codeEnd(body));
    scope.isGenerator = node.firstChild?.name === 'async';
    scope.positional = positionalNames(node.getChild('ParamList')).map((parameter) => this.nameOf(parameter));
    this.bodies.push([scope, body]);
    this.inside(scope, parameters, () => this.body(body, true));
  }

  lambda(node: SyntaxNode): void {
    this.stop(node.from);
    const parameters = this.parameters(node.getChild('ParamList'));
    const scope = this.scope('<lambda>', node, this.map.lineOf(node.from), codeEnd(node));
    scope.positional = positionalNames(node.getChild('ParamList')).map((parameter) => this.nameOf(parameter));
    const children = childrenOf(node);
    const body = children.slice(children.findIndex((child) => child.name === ':') + 1);
    // The tracer gives all of a lambda its position; CPython takes the last line for attributes.
    scope.lines.add(scope.firstLine).add(scope.lastLine);
    const [only, ...others] = body;
    if (only !== undefined && others.length === 0 && scope.firstLine === scope.lastLine)
      this.bodies.push([scope, only]);
    this.inside(scope, parameters, () => this.each(body));
  }

  /** Defaults and annotations run in the scope around the function; the parameters' names are returned. */
  protected parameters(list: SyntaxNode | null): SyntaxNode[] {
    const { names, outside, wrong } = parametersOf(list);
    if (wrong !== undefined) throw this.fail(wrong.node, wrong.message);
    this.each(outside);
    const seen = new Set<string>();
    for (const node of names) {
      const name = this.nameOf(node);
      if (seen.has(name)) throw this.fail(node, `duplicate argument '${name}' in function definition`);
      seen.add(name);
    }
    return names;
  }

  protected inside(scope: RawScope, parameters: readonly SyntaxNode[], run: () => void): void {
    const block = new Block('function', this.block, scope);
    this.owned.push([block, scope]);
    this.within(block, () => {
      for (const parameter of parameters) {
        this.bind(parameter);
        block.parameters.add(this.nameOf(parameter));
      }
      this.under(`${scope.qualifiedName}.<locals>.`, run);
    });
  }

  class(node: SyntaxNode): void {
    const name = node.getChild('VariableName');
    const body = node.getChild('Body');
    if (name === null || body === null) throw this.fail(node, 'invalid class definition');
    if (node.getChild('TypeParamList') !== null) this.refuse(node);
    this.stop(node.from);
    const bases = node.getChild('ArgList');
    if (bases !== null) this.visit(bases);
    this.bind(name);
    const prefix = `${this.prefix}${this.nameOf(name)}.`;
    this.within(new Block('class', this.block, undefined), () =>
      this.under(prefix, () => this.body(body, true)),
    );
  }

  // Statements with a meaning of their own.

  for(node: SyntaxNode): void {
    const children = childrenOf(node);
    const [start, end] = [
      children.findIndex((c) => c.name === 'for'),
      children.findIndex((c) => c.name === 'in'),
    ];
    const body = node.getChild('Body');
    if (body !== null) {
      const lastLine = this.map.lineOf(Math.max(codeEnd(body) - 1, 0));
      this.block.scope?.loops.push({ line: this.map.lineOf(node.from), lastLine });
    }
    if (node.firstChild?.name === 'async') this.resume(node.from);
    this.stop(node.from);
    this.targets(children.slice(start + 1, end));
    this.loop(children.slice(end + 1));
  }

  while(node: SyntaxNode): void {
    this.stop(node.from);
    this.loop(childrenOf(node));
  }

  /** Visits the rest of a loop statement: only its first body may `break`. */
  protected loop(children: readonly SyntaxNode[]): void {
    let isFirst = true;
    for (const child of children) {
      const counts = child.name === 'Body' && isFirst;
      if (counts) this.block.loopDepth += 1;
      this.visit(child);
      if (counts) this.block.loopDepth -= 1;
      if (child.name === 'Body') isFirst = false;
    }
  }

  breakOut(node: SyntaxNode): void {
    if (this.block.loopDepth === 0)
      throw this.fail(node, `'${this.text(node).trim().split(/\s/)[0]}' outside loop`);
    this.stop(node.from);
  }

  if(node: SyntaxNode): void {
    for (const child of childrenOf(node)) if (child.name === 'elif') this.stop(child.from);
    this.generic(node);
  }

  with(node: SyntaxNode): void {
    if (node.firstChild?.name === 'async') this.resume(node.from);
    this.stop(node.from);
    let bound = false;
    for (const child of childrenOf(node)) {
      if (bound || this.input.stores.has(child.from)) this.target(child);
      else this.visit(child);
      bound = child.name === 'as';
    }
  }

  try(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    if (!children.some((child) => child.name === 'except' || child.name === 'finally')) {
      throw this.fail(node, "expected 'except' or 'finally' block");
    }
    const groups = children.map((child, index) =>
      child.name === 'except' ? children[index + 1]?.name === '*' : undefined,
    );
    if (groups.includes(true) && groups.includes(false)) {
      throw this.fail(node, "cannot have both 'except' and 'except*' on the same 'try'");
    }
    children.forEach((child, index) => {
      if (child.name === '*' && children[index + 1]?.name === 'Body')
        throw this.fail(child, 'expected one or more exception types');
      if (child.name === 'except') this.stop(child.from);
      if (child.name === ',') throw this.fail(child, 'multiple exception types must be parenthesized');
      if (children[index - 1]?.name === 'as') this.bind(child);
      else this.visit(child);
    });
  }

  raise(node: SyntaxNode): void {
    if (node.getChild(',') !== null) throw this.fail(node, 'invalid raise statement');
    this.generic(node);
  }

  return(node: SyntaxNode): void {
    this.needFunction(node, 'return');
    this.generic(node);
  }

  assign(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    const type = children.findIndex((child) => child.name === 'TypeDef');
    if (type > 1 || (type > 0 && /^(?:Array|Tuple)/.test(children[0]?.name ?? '')))
      throw this.fail(node, 'only a single target can be annotated');
    const last = children.findLastIndex((child) => child.name === 'AssignOp');
    const end = last < 0 ? children.length : last;
    this.targets(children.slice(0, end));
    this.each(children.slice(end));
  }

  update(node: SyntaxNode): void {
    this.stop(node.from);
    const [target, ...rest] = childrenOf(node);
    if (
      target === undefined ||
      rest[0]?.name !== 'UpdateOp' ||
      !['VariableName', 'MemberExpression', 'ParenthesizedExpression'].includes(target.name)
    ) {
      throw this.fail(node, 'this expression cannot be the target of an augmented assignment');
    }
    this.target(target);
    this.each(rest);
  }

  delete(node: SyntaxNode): void {
    const star = starIn(node);
    if (star !== undefined) throw this.fail(star, 'cannot delete starred');
    this.stop(node.from);
    this.targets(childrenOf(node).slice(1));
  }

  import(node: SyntaxNode): void {
    this.stop(node.from);
    const wrong = wrongImport(node);
    if (wrong !== undefined) throw this.fail(wrong, 'invalid import statement');
    const children = childrenOf(node);
    const isFrom = children[0]?.name === 'from';
    const start = children.findIndex((child) => child.name === 'import');
    children.slice(start + 1).forEach((child, index, list) => {
      if (child.name !== 'VariableName') return;
      const before = list[index - 1]?.name;
      const after = list[index + 1]?.name;
      const isBound =
        before === 'as' || (before !== '.' && (!isFrom || after !== 'as') && !this.isRenamed(list, index));
      if (isBound && this.block.kind === 'module') this.block.rebound.add(this.nameOf(child));
      else if (isBound) this.bind(child);
    });
  }

  /** Whether the dotted name that starts at `index` is followed by `as`. */
  protected isRenamed(list: readonly SyntaxNode[], index: number): boolean {
    let at = index + 1;
    while (list[at]?.name === '.') at += 2;
    return list[at]?.name === 'as';
  }

  scopeStatement(node: SyntaxNode): void {
    const isGlobal = node.firstChild?.name === 'global';
    if (!isGlobal && this.block.kind === 'module')
      throw this.fail(node, 'nonlocal declaration not allowed at module level');
    for (const name of node.getChildren('VariableName')) {
      (isGlobal ? this.block.globals : this.block.nonlocals).add(this.nameOf(name));
    }
  }
}

type Handler = (this: SyntaxVisitor, node: SyntaxNode) => void;
const visitor = SyntaxVisitor.prototype;
const handlers: Readonly<Record<string, Handler | undefined>> = {
  DecoratedStatement(node) {
    this.decorated(node);
  },
  FunctionDefinition(node) {
    this.function(node);
  },
  LambdaExpression: visitor.lambda,
  ClassDefinition: visitor.class,
  ComprehensionExpression: visitor.generator,
  ArrayComprehensionExpression: visitor.comprehension,
  SetComprehensionExpression: visitor.comprehension,
  DictionaryComprehensionExpression: visitor.comprehension,
  Body(node) {
    this.body(node);
  },
  ForStatement: visitor.for,
  WhileStatement: visitor.while,
  BreakStatement: visitor.breakOut,
  ContinueStatement: visitor.breakOut,
  IfStatement: visitor.if,
  WithStatement: visitor.with,
  MatchStatement: visitor.parenthesized,
  TryStatement: visitor.try,
  RaiseStatement: visitor.raise,
  ReturnStatement: visitor.return,
  AssignStatement: visitor.assign,
  UpdateStatement: visitor.update,
  DeleteStatement: visitor.delete,
  ImportStatement: visitor.import,
  ScopeStatement: visitor.scopeStatement,
  TypeDefinition: visitor.refuse,
  VariableName: visitor.name,
  NamedExpression: visitor.named,
  YieldExpression: visitor.yield,
  YieldStatement: visitor.yield,
  AwaitExpression: visitor.await,
  MemberExpression: visitor.member,
  ArgList: visitor.arguments,
  TupleExpression: visitor.display,
  ArrayExpression: visitor.display,
  SetExpression: visitor.display,
  ExpressionStatement: visitor.display,
  ParenthesizedExpression: visitor.parenthesized,
  ContinuedString: visitor.strings,
  CompareOp: visitor.compare,
  CapturePattern: visitor.capture,
  StarPattern: visitor.starPattern,
  AsPattern: visitor.asPattern,
  AttributePattern: visitor.attributePattern,
  KeywordPattern: visitor.keywordPattern,
};
