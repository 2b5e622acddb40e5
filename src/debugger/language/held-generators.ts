/**
 * Where generators of a program are held: by nothing but what goes over them, to their end unless it is left before, or perhaps by something else. One that is dropped before
 * its end is closed, and runs for that, though it may do nothing.
 */
import type { SyntaxNode } from '@lezer/common';
import { type BuiltinValues, kinds } from './builtin-values.js';
import { takesApart } from './special-runs.js';
import { childrenOf, clausesOf, loopHead, nodeText, sidesOf } from './syntax-nodes.js';

/** What goes over all that it is given, there and then. */
export const takesAll = new Set('dict frozenset list max min set sorted sum tuple'.split(' '));
/** Functions that may go over a part of what they are given, or hand it on. */
const takesSome =
  /\b(?:aiter|all|any|anext|filter|iter|map|next|reversed|zip)\b|\bimport\b[^\n]*\b(?:itertools|functools|collections|heapq|contextlib|operator)\b|\bfrom\s+(?:itertools|functools|collections|heapq|contextlib|operator)\b/;

export interface Generators {
  readonly source: string;
  /** Names of generator functions. */
  readonly names: ReadonlySet<string>;
  readonly values: BuiltinValues;
  /** Names that the program binds: a builtin's name among them is no builtin. */
  readonly bound: ReadonlySet<string>;
}

/** Objects make these where they are gone over, whatever goes over them. */
const areImpliedBy = (names: ReadonlySet<string>): boolean =>
  [...names].some((name) => /^__\w+__$/.test(name));
/** What may go over an object in an expression. */
const goesOver = /\b(?:for|in|from|dict|frozenset|join|list|max|min|set|sorted|sum|tuple)\b|\*/;

/** Whether a statement names a generator function, but in its body. */
const namesOne = (node: SyntaxNode, { source, names }: Pick<Generators, 'source' | 'names'>): boolean =>
  /^(?:Variable|Property)Name$/.test(node.name)
    ? names.has(nodeText(source, node))
    : node.name !== 'Body' && childrenOf(node).some((inner) => namesOne(inner, { source, names }));

/** Whether the passes of a loop over this may ask a generator, where nothing else holds any (mayBeHeld). */
export function mayAsk(iterable: SyntaxNode, generators: Generators): boolean {
  const isMade = (node: SyntaxNode): boolean =>
    node.name === 'ComprehensionExpression' ||
    (node.name === 'VariableName' && /^(?:filter|iter|map)$/.test(nodeText(generators.source, node))) ||
    (node.name === 'ArgList' && node.getChild('for') !== null) ||
    childrenOf(node).some(isMade);
  const isKnown = generators.values.kindOf(iterable) !== kinds.anything;
  return isMade(iterable) || namesOne(iterable, generators) || (areImpliedBy(generators.names) && !isKnown);
}

/** Whether a statement may hold a generator where nothing else does (mayBeHeld): one goes over it in the statement, or in a loop around it. */
export function mayHold(node: SyntaxNode, generators: Generators): boolean {
  const { source, names, values } = generators;
  if (names.size === 0) return false;
  const areImplied = areImpliedBy(names);
  const isNamed = (inner: SyntaxNode): boolean => namesOne(inner, generators);
  if (isNamed(node) || (areImplied && goesOver.test(nodeText(source, node)))) return true;
  for (let around = node.parent; around !== null; around = around.parent) {
    if (around.name === 'FunctionDefinition' || around.name === 'LambdaExpression') return false;
    if (around.name !== 'ForStatement') continue;
    const iterable = around.getChild('in')?.nextSibling ?? undefined;
    const isKnown = values.kindOf(iterable) !== kinds.anything;
    if (iterable === undefined || isNamed(iterable) || (areImplied && !isKnown)) return true;
  }
  return false;
}

/** Whether one may be held by something else. */
export function mayBeHeld(top: SyntaxNode, { source, names, values, bound }: Generators): boolean {
  const text = (node: SyntaxNode): string => nodeText(source, node);
  const takers = builtins(takesAll, bound);
  const areImplied = areImpliedBy(names);
  if (areImplied && takesSome.test(source)) return true;
  const isNamed = (node: SyntaxNode): boolean =>
    (node.name === 'VariableName' || node.name === 'PropertyName') &&
    names.has(text(node)) &&
    node.parent?.name !== 'FunctionDefinition';
  /** `name` or `a.name`, called: the call; or nothing. */
  const callOf = (node: SyntaxNode): SyntaxNode | null => {
    const callee = node.parent?.name === 'MemberExpression' ? node.parent : node;
    const call = callee.parent;
    return call?.name === 'CallExpression' &&
      call.firstChild?.from === callee.from &&
      call.firstChild.to === callee.to
      ? call
      : null;
  };
  const isTakenWhole = (call: SyntaxNode): boolean => {
    const list = call.parent;
    const before = call.prevSibling?.name;
    if (list?.name === 'ForStatement' || /[a-z]ComprehensionExpression$/.test(list?.name ?? ''))
      return isGoneOver(call);
    if (/^Yield/.test(list?.name ?? '')) return before === 'from';
    return list?.name === 'ArgList' && (before === '(' || before === 'in') && takerOf(list, text, takers);
  };
  const mayTakeSome = (node: SyntaxNode): boolean => {
    const parts = childrenOf(node);
    const isKnown = (part: SyntaxNode | undefined): boolean => values.kindOf(part) !== kinds.anything;
    if (node.name === 'BinaryExpression') return parts.at(-2)?.name === 'in' && !isKnown(parts.at(-1));
    if (node.name === 'AssignStatement') {
      const { targets, values: assigned } = sidesOf(parts);
      return takesApart(targets, assigned.length > 1 || isKnown(assigned[0]));
    }
    if (node.name === 'ForStatement') return takesApart(loopHead(parts.slice(1)).targets, true);
    return (
      /ComprehensionExpression$/.test(node.name) &&
      clausesOf(node).clauses.some(({ targets }) => takesApart(targets, true))
    );
  };
  const search = (node: SyntaxNode): boolean => {
    if (isNamed(node)) {
      const call = callOf(node);
      if (call === null || !isTakenWhole(call)) return true;
    }
    return (areImplied && mayTakeSome(node)) || childrenOf(node).some(search);
  };
  return search(top);
}

/** Those names that stand for builtins. */
export const builtins = (names: ReadonlySet<string>, bound: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => !bound.has(name)));

/** Whether a part of a loop or comprehension is what that goes over, not one of several that it has side by side (`for x in a, b`). */
const isGoneOver = ({ prevSibling: before, nextSibling: behind }: SyntaxNode): boolean =>
  before?.name === 'in' && behind?.name !== ',';

/** Whether a list of arguments is that of a builtin which goes over what it is given there and then: one of these functions, or `join`. */
export function takerOf(
  { parent }: SyntaxNode,
  text: (node: SyntaxNode) => string,
  functions: ReadonlySet<string>,
): boolean {
  const callee = parent?.name === 'CallExpression' ? parent.firstChild : null;
  if (callee?.name === 'VariableName') return functions.has(text(callee));
  return callee?.lastChild?.name === 'PropertyName' && text(callee.lastChild) === 'join';
}

/** What goes over a part of what it is given, or all of it, there and then. */
const takesAny = new Set([...takesAll, 'all', 'any', 'next']);

/**
 * Whether anything may be held that runs code of the program when it is gone over, in a program whose generators are not (mayBeHeld): generator expressions, `map` and `filter`, what
 * `iter` makes of a function.
 */
export function mayHoldIterators(top: SyntaxNode, { source, bound }: Generators): boolean {
  // Those of this module show how far they have come.
  if (/\bitertools\b/.test(source)) return true;
  const text = (node: SyntaxNode): string => nodeText(source, node);
  const takers = builtins(takesAny, bound);
  const isTaken = (node: SyntaxNode): boolean => {
    const { parent } = node;
    if (parent?.name === 'ForStatement' || /ComprehensionExpression$/.test(parent?.name ?? ''))
      return isGoneOver(node);
    return parent?.name === 'ArgList' && takerOf(parent, text, takers);
  };
  const search = (node: SyntaxNode): boolean => {
    const { name, parent } = node;
    const isGenerator = name === 'ComprehensionExpression';
    if (isGenerator && !isTaken(node)) return true;
    const isWritten = name === 'ArgList' && node.getChild('for') !== null;
    if (isWritten && !takerOf(node, text, takers)) return true;
    if (name === 'VariableName' && /^(?:map|filter|iter)$/.test(text(node))) {
      const isCalled = parent?.name === 'CallExpression' && parent.firstChild?.from === node.from;
      const isOne = isCalled && text(node) === 'iter' && !parent.getChild('ArgList')?.getChild(',');
      if (!isCalled || !(isOne || isTaken(parent))) return true;
    }
    return childrenOf(node).some(search);
  };
  return search(top);
}
