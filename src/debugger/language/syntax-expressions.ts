/** Expressions and patterns with a meaning of their own. */
import type { SyntaxNode } from '@lezer/common';
import { Block, type RawScope } from './scopes.js';
import { suspends } from './statement-code.js';
import { childrenOf, clausesOf, codeEnd, unwrapped } from './syntax-nodes.js';
import { SyntaxWalk } from './syntax-walk.js';

export abstract class ExpressionWalk extends SyntaxWalk {
  /** Generator expressions and what is written of them. */
  readonly generators: (readonly [RawScope, SyntaxNode])[] = [];

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
    // The tracer gives all of a generator expression the position of its element, also where it is made.
    const inner = unwrapped(element);
    const ends = [inner.from, codeEnd(inner) - 1];
    for (const end of ends) this.stop(end);
    this.visit(first.iterable);
    const scope = this.scope('<genexpr>', node, line, node.to);
    scope.isGenerator = true;
    this.generators.push([scope, node]);
    scope.callLines.add(this.map.lineOf(inner.from));
    for (const end of [node.from, ...ends]) scope.lines.add(this.map.lineOf(end));
    const [begin, last] = ends.map((end) => this.map.lineOf(end));
    if (begin === last && !clauses.some(({ isAsync }) => isAsync) && !suspends(node))
      scope.clauses = clauses.length;
    if (clauses.length === 1 && !first.isAsync && this.map.lineOf(codeEnd(node) - 1) === line)
      scope.loops.push({ line, lastLine: line });
    const block = new Block('generator', this.block, scope);
    this.owned.push([block, scope]);
    this.within(block, () =>
      this.under(`${scope.qualifiedName}.<locals>.`, () => {
        this.clauses(clauses);
        this.visit(element);
      }),
    );
  }

  comprehension(node: SyntaxNode): void {
    const { elements, clauses, wrong } = clausesOf(node);
    const first = clauses[0];
    if (wrong !== undefined || first === undefined) throw this.fail(wrong ?? node, 'invalid comprehension');
    this.stop(node.from);
    // The tracer gives all of it one position, of which CPython takes the last line for attributes.
    this.stop(node.to - 1);
    this.visit(first.iterable);
    this.within(new Block('comprehension', this.block, this.block.scope), () => {
      this.clauses(clauses);
      this.each(elements);
    });
  }

  protected clauses(clauses: ReturnType<typeof clausesOf>['clauses']): void {
    clauses.forEach((clause, index) => {
      if (clause.isAsync && clause.targets[0] !== undefined) this.resume(clause.targets[0].from);
      if (index > 0) this.visit(clause.iterable);
      this.targets(clause.targets);
      this.each(clause.conditions);
    });
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
        if ((keyword || mapping) && isWalrus)
          throw this.fail(child, 'positional argument follows keyword argument');
        if (value !== undefined && isWalrus) this.walrus(child, value);
        else if (value !== undefined) this.keyword(child, value);
        keyword ||= !isWalrus;
        index += 2;
      } else {
        const positional =
          !['(', ')', ',', '*', '**'].includes(child.name) && !/^\*+$/.test(children[index - 1]?.name ?? '');
        if ((keyword || mapping) && positional)
          throw this.fail(child, 'positional argument follows keyword argument');
        this.visit(child);
      }
    }
  }

  protected keyword(name: SyntaxNode, value: SyntaxNode): void {
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

  /** Brackets that make no tuple, and a subject: nothing in them may be starred. */
  parenthesized(node: SyntaxNode): void {
    const star = node.getChild('*');
    if (star !== null) throw this.fail(star, 'cannot use starred expression here');
    this.generic(node);
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
    else if (name !== '_') this.block.bind(name);
  }

  /** `*x` and `*_`; the grammar allows any pattern. */
  starPattern(node: SyntaxNode): void {
    const pattern = childrenOf(node).at(-1);
    if (pattern?.name !== 'CapturePattern' || this.input.reads.has(pattern.from))
      throw this.fail(node, 'only a name can be starred in a pattern');
    this.generic(node);
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

  /** `x=pattern`: the name is an attribute's; the tree has no node for the `=`. */
  keywordPattern(node: SyntaxNode): void {
    this.each(childrenOf(node).slice(1));
  }
}
