/** One walk over a Lezer tree: binds names, marks lines, collects loops and scopes. Mirrors python/foretrace/language/scopes.py. */
import type { SyntaxNode } from '@lezer/common';
import type { LezerInput } from './lezer-input.js';
import { type Analysis, Block, type RawScope, resolveNames } from './scopes.js';
import { keywords } from './source-checks.js';
import { problem, type SourceMap } from './source-error.js';
import {
  childrenOf,
  clausesOf,
  codeEnd,
  isDocstring,
  parametersOf,
  statementsOf,
  unwrapped,
} from './syntax-nodes.js';

/** Nodes that have a line of their own in CPython's syntax tree. */
const stopping = new Set(
  (
    'VariableName Number String FormatString ContinuedString Boolean None Ellipsis ... BinaryExpression UnaryExpression ' +
    'ConditionalExpression CallExpression MemberExpression TupleExpression ArrayExpression DictionaryExpression SetExpression ' +
    'AwaitExpression YieldExpression ExpressionStatement AssignStatement UpdateStatement DeleteStatement PassStatement ' +
    'BreakStatement ContinueStatement ReturnStatement YieldStatement RaiseStatement ImportStatement AssertStatement IfStatement ' +
    'WhileStatement ForStatement TryStatement WithStatement MatchStatement CapturePattern LiteralPattern AsPattern OrPattern ' +
    'AttributePattern SequencePattern MappingPattern StarPattern ClassPattern'
  ).split(' '),
);

export class SyntaxVisitor {
  private block = new Block('module', undefined, undefined);
  private readonly owned: [Block, RawScope][] = [];

  constructor(
    private readonly source: string,
    private readonly map: SourceMap,
    private readonly input: LezerInput,
  ) {}

  /** The scopes of a whole file. */
  module(top: SyntaxNode): Analysis {
    const module = this.block;
    this.body(top, true);
    return resolveNames(module, this.owned);
  }

  // Small helpers.

  private text = (node: SyntaxNode): string => this.source.slice(node.from, node.to);
  private fail = (node: SyntaxNode, message: string): Error => problem(message, this.map.position(node.from));

  private nameOf(node: SyntaxNode): string {
    const name = this.text(node).normalize('NFKC');
    if (keywords.has(name)) throw this.fail(node, `${JSON.stringify(name)} is a keyword`);
    return name;
  }

  private stop(offset: number): void {
    this.block.scope?.lines.add(this.map.lineOf(offset));
  }

  private bind(node: SyntaxNode): void {
    this.block.bound.add(this.nameOf(node));
  }

  private within(block: Block, run: () => void): void {
    const outer = this.block;
    this.block = block;
    run();
    this.block = outer;
  }

  /** A frame may leave here and come back: the scope is a generator. */
  private resume(offset: number): void {
    const { scope } = this.block;
    if (scope === undefined) return;
    scope.isGenerator = true;
    scope.callLines.add(this.map.lineOf(offset));
  }

  private needFunction(node: SyntaxNode, what: string): void {
    if (this.block.kind !== 'function') throw this.fail(node, `'${what}' outside function`);
  }

  // The walk.

  private each(nodes: Iterable<SyntaxNode>): void {
    for (const node of nodes) this.visit(node);
  }

  private generic(node: SyntaxNode): void {
    if (stopping.has(node.name)) this.stop(node.from);
    this.each(childrenOf(node));
  }

  private visit(node: SyntaxNode): void {
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

  refuse(node: SyntaxNode): void {
    throw this.fail(node, 'this syntax is not part of the supported Python (3.11)');
  }

  // Definitions.

  decorated(node: SyntaxNode, outer?: SyntaxNode): void {
    const children = childrenOf(node);
    const decorators = children.filter((child) => child.name === 'Decorator');
    const definition = children.find((child) => child.name !== 'Decorator');
    for (const decorator of decorators) this.decorator(decorator);
    if (definition !== undefined) this.definition(definition, outer ?? decorators[0] ?? node);
  }

  private definition(node: SyntaxNode, decorator: SyntaxNode): void {
    if (node.name === 'ClassDefinition') this.class(node);
    else if (node.name === 'FunctionDefinition') this.function(node, decorator);
    else if (node.name === 'DecoratedStatement') this.decorated(node, decorator);
    else throw this.fail(node, 'expected a function or class after a decorator');
  }

  private decorator(node: SyntaxNode): void {
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
    this.inside(scope, parameters, () => this.body(body, true));
  }

  lambda(node: SyntaxNode): void {
    this.stop(node.from);
    const parameters = this.parameters(node.getChild('ParamList'));
    const scope = this.scope('<lambda>', node, this.map.lineOf(node.from), codeEnd(node));
    const children = childrenOf(node);
    const body = children.slice(children.findIndex((child) => child.name === ':') + 1);
    this.inside(scope, parameters, () => this.each(body));
  }

  /** Defaults and annotations run in the scope around the function; the parameters' names are returned. */
  private parameters(list: SyntaxNode | null): SyntaxNode[] {
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

  private scope(name: string, node: SyntaxNode, firstLine: number, end: number): RawScope {
    return {
      name,
      order: [firstLine, node.from - this.source.lastIndexOf('\n', node.from - 1)],
      firstLine,
      lastLine: this.map.lineOf(Math.max(end - 1, 0)),
      parent: this.block.scope,
      isGenerator: false,
      names: new Set(),
      lines: new Set(),
      callLines: new Set([firstLine]),
      loops: [],
    };
  }

  private inside(scope: RawScope, parameters: readonly SyntaxNode[], run: () => void): void {
    const block = new Block('function', this.block, scope);
    this.owned.push([block, scope]);
    this.within(block, () => {
      for (const parameter of parameters) this.bind(parameter);
      run();
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
    this.within(new Block('class', this.block, undefined), () => this.body(body, true));
  }

  // Comprehensions.

  generator(node: SyntaxNode): void {
    const { elements, clauses, wrong } = clausesOf(node);
    const element = elements[0];
    const first = clauses[0];
    if (wrong !== undefined || element === undefined || first === undefined || elements.length > 1) {
      throw this.fail(wrong ?? node, 'a generator expression with other arguments must be parenthesized');
    }
    const line = this.map.lineOf(node.from);
    this.stop(node.from);
    this.visit(first.iterable);
    const scope = this.scope('<genexpr>', node, line, node.to);
    scope.isGenerator = true;
    scope.callLines.add(this.map.lineOf(unwrapped(element).from));
    scope.lines.add(line);
    const block = new Block('generator', this.block, scope);
    this.owned.push([block, scope]);
    this.within(block, () => {
      this.clauses(clauses);
      this.visit(element);
    });
  }

  comprehension(node: SyntaxNode): void {
    const { elements, clauses, wrong } = clausesOf(node);
    const first = clauses[0];
    if (wrong !== undefined || first === undefined) throw this.fail(wrong ?? node, 'invalid comprehension');
    this.stop(node.from);
    this.visit(first.iterable);
    this.within(new Block('comprehension', this.block, this.block.scope), () => {
      this.clauses(clauses);
      this.each(elements);
    });
  }

  private clauses(clauses: ReturnType<typeof clausesOf>['clauses']): void {
    clauses.forEach((clause, index) => {
      if (clause.isAsync && clause.targets[0] !== undefined) this.resume(clause.targets[0].from);
      if (index > 0) this.visit(clause.iterable);
      this.targets(clause.targets);
      this.each(clause.conditions);
    });
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
  private loop(children: readonly SyntaxNode[]): void {
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
      !['VariableName', 'MemberExpression', 'ParenthesizedExpression'].includes(target.name)
    ) {
      throw this.fail(node, 'this expression cannot be the target of an augmented assignment');
    }
    this.target(target);
    this.each(rest);
  }

  delete(node: SyntaxNode): void {
    this.stop(node.from);
    this.targets(childrenOf(node).slice(1));
  }

  private targets(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) this.target(node);
  }

  private target(node: SyntaxNode): void {
    if (node.name === 'VariableName') {
      this.stop(node.from);
      this.bind(node);
    } else if (node.name === 'TupleExpression' || node.name === 'ArrayExpression') {
      this.stop(node.from);
      this.targets(childrenOf(node));
    } else if (node.name === 'ParenthesizedExpression') this.targets(childrenOf(node));
    else if (node.name === '*') this.stop(node.from);
    else if (node.name === 'MemberExpression' || node.name === 'TypeDef') this.visit(node);
    else if (!['(', ')', '[', ']', ',', 'AssignOp', 'del'].includes(node.name)) {
      throw this.fail(node, `cannot assign to ${JSON.stringify(this.text(node).slice(0, 40))}`);
    }
  }

  import(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    const isFrom = children[0]?.name === 'from';
    const start = children.findIndex((child) => child.name === 'import');
    children.slice(start + 1).forEach((child, index, list) => {
      if (child.name !== 'VariableName' || this.block.kind === 'module') return;
      const before = list[index - 1]?.name;
      const after = list[index + 1]?.name;
      if (before === 'as' || (before !== '.' && (!isFrom || after !== 'as') && !this.isRenamed(list, index)))
        this.bind(child);
    });
  }

  /** Whether the dotted name that starts at `index` is followed by `as`. */
  private isRenamed(list: readonly SyntaxNode[], index: number): boolean {
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

  // Expressions with a meaning of their own.

  name(node: SyntaxNode): void {
    this.stop(node.from);
    this.block.reads.add(this.nameOf(node));
  }

  /** Inside comprehensions and generator expressions `:=` binds in the block around them all. */
  private walrus(target: SyntaxNode, value: SyntaxNode): void {
    if (target.name !== 'VariableName') throw this.fail(target, "cannot use ':=' with this target");
    const name = this.nameOf(target);
    this.stop(target.from);
    this.visit(value);
    let block = this.block;
    while ((block.kind === 'comprehension' || block.kind === 'generator') && block.parent !== undefined) {
      block.nonlocals.add(name);
      block = block.parent;
    }
    block.bound.add(name);
  }

  named(node: SyntaxNode): void {
    const [target, , value] = childrenOf(node);
    if (target === undefined || value === undefined) throw this.fail(node, "invalid ':='");
    this.walrus(target, value);
  }

  yield(node: SyntaxNode): void {
    this.needFunction(node, 'yield');
    this.resume(node.from);
    this.generic(node);
  }

  await(node: SyntaxNode): void {
    if (this.block.kind === 'module' || this.block.kind === 'class')
      throw this.fail(node, "'await' outside function");
    this.resume(node.from);
    this.generic(node);
  }

  /** CPython gives a method call the line of the method's name. */
  member(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    children.forEach((child, index) => {
      if (child.name === 'PropertyName') {
        this.nameOf(child);
        this.stop(child.from);
      } else if (child.name === ':' && /^[[,]$/.test(children[index - 1]?.name ?? '')) this.stop(child.from);
      else this.visit(child);
    });
  }

  arguments(node: SyntaxNode): void {
    const children = childrenOf(node);
    if (children.some((child) => child.name === 'for')) {
      this.generator(node);
      return;
    }
    let keyword = false;
    let mapping = false;
    for (let index = 0; index < children.length; index += 1) {
      const child = children[index] as SyntaxNode;
      const operator = children[index + 1];
      if (child.name === '*' || child.name === '**') this.stop(child.from);
      if (mapping && child.name === '*')
        throw this.fail(child, 'iterable argument unpacking follows keyword argument unpacking');
      mapping ||= child.name === '**';
      if (operator?.name === 'AssignOp') {
        const value = children[index + 2];
        const isWalrus = this.text(operator) === ':=';
        if (keyword && isWalrus) throw this.fail(child, 'positional argument follows keyword argument');
        if (value !== undefined && isWalrus) this.walrus(child, value);
        else if (value !== undefined) this.keyword(child, value);
        keyword ||= !isWalrus;
        index += 2;
      } else {
        const positional =
          !['(', ')', ',', '*', '**'].includes(child.name) && !/^\*+$/.test(children[index - 1]?.name ?? '');
        if (keyword && positional) throw this.fail(child, 'positional argument follows keyword argument');
        this.visit(child);
      }
    }
  }

  private keyword(name: SyntaxNode, value: SyntaxNode): void {
    this.nameOf(name);
    this.stop(name.from);
    this.visit(value);
  }

  /** Elements may be starred; `*` has a line of its own. */
  display(node: SyntaxNode): void {
    this.stop(node.from);
    for (const child of childrenOf(node)) {
      if (child.name === '*') this.stop(child.from);
      this.visit(child);
    }
  }

  /** Adjacent strings are one expression, at the first of them. */
  strings(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    const isBytes = (child: SyntaxNode): boolean =>
      /^[a-z]*b/i.test(this.source.slice(child.from, child.from + 2).replace(/['"].*/s, ''));
    if (new Set(children.map(isBytes)).size > 1)
      throw this.fail(node, 'cannot mix bytes and nonbytes literals');
    for (const child of children) this.each(child.getChildren('FormatReplacement'));
  }

  compare(node: SyntaxNode): void {
    if (this.text(node) === '<>') throw this.fail(node, "invalid syntax near '<>'");
  }

  // Patterns.

  capture(node: SyntaxNode): void {
    this.stop(node.from);
    const name = this.text(node).normalize('NFKC');
    if (this.input.reads.has(node.from)) this.block.reads.add(name);
    else if (name !== '_') this.block.bound.add(name);
  }

  asPattern(node: SyntaxNode): void {
    this.stop(node.from);
    const children = childrenOf(node);
    children.forEach((child, index) => {
      if (children[index - 1]?.name === 'as') this.bind(child);
      else this.visit(child);
    });
  }

  attributePattern(node: SyntaxNode): void {
    this.stop(node.from);
    for (const child of childrenOf(node)) {
      if (child.name === 'VariableName') this.name(child);
      else this.stop(child.from);
    }
  }

  keywordPattern(node: SyntaxNode): void {
    this.each(childrenOf(node).slice(2));
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
  TryStatement: visitor.try,
  RaiseStatement: visitor.raise,
  ReturnStatement: visitor.return,
  AssignStatement: visitor.assign,
  UpdateStatement: visitor.update,
  DeleteStatement: visitor.delete,
  ImportStatement: visitor.import,
  ScopeStatement: visitor.scopeStatement,
  PrintStatement: visitor.refuse,
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
  ContinuedString: visitor.strings,
  CompareOp: visitor.compare,
  CapturePattern: visitor.capture,
  AsPattern: visitor.asPattern,
  AttributePattern: visitor.attributePattern,
  KeywordPattern: visitor.keywordPattern,
};
