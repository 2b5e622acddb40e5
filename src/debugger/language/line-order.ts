/**
 * In which order CPython 3.10 to 3.13 pass the lines of a statement that stands on several: the line of each instruction, as its compiler orders
 * them. A superset where versions differ (checked on runs of 3.11); nothing is said of what is not known here.
 */
import type { SyntaxNode } from '@lezer/common';
import { inOrder } from './evaluation-order.js';
import { compared, isChain, isConstant, isFolded, punctuation } from './expression-nodes.js';
import {
  anyOrder,
  at,
  attempt,
  type Branches,
  behindTest,
  either,
  joinedTests,
  jumping,
  type LineOrder,
  making,
  maybe,
  nothing,
  type Order,
  ofTest,
  sequence,
  Unknown,
  undecided,
} from './line-places.js';
import { type Logic, logicOf, type Span } from './logic.js';
import type { SourceMap } from './source-error.js';
import { callsMadeBy } from './syntax-calls.js';
import { childrenOf, unwrapped } from './syntax-nodes.js';

/** What is known of what decides how a statement goes on. */
export type Truth = (test: Span) => boolean | undefined;

/** The order of the lines of a simple statement; undefined where it is not known. truth: as CPython 3.11 passes them, as far as this tells its way. */
export const statementOrder = (node: SyntaxNode, map: SourceMap, truth?: Truth): LineOrder | undefined =>
  attempt(() => undecided(new OrderWalk(map, truth).statement(node)));

/** The same of a condition whose statement begins on `line`. */
export const conditionOrder = (
  test: SyntaxNode,
  line: number,
  map: SourceMap,
  truth?: Truth,
): LineOrder | undefined => attempt(() => new OrderWalk(map, truth).condition(test, line));

/** Whether CPython 3.11 may stop twice on a line: behind the first branch of `a or b if c else d` it jumps back. */
export function jumpsBack(node: SyntaxNode): boolean {
  const chosen = node.name === 'ConditionalExpression' ? childrenOf(node)[0] : undefined;
  const joins = (child: SyntaxNode): boolean => child.name === 'and' || child.name === 'or';
  return (
    (chosen !== undefined && childrenOf(unwrapped(chosen)).some(joins)) || childrenOf(node).some(jumpsBack)
  );
}

/** Fewest constants of a list or set that are put into it at once. */
const fewestAtOnce = 3;
/** Most items of a display that are computed before it is built. */
const mostItems = 30;
/** Most entries of a dict. */
const mostEntries = 15;
/** Most arguments of a call. */
const mostArguments = 15;

/** These nodes, on these lines in any order. */
const ofLines = (lines: readonly number[], nodes: readonly SyntaxNode[]): Order =>
  making(anyOrder(lines), nodes.some((node) => callsMadeBy(node).length > 0) ? null : []);

class OrderWalk {
  /** Line of the latest comparison in a condition: CPython 3.11 gives it to the jumps behind operands that are none. */
  private comparison: number | undefined;

  constructor(
    private readonly map: SourceMap,
    private readonly truth: Truth | undefined,
  ) {}

  private line(node: Span): number {
    return this.map.lineOf(node.from);
  }

  private isOneLine(node: Span): boolean {
    return this.line(node) === this.map.lineOf(Math.max(node.from, node.to - 1));
  }

  statement(node: SyntaxNode): Order {
    const line = this.line(node);
    const children = childrenOf(node);
    const parts = children.filter(({ name }) => name !== ';');
    if (node.name === 'ExpressionStatement') return sequence(this.several(parts), maybe(at(line)));
    if (node.name === 'ReturnStatement' && parts.length > 1)
      return sequence(this.several(parts.slice(1)), at(line));
    if (node.name === 'AssignStatement') return this.assignment(parts, line);
    if (node.name === 'AssertStatement') return this.asserted(parts.slice(1), line);
    if (node.name === 'RaiseStatement' && parts.length === 2)
      return sequence(this.expression(parts[1] as SyntaxNode), at(line));
    const [target, operator, ...value] = parts;
    if (node.name !== 'UpdateStatement' || target === undefined || operator?.name !== 'UpdateOp')
      throw new Unknown();
    const stored = at(this.line(target), line);
    return sequence(this.expression(target), this.several(value), at(line), stored);
  }

  /** A condition, and what is raised where it does not hold. */
  private asserted([test, , message]: readonly SyntaxNode[], line: number): Order {
    if (test === undefined) throw new Unknown();
    const told = message === undefined ? nothing : this.expression(message);
    const condition = this.condition(test, line);
    // CPython 3.11 gives what raises the line of the latest comparison, too.
    const lines = this.truth ? [this.comparison ?? line] : [line, this.comparison ?? line];
    const raised = sequence(at(...lines), told, at(...lines));
    // What is raised leads to no other line of the frame.
    return { ...behindTest(condition, false, raised), last: condition.holds };
  }

  private assignment(parts: readonly SyntaxNode[], line: number): Order {
    const sides: SyntaxNode[][] = [[]];
    for (const part of parts) {
      if (part.name === 'AssignOp') sides.push([]);
      // No function evaluates the annotations of its variables.
      else if (part.name !== 'TypeDef') sides.at(-1)?.push(part);
    }
    const value = sides.pop() ?? [];
    const targets = sides.map((side) => this.targets(side, line));
    return sequence(this.several(value), ...targets.flatMap((target) => [maybe(at(line)), target]));
  }

  /** Assigning to these, with commas between them or not. Values may be put into them in another order than they are written. */
  private targets(side: readonly SyntaxNode[], line: number): Order {
    const nodes = side.filter(({ name }) => !punctuation.has(name));
    const [only] = nodes;
    if (only === undefined || nodes.some(({ name }) => name === '*')) throw new Unknown();
    if (nodes.length > 1) return this.unpacked(nodes, [line, this.line(only)]);
    if (only.name === 'ParenthesizedExpression') return this.targets(childrenOf(only), line);
    if (only.name === 'TupleExpression' || only.name === 'ArrayExpression')
      return this.unpacked(this.items(only), [line, this.line(only)]);
    if (only.name === 'VariableName') return at(this.line(only));
    if (only.name === 'MemberExpression') return this.member(only);
    throw new Unknown();
  }

  private unpacked(nodes: readonly SyntaxNode[], lines: readonly number[]): Order {
    if (!nodes.every((node) => this.isOneLine(node))) throw new Unknown();
    return ofLines([...lines, ...nodes.map((node) => this.line(node))], nodes);
  }

  /** Expressions with commas between them make a tuple. */
  private several(nodes: readonly SyntaxNode[]): Order {
    const items = nodes.filter(({ name }) => name !== ',');
    const [only] = items;
    if (only === undefined || items.some(({ name }) => name === '*')) throw new Unknown();
    if (nodes.length === 1) return this.expression(only);
    return this.built(items, this.line(only));
  }

  /** A condition: it jumps behind each operand, which instruction is on the line of the operand or of the statement. */
  condition(node: SyntaxNode, line: number): Branches {
    return node.name === 'ParenthesizedExpression'
      ? this.condition(this.inner(node), line)
      : this.branching(logicOf(node), line);
  }

  private branching(logic: Logic, line: number): Branches {
    if (logic.kind === 'leaf') return this.operand(logic.node, line);
    if (logic.kind !== 'not')
      return joinedTests(
        this.branching(logic.left, line),
        this.branching(logic.right, line),
        logic.kind === 'and',
      );
    const denied = this.branching(logic.operand, line);
    const found = { ...denied, holds: denied.fails, fails: denied.holds };
    return this.truth ? found : jumping(found, this.line(logic), line);
  }

  /** An operand of a condition, with the jump behind it. */
  private operand(node: SyntaxNode, line: number): Branches {
    if (node.name === 'ParenthesizedExpression') return this.condition(node, line);
    if (isFolded(node)) return undecided(maybe(at(this.line(node))));
    if (compared(node).length > 1) this.comparison = this.line(node);
    const [computed, jump] = [this.expression(node), this.comparison ?? line];
    if (!this.truth) return ofTest(jumping(undecided(computed), this.line(node), line, jump), node);
    const found = ofTest(undecided(sequence(computed, at(jump))), node);
    const known = this.truth(node);
    if (known === undefined) return found;
    return known ? { ...found, fails: nothing.last } : { ...found, holds: nothing.last };
  }

  private inner(node: SyntaxNode): SyntaxNode {
    const inside = childrenOf(node).filter(({ name }) => name !== '(' && name !== ')');
    const [only] = inside;
    if (only === undefined || inside.length > 1) throw new Unknown();
    return only;
  }

  private expression(node: SyntaxNode): Order {
    const line = this.line(node);
    if (this.isOneLine(node) || node.name === 'String') return making(at(line), callsMadeBy(node));
    const children = childrenOf(node);
    const computed = this.computed(node, children, line);
    return isFolded(node) ? either(computed, at(line)) : computed;
  }

  /** An expression on several lines. */
  private computed(node: SyntaxNode, children: readonly SyntaxNode[], line: number): Order {
    switch (node.name) {
      case 'ParenthesizedExpression':
        return this.expression(this.inner(node));
      case 'ContinuedString':
        if (children.some(({ name }) => name !== 'String')) throw new Unknown();
        return at(line);
      case 'UnaryExpression':
      case 'BinaryExpression':
        return this.operation(node, children, line);
      case 'ConditionalExpression':
        return this.chosen(children, line);
      case 'CallExpression':
        return this.call(node);
      case 'MemberExpression':
        return this.member(node);
      case 'TupleExpression':
        return this.built(this.items(node), line);
      case 'ArrayExpression':
      case 'SetExpression':
        return this.built(this.items(node), line, fewestAtOnce);
      case 'DictionaryExpression':
        return this.mapping(node, line);
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'LambdaExpression':
        return this.collapsed(node, node);
      case 'ComprehensionExpression':
        return this.collapsed(node, children[1]);
      default:
        throw new Unknown();
    }
  }

  private operation(node: SyntaxNode, children: readonly SyntaxNode[], line: number): Order {
    const logic = logicOf(node);
    if (logic.kind !== 'leaf') return this.logical(logic);
    if (node.name === 'UnaryExpression')
      return sequence(this.expression(children.at(-1) as SyntaxNode), maybe(at(line)));
    return isChain(node) ? this.chain(node, line) : this.binary(children, line);
  }

  /** The value of one operand, as far as operands are evaluated. */
  private logical(logic: Logic): Order {
    if (logic.kind === 'leaf') return this.expression(logic.node);
    const line = this.line(logic);
    if (logic.kind === 'not') return sequence(this.logical(logic.operand), maybe(at(line)));
    // CPython jumps from one jump to where another one leads.
    const jump = this.truth && logic.left.kind === 'leaf' ? at(line) : maybe(at(line));
    const test = ofTest(sequence(this.logical(logic.left), jump), logic.left);
    const known = this.truthOf(logic.left);
    if (known === (logic.kind === 'or')) return sequence(test, maybe(at(line)));
    const right = this.logical(logic.right);
    return sequence(test, known === undefined ? maybe(right) : right, maybe(at(line)));
  }

  /** What is known of it, or follows from what is known of its operands. */
  private truthOf(logic: Logic): boolean | undefined {
    const known = this.truth?.(logic);
    if (known !== undefined || logic.kind === 'leaf') return known;
    if (logic.kind === 'not') {
      const denied = this.truthOf(logic.operand);
      return denied === undefined ? undefined : !denied;
    }
    const decides = logic.kind === 'or';
    const both = [this.truthOf(logic.left), this.truthOf(logic.right)];
    if (both.includes(decides)) return decides;
    return both.includes(undefined) ? undefined : !decides;
  }

  private binary(children: readonly SyntaxNode[], line: number): Order {
    const [left, operator] = children;
    const right = children.at(-1);
    if (left === undefined || operator === undefined || right === undefined) throw new Unknown();
    // `'%s' % (x,)` becomes an f-string.
    if (left.name.endsWith('String') && right.name === 'TupleExpression') throw new Unknown();
    return sequence(this.expression(left), this.expression(right), at(line));
  }

  /** `a < b < c`: compared as far as it holds. */
  private chain(node: SyntaxNode, line: number): Order {
    const [first, second, ...others] = compared(node).map((operand) => this.expression(operand)) as [
      Order,
      Order,
      ...Order[],
    ];
    const further = others.map((operand) => maybe(sequence(operand, at(line))));
    return sequence(first, second, at(line), ...further, maybe(at(line)));
  }

  /**
   * A comprehension, lambda or generator expression: the tracer has all of it where it begins (of the latter: where its element does), but for those inside
   * it that have frames of their own. What reads an attribute is on the last line of that.
   */
  private collapsed(node: SyntaxNode, place: SyntaxNode | undefined): Order {
    const contains = (inner: SyntaxNode, is: (found: SyntaxNode) => boolean): boolean =>
      childrenOf(inner).some((child) => is(child) || contains(child, is));
    const hasFrame = (inner: SyntaxNode): boolean =>
      inner.name === 'LambdaExpression' || inner.getChild('for') !== null;
    if (place === undefined || contains(node, hasFrame)) throw new Unknown();
    const { from, to } = unwrapped(place);
    const line = this.map.lineOf(from);
    const calls = callsMadeBy(node);
    if (!contains(node, ({ name }) => name === 'PropertyName')) return making(at(line), calls);
    const last = this.map.lineOf(to - 1);
    return last === line ? making(at(line), calls) : ofLines([line, last], [node]);
  }

  private chosen([chosen, , test, , other]: readonly SyntaxNode[], line: number): Order {
    if (chosen === undefined || test === undefined || other === undefined) throw new Unknown();
    const condition = this.condition(test, line);
    const jump = this.truth ? nothing : maybe(at(line));
    const ways = [
      behindTest(condition, true, sequence(jump, this.expression(chosen))),
      behindTest(condition, false, sequence(jump, this.expression(other))),
    ] as const;
    return sequence(either(...ways), maybe(at(line)));
  }

  private call(node: SyntaxNode): Order {
    const [callee, list] = childrenOf(node);
    if (callee === undefined || list?.name !== 'ArgList') throw new Unknown();
    const inside = inOrder(list).filter(({ name }) => !punctuation.has(name));
    const isKeyword = (index: number): boolean => inside[index]?.name === 'AssignOp';
    const isGenerator = inside.some(({ name }) => name === 'for');
    const isPlain = inside.every(({ name }) => !['*', '**', 'async'].includes(name));
    const values = inside.filter((_, index) => !isKeyword(index) && !isKeyword(index + 1));
    if (!isPlain || values.length > mostArguments) throw new Unknown();
    const given = isGenerator
      ? [this.collapsed(list, inside[0])]
      : values.map((value) => this.expression(value));
    const lines = [this.line(node), this.line(callee)];
    const name = callee.name === 'MemberExpression' ? childrenOf(callee).at(-1) : undefined;
    if (name?.name === 'PropertyName') lines.push(this.line(name));
    return sequence(
      maybe(at(...lines)),
      this.expression(callee),
      ...given,
      maybe(at(...lines)),
      making(at(...lines), [node]),
    );
  }

  /** An attribute or a subscript, read or assigned to. */
  private member(node: SyntaxNode): Order {
    const line = this.line(node);
    const [value, , ...rest] = childrenOf(node);
    const name = rest.at(-1);
    if (value === undefined || name === undefined) throw new Unknown();
    if (name.name === 'PropertyName') return sequence(this.expression(value), at(line, this.line(name)));
    const index = rest.filter((part) => part.name !== ']');
    if (index.some(({ name }) => name === ':' || name === '*')) {
      if (!index.every((part) => this.isOneLine(part))) throw new Unknown();
      return sequence(
        this.expression(value),
        ofLines(
          index.map((part) => this.line(part)),
          index,
        ),
        at(line),
      );
    }
    return sequence(this.expression(value), this.several(index), at(line));
  }

  private items(node: SyntaxNode): SyntaxNode[] {
    const items = childrenOf(node).filter(({ name }) => !punctuation.has(name));
    if (items.some(({ name }) => name === '*' || name === 'for' || name === 'async')) throw new Unknown();
    return items;
  }

  /** A display: its items, then what builds it; constants are built in one, if they are so many. */
  private built(items: readonly SyntaxNode[], line: number, fewest = 0): Order {
    if (items.length >= fewest && items.every(isConstant)) return at(line);
    if (items.length > mostItems) throw new Unknown();
    const computed = sequence(...items.map((item) => this.expression(item)), at(line));
    return items.every(isFolded) ? either(computed, at(line)) : computed;
  }

  /** A dict: keys and values in turn, or the values and then the keys in one, if they are constants. */
  private mapping(node: SyntaxNode, line: number): Order {
    const parts = childrenOf(node).filter(({ name }) => !punctuation.has(name));
    if (parts.length > 2 * mostEntries || parts.length % 2 === 1) throw new Unknown();
    if (parts.some(({ name }) => name === '**' || name === 'for' || name === 'async')) throw new Unknown();
    const orders = parts.map((part) => this.expression(part));
    const values = orders.filter((_, index) => index % 2 === 1);
    return sequence(either(sequence(...orders), sequence(...values)), at(line));
  }
}
