/** What is told of an expression by how it is written: what CPython computes when it compiles, and the operands of a comparison. */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from './syntax-nodes.js';

export const constants = new Set([
  'Number',
  'String',
  'Boolean',
  'None',
  'Ellipsis',
  '...',
  'ContinuedString',
]);
export const punctuation = new Set(['(', ')', '[', ']', '{', '}', ',', ':']);

const operations = new Set([
  'UnaryExpression',
  'BinaryExpression',
  'ParenthesizedExpression',
  'TupleExpression',
]);
const marks = new Set([...punctuation, 'ArithOp', 'BitOp', 'not']);

/** Whether CPython may compute a node when it compiles. */
export const isFolded = (node: SyntaxNode): boolean =>
  constants.has(node.name) ||
  (operations.has(node.name) && childrenOf(node).every((child) => marks.has(child.name) || isFolded(child)));

/** Whether CPython computes a node when it compiles: a constant, a number with a sign, a tuple of such. */
export const isConstant = (node: SyntaxNode): boolean => {
  const children = childrenOf(node);
  if (node.name === 'UnaryExpression')
    return children[0]?.name === 'ArithOp' && children[1]?.name === 'Number';
  if (node.name === 'ContinuedString') return children.every(({ name }) => name === 'String');
  if (node.name === 'TupleExpression')
    return children.every((child) => punctuation.has(child.name) || isConstant(child));
  return constants.has(node.name);
};

const comparisons = new Set(['CompareOp', 'in', 'not', 'is']);

/** The operands of a comparison. */
export function compared(node: SyntaxNode): SyntaxNode[] {
  const [left, operator] = childrenOf(node);
  const isComparison = node.name === 'BinaryExpression' && operator && comparisons.has(operator.name);
  const right = node.lastChild;
  return isComparison && left && right ? [...compared(left), right] : [node];
}

/** Whether a node is a comparison of more than two operands. */
export const isChain = (node: SyntaxNode): boolean => compared(node).length > 2;
