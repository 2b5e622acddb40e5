/** `and`, `or` and `not` in an expression of the Lezer tree, bound as Python binds them: in that tree a `not` takes what stands behind it with `and` and `or`, too. */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from './syntax-nodes.js';

/** A piece of the source. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type Logic = Span &
  (
    | { readonly kind: 'and' | 'or'; readonly left: Logic; readonly right: Logic }
    | { readonly kind: 'not'; readonly operand: Logic }
    | { readonly kind: 'leaf'; readonly node: SyntaxNode }
  );

/** What `and`, `or` and `not` are made of, up to what stands in brackets. */
export function logicOf(node: SyntaxNode): Logic {
  const terms = termsOf(node);
  let at = 0;
  const peek = (): SyntaxNode | undefined => terms[at];
  const joined = (kind: 'and' | 'or', operand: () => Logic): Logic => {
    let left = operand();
    while (peek()?.name === kind) {
      at += 1;
      const right = operand();
      left = { kind, left, right, from: left.from, to: right.to };
    }
    return left;
  };
  const single = (): Logic => {
    const term = terms[at] as SyntaxNode;
    at += 1;
    if (term.name !== 'not') return { kind: 'leaf', node: term, from: term.from, to: term.to };
    const operand = single();
    return { kind: 'not', operand, from: term.from, to: operand.to };
  };
  return joined('or', () => joined('and', single));
}

/** Operands and operators in the order in which they are written. */
function termsOf(node: SyntaxNode): SyntaxNode[] {
  const [first, second, third] = childrenOf(node);
  if (node.name === 'UnaryExpression' && first?.name === 'not' && second) return [first, ...termsOf(second)];
  const isJoined = node.name === 'BinaryExpression' && (second?.name === 'and' || second?.name === 'or');
  return isJoined && first && third ? [...termsOf(first), second, ...termsOf(third)] : [node];
}
