/** What CPython makes of a statement or expression, seen by its kind: whether any code, whether that can raise something or leave the frame. */
import type { SyntaxNode } from '@lezer/common';
import { constants } from './expression-nodes.js';
import { childrenOf, unwrapped } from './syntax-nodes.js';

const generators = new Set(['YieldExpression', 'YieldStatement', 'AwaitExpression']);
/** What `del` can delete: `del ()` deletes nothing. */
const deletable = new Set(['VariableName', 'MemberExpression']);
const bodies = new Set(['Body']);
const jumping = new Set(['PassStatement', 'BreakStatement', 'ContinueStatement', 'ReturnStatement']);

/** Whether a node of one of these kinds is in the tree below `node`. */
export function contains(node: SyntaxNode, kinds: ReadonlySet<string>): boolean {
  if (kinds.has(node.name)) return true;
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (contains(child, kinds)) return true;
  return false;
}

/** Whether the frame may be left in it, and resumed there. */
export const suspends = (node: SyntaxNode): boolean => contains(node, generators);

const iterating = new Set([
  ...generators,
  'ArrayComprehensionExpression',
  'SetComprehensionExpression',
  'DictionaryComprehensionExpression',
]);

/** Whether a frame that evaluates it may take a StopIteration, which an event shows, and go on. */
export const swallows = (node: SyntaxNode): boolean => contains(node, iterating);

/** Whether statements stand in it. */
export const hasBody = (node: SyntaxNode): boolean => contains(node, bodies);

/** Whether a statement compiles to nothing wherever it stands, so that no event ever shows it. */
export function leavesNoCode(node: SyntaxNode): boolean {
  const [target, type, value] = childrenOf(node);
  const isBare = type?.name === 'TypeDef' && value === undefined;
  if (node.name === 'AssignStatement')
    return isBare && target !== undefined && unwrapped(target).name === 'VariableName';
  return node.name === 'ScopeStatement' || (node.name === 'DeleteStatement' && !contains(node, deletable));
}

/** Whether a statement compiles to nothing, at least in some places. */
export function mayVanish(node: SyntaxNode): boolean {
  const children = childrenOf(node);
  if (node.name === 'ExpressionStatement') return children.every(isConstant);
  if (node.name === 'DeleteStatement') return !contains(node, deletable);
  if (node.name === 'AssignStatement')
    return children.some(({ name }) => name === 'TypeDef') && node.getChild('AssignOp') === null;
  return false;
}

/** Whether CPython decides it when it compiles. */
export const isConstant = (node: SyntaxNode): boolean => constants.has(unwrapped(node).name);

/** Whether a simple statement can raise nothing. */
export const isQuiet = (node: SyntaxNode): boolean =>
  jumping.has(node.name) && childrenOf(node).every((child, at) => at === 0 || constants.has(child.name));

/** A `raise` of the exception being handled. */
export const isBareRaise = (node: SyntaxNode): boolean =>
  node.name === 'RaiseStatement' && childrenOf(node).length === 1;
