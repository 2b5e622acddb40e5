/** The calls in a node of the syntax tree. */
import type { SyntaxNode } from '@lezer/common';
import { inOrder } from './evaluation-order.js';
import type { Span } from './logic.js';
import { childrenOf } from './syntax-nodes.js';

/** Those that evaluating a node makes in its own frame, the inner ones first; what decides whether they are made does not count. */
export function callsMadeBy(node: SyntaxNode): SyntaxNode[] {
  if (node.name === 'LambdaExpression') return [];
  if (node.name === 'ComprehensionExpression') return callsInGenerator(childrenOf(node));
  const isGiven = node.name === 'ArgList' && node.getChild('for') !== null;
  const inside = isGiven ? callsInGenerator(childrenOf(node)) : inOrder(node).flatMap(callsMadeBy);
  return node.name === 'CallExpression' ? [...inside, node] : inside;
}

/** Of a generator expression the frame around it evaluates the first iterable. */
function callsInGenerator(children: readonly SyntaxNode[]): SyntaxNode[] {
  const first = children.findIndex(({ name }) => name === 'in') + 1;
  const end = children.findIndex(
    ({ name }, index) => index > first && ['for', 'async', 'if', ')'].includes(name),
  );
  return children.slice(first, end < 0 ? undefined : end).flatMap(callsMadeBy);
}

/** All calls that are written in these nodes, but for those in f-strings, in the order in which they begin; the outer one of two that begin together comes first. */
export function callsWrittenIn(nodes: readonly SyntaxNode[]): Span[] {
  const within = (node: SyntaxNode): Span[] => {
    if (node.name === 'FormatString') return [];
    return [...(node.name === 'CallExpression' ? [node] : []), ...childrenOf(node).flatMap(within)];
  };
  return nodes.flatMap(within).sort((a, b) => a.from - b.from || b.to - a.to);
}
