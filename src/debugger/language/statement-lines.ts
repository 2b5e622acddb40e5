/** The lines that statements stand on: where each begins, and the order of those of one that has several. */
import type { SyntaxNode } from '@lezer/common';
import { both, type Follow, onLines } from './flow.js';
import { conditionOrder, statementOrder, type Truth } from './line-order.js';
import type { LineOrder } from './line-places.js';
import type { SourceMap } from './source-error.js';
import { leavesNoCode, mayVanish, suspends } from './statement-code.js';
import { childrenOf, codeEnd, statementsOf } from './syntax-nodes.js';

/** A body of a compound statement with the keyword before it and the nodes between the two. */
export interface Block {
  readonly keyword: SyntaxNode;
  readonly test: readonly SyntaxNode[];
  readonly body: readonly SyntaxNode[];
  /** Those of keyword and nodes. */
  readonly lines: readonly number[];
}

const branching = new Set(['IfStatement', 'WhileStatement']);

export class StatementLines {
  /** By the offset of a statement or condition; what comes before and what it leads to both ask for it. */
  private readonly orders = new Map<number, LineOrder | undefined>();

  /** `decorators`: offsets of statements that are decorators of the definition after them. */
  constructor(
    private readonly map: SourceMap,
    private readonly decorators: ReadonlySet<number>,
  ) {}

  /** The line that a statement begins on. */
  lineOf(node: SyntaxNode): number {
    return this.map.lineOf(node.from);
  }

  /** The lines of the text between two offsets. */
  span(from: number, to: number): number[] {
    const first = this.map.lineOf(from);
    const last = this.map.lineOf(Math.max(from, to - 1));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  /** Lines of statements and of those in them. */
  under(statements: readonly SyntaxNode[]): Set<number> {
    return new Set(statements.flatMap((node) => this.span(node.from, codeEnd(node))));
  }

  /** Lines of a statement without the statements in it. */
  head(node: SyntaxNode): number[] {
    const body = node.getChild('Body') ?? node.getChild('MatchBody');
    return this.span(node.from, body === null ? codeEnd(node) : body.from);
  }

  /** The blocks of a compound statement, in their order. */
  blocks(node: SyntaxNode): Block[] {
    const blocks: Block[] = [];
    let head: SyntaxNode[] = [];
    for (const child of childrenOf(node)) {
      if (child.name !== 'Body') {
        head.push(child);
        continue;
      }
      const [keyword = child, ...test] = head;
      blocks.push({ keyword, test, body: statementsOf(child), lines: this.span(keyword.from, child.from) });
      head = [];
    }
    return blocks;
  }

  /** Where a sequence of statements begins. */
  entry(statements: readonly SyntaxNode[], follow: Follow): Follow {
    return this.entries(statements, follow)[0] as Follow;
  }

  /** Where a sequence goes on at each of its statements, and at its end. */
  entries(statements: readonly SyntaxNode[], follow: Follow): Follow[] {
    const entries: Follow[] = [];
    let after = follow;
    entries[statements.length] = after;
    for (let index = statements.length - 1; index >= 0; index -= 1) {
      after = this.entryAt(statements[index] as SyntaxNode, after);
      entries[index] = after;
    }
    return entries;
  }

  private entryAt(first: SyntaxNode, after: Follow): Follow {
    if (leavesNoCode(first)) return after;
    const lines = first.name === 'TryStatement' ? [this.lineOf(first)] : this.head(first);
    const here = onLines(this.orderOf(first)?.first ?? lines);
    const vanishes = this.decorators.has(first.from) || mayVanish(first);
    return vanishes ? both(here, after) : here;
  }

  /**
   * The order of the lines of a simple statement, or of the condition it begins with; undefined where it stands on one, or nothing is known. truth: see
   * statementOrder.
   */
  orderOf(node: SyntaxNode, truth?: Truth): LineOrder | undefined {
    if (branching.has(node.name)) {
      const [main] = this.blocks(node);
      return main && this.conditionOrder(main.test, main.lines, truth);
    }
    if (node.name === 'DecoratedStatement')
      return this.order(node, () => {
        const [definition, ...decorators] = childrenOf(node).toReversed() as [SyntaxNode, ...SyntaxNode[]];
        return decoratedOrder(
          definition,
          decorators.reverse().map((decorator) => this.head(decorator)),
          this.head(definition),
        );
      });
    const isSimple = node.getChild('Body') === null && node.getChild('MatchBody') === null;
    if (!isSimple || this.head(node).length === 1) return undefined;
    return truth
      ? statementOrder(node, this.map, truth)
      : this.order(node, () => statementOrder(node, this.map));
  }

  /** The order of the lines of a condition that stands on these. */
  conditionOrder(
    test: readonly SyntaxNode[],
    lines: readonly number[],
    truth?: Truth,
  ): LineOrder | undefined {
    const [condition, ...more] = test;
    const [line] = lines;
    if (condition === undefined || line === undefined || more.length > 0 || lines.length === 1)
      return undefined;
    if (truth) return conditionOrder(condition, line, this.map, truth);
    return this.order(condition, () => conditionOrder(condition, line, this.map));
  }

  /** Computes an order once; there is none where the frame may be left and resumed. */
  private order(node: SyntaxNode, compute: () => LineOrder | undefined): LineOrder | undefined {
    if (!this.orders.has(node.from)) this.orders.set(node.from, suspends(node) ? undefined : compute());
    return this.orders.get(node.from);
  }
}

/**
 * The order of the lines of a function with decorators, each on one line: these are evaluated, the function is made, they are called from the last to the
 * first, and the name is bound on the line of the `def`.
 */
export function decoratedOrder(
  definition: SyntaxNode,
  decorators: readonly (readonly number[])[],
  head: readonly number[],
): LineOrder | undefined {
  const isPlain = [...decorators, head].every(({ length }) => length === 1);
  const [line, ...lines] = [...head, ...decorators.flat()] as [number, ...number[]];
  if (definition.name !== 'FunctionDefinition' || !isPlain) return undefined;
  const next = new Map(
    lines.map((own, index) => [own, new Set([lines[index + 1] ?? line, lines[index - 1] ?? line])]),
  );
  const [first, last] = [lines[0] as number, lines.at(-1) as number];
  return {
    first: new Set([first]),
    last: new Set([line]),
    next: next.set(line, new Set([last])),
    behind: new Map(),
  };
}
