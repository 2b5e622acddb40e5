/** What a walk over a Lezer tree for Python does everywhere: binds and reads names, marks lines. Mirrors python/foretrace/language/scopes.py. */
import type { SyntaxNode } from '@lezer/common';
import type { LezerInput } from './lezer-input.js';
import { Block, type RawScope } from './scopes.js';
import { keywords } from './source-checks.js';
import { problem, type SourceMap } from './source-error.js';
import { childrenOf } from './syntax-nodes.js';

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

export abstract class SyntaxWalk {
  protected block = new Block('module', undefined, undefined);
  protected readonly owned: [Block, RawScope][] = [];
  /** What qualified names begin with here. */
  protected prefix = '';

  constructor(
    protected readonly source: string,
    protected readonly map: SourceMap,
    protected readonly input: LezerInput,
  ) {}

  // Small helpers.

  protected text = (node: SyntaxNode): string => this.source.slice(node.from, node.to);
  protected fail = (node: SyntaxNode, message: string): Error =>
    problem(message, this.map.position(node.from));

  protected nameOf(node: SyntaxNode): string {
    const name = this.text(node).normalize('NFKC');
    if (keywords.has(name)) throw this.fail(node, `${JSON.stringify(name)} is a keyword`);
    return name;
  }

  /** Runs `run` where the names of functions and classes begin with this. */
  protected under(prefix: string, run: () => void): void {
    const outer = this.prefix;
    this.prefix = prefix;
    run();
    this.prefix = outer;
  }

  protected stop(offset: number): void {
    this.block.scope?.lines.add(this.map.lineOf(offset));
  }

  protected bind(node: SyntaxNode): void {
    this.block.bind(this.nameOf(node));
  }

  protected within(block: Block, run: () => void): void {
    const outer = this.block;
    this.block = block;
    run();
    this.block = outer;
  }

  /** A frame may leave here and come back: the scope is a generator. */
  protected resume(offset: number): void {
    const { scope } = this.block;
    if (scope === undefined) return;
    scope.isGenerator = true;
    scope.callLines.add(this.map.lineOf(offset));
  }

  protected needFunction(node: SyntaxNode, what: string): void {
    if (this.block.kind !== 'function') throw this.fail(node, `'${what}' outside function`);
  }

  // The walk.

  protected each(nodes: Iterable<SyntaxNode>): void {
    for (const node of nodes) this.visit(node);
  }

  protected generic(node: SyntaxNode): void {
    if (stopping.has(node.name)) this.stop(node.from);
    this.each(childrenOf(node));
  }

  /** Visits a node by the rule for its kind. */
  protected abstract visit(node: SyntaxNode): void;

  refuse(node: SyntaxNode): void {
    throw this.fail(node, 'this syntax is not part of the supported Python (3.11)');
  }

  protected scope(name: string, node: SyntaxNode, firstLine: number, end: number): RawScope {
    const isGlobal = this.block.globals.has(name);
    return {
      name,
      qualifiedName: isGlobal ? name : `${this.prefix}${name}`,
      order: [firstLine, node.from - this.source.lastIndexOf('\n', node.from - 1)],
      firstLine,
      lastLine: this.map.lineOf(Math.max(end - 1, 0)),
      parent: this.block.scope,
      isGenerator: false,
      isPlain: false,
      isNamed: false,
      names: new Set(),
      namesAtCall: new Set(),
      parameters: new Set(),
      keptParameters: new Set(),
      positional: [],
      lines: new Set(),
      callLines: new Set([firstLine]),
      loops: [],
      flow: undefined,
      clauses: 0,
      called: undefined,
      named: new Set(),
    };
  }

  protected targets(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) this.target(node);
  }

  protected target(node: SyntaxNode): void {
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

  name(node: SyntaxNode): void {
    this.stop(node.from);
    if (this.input.binds.has(node.from)) this.block.bind(this.nameOf(node));
    else this.block.reads.add(this.nameOf(node));
  }

  /** Inside comprehensions and generator expressions `:=` binds in the block around them all. */
  protected walrus(target: SyntaxNode, value: SyntaxNode): void {
    if (target.name !== 'VariableName') throw this.fail(target, "cannot use ':=' with this target");
    const name = this.nameOf(target);
    this.stop(target.from);
    this.visit(value);
    let block = this.block;
    while ((block.kind === 'comprehension' || block.kind === 'generator') && block.parent !== undefined) {
      block.nonlocals.add(name);
      block = block.parent;
    }
    block.bind(name);
  }
}
