/** In what order CPython evaluates the parts of a node, where it is not the order in which they are written. */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from './syntax-nodes.js';

/** The children of a node in the order of evaluation. */
export function inOrder(node: SyntaxNode): SyntaxNode[] {
  const children = childrenOf(node);
  if (node.name === 'AssignStatement') return valueFirst(children);
  return node.name === 'ArgList' ? namedLast(children) : children;
}

/** `targets = ... = value`: what stands after the last `=`, then the targets from left to right. */
function valueFirst(children: SyntaxNode[]): SyntaxNode[] {
  const value = children.findLastIndex(({ name }) => name === 'AssignOp') + 1;
  return [...children.slice(value), ...children.slice(0, value)];
}

/** Arguments by position, `*args` among them, come before those by name, also where one is written behind these. */
function namedLast(children: readonly SyntaxNode[]): SyntaxNode[] {
  const found: SyntaxNode[][] = [[]];
  for (const child of children) {
    if (child.name === ',') found.push([]);
    else found.at(-1)?.push(child);
  }
  const isNamed = (argument: SyntaxNode[]): boolean =>
    argument.some(({ name, from, to }) => name === '**' || (name === 'AssignOp' && to - from === '='.length));
  return [...found.filter((argument) => !isNamed(argument)), ...found.filter(isNamed)].flat();
}
