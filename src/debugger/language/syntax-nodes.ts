/** Reading single nodes of the Lezer tree for Python: what the flat child lists of its grammar mean. */
import type { SyntaxNode } from '@lezer/common';

/** Children without comments and without the empty error node after a bare `yield`. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const out: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'Comment' && !child.type.isError) out.push(child);
  }
  return out;
}

/** What stands at a node, names as Python compares them. */
export const nodeText = (source: string, { from, to }: SyntaxNode): string =>
  source.slice(from, to).normalize('NFKC');

/** Statements of a file or body, those joined by `;` one by one. */
export function statementsOf(node: SyntaxNode): SyntaxNode[] {
  const out: SyntaxNode[] = [];
  for (const child of childrenOf(node)) {
    if (child.name === 'StatementGroup')
      out.push(...childrenOf(child).filter((statement) => statement.name !== ';'));
    else if (child.name !== ':') out.push(child);
  }
  return out;
}

/** The targets of an assignment, with what stands between them, and what is assigned. */
export function sidesOf(assignment: readonly SyntaxNode[]): {
  readonly targets: readonly SyntaxNode[];
  readonly values: readonly SyntaxNode[];
} {
  const last = assignment.findLastIndex(({ name }) => name === 'AssignOp');
  return { targets: assignment.slice(0, Math.max(0, last)), values: assignment.slice(last + 1) };
}

/** What stands before the `in` of a loop, and what it goes over, if that is one expression: not `for x in a, b`. */
export function loopHead(head: readonly SyntaxNode[]): {
  readonly targets: readonly SyntaxNode[];
  readonly iterable: SyntaxNode | undefined;
} {
  const split = head.findIndex(({ name }) => name === 'in');
  const isOne = head[split + 2]?.name !== ',';
  return { targets: head.slice(0, split), iterable: isOne ? head[split + 1] : undefined };
}

/** The expression inside any number of parentheses. */
export function unwrapped(node: SyntaxNode): SyntaxNode {
  let inner = node;
  while (inner.name === 'ParenthesizedExpression') {
    const child = childrenOf(inner).find(({ name }) => name !== '(' && name !== ')');
    if (child === undefined) return inner;
    inner = child;
  }
  return inner;
}

/** Whether a statement is one plain string. */
export function isDocstring(statement: SyntaxNode, source: string): boolean {
  const children = childrenOf(statement);
  if (statement.name !== 'ExpressionStatement' || children.length !== 1 || children[0] === undefined)
    return false;
  const value = unwrapped(children[0]);
  const parts = value.name === 'ContinuedString' ? childrenOf(value) : [value];
  return parts.every(
    (part) => part.name === 'String' && !/^[rRuU]?[bB]/.test(source.slice(part.from, part.from + 2)),
  );
}

const whole = new Set(['String', 'FormatString', 'Number', 'VariableName']);

/** Offset after the last character of a node's code; trailing line ends and comments do not count. */
export function codeEnd(node: SyntaxNode): number {
  let inner = node;
  while (!whole.has(inner.name)) {
    const last = childrenOf(inner).at(-1);
    if (last === undefined) break;
    inner = last;
  }
  return inner.to;
}

/** A star among the targets of a statement, whatever brackets they stand in. */
export function starIn(node: SyntaxNode): SyntaxNode | undefined {
  for (const child of childrenOf(node)) {
    if (child.name === '*') return child;
    const isList = ['TupleExpression', 'ArrayExpression', 'ParenthesizedExpression'].includes(child.name);
    const star = isList ? starIn(child) : undefined;
    if (star !== undefined) return star;
  }
  return undefined;
}

/** What no import has, though the grammar does: a comma at the end or brackets where only names can be, a dotted name that is taken from a module. */
export function wrongImport(node: SyntaxNode): SyntaxNode | undefined {
  const children = childrenOf(node);
  const names = children.slice(children.findIndex(({ name }) => name === 'import') + 1);
  if (names.at(-1)?.name === ',') return names.at(-1);
  return names.find(({ name }) => name === (children[0]?.name === 'from' ? '.' : '('));
}

export interface Parameters {
  readonly names: readonly SyntaxNode[];
  /** Defaults and annotations. */
  readonly outside: readonly SyntaxNode[];
  readonly wrong: { readonly node: SyntaxNode; readonly message: string } | undefined;
}

/** Reads a ParamList. */
export function parametersOf(list: SyntaxNode | null): Parameters & { names: SyntaxNode[] } {
  const names: SyntaxNode[] = [];
  const outside: SyntaxNode[] = [];
  let wrong: Parameters['wrong'];
  let isDefault = false;
  let seenDefault = false;
  let stars = 0;
  const children = list === null ? [] : childrenOf(list);
  const mapping = children.findIndex(({ name }) => name === '**');
  children.forEach((child, index) => {
    const next = children[index + 1];
    if (isDefault || child.name === 'TypeDef') {
      outside.push(child);
      isDefault = false;
    } else if (child.name === 'AssignOp') isDefault = true;
    else if (child.name === '*') {
      stars += 1;
      if (stars > 1) wrong ??= { node: child, message: '* argument may appear only once' };
      if (
        next === undefined ||
        next.name === ')' ||
        (next.name === ',' && /^(\)|\*\*)?$/.test(children[index + 2]?.name ?? ''))
      ) {
        wrong ??= { node: child, message: 'named arguments must follow bare *' };
      }
    } else if (child.name === 'VariableName') {
      const hasDefault = (next?.name === 'TypeDef' ? children[index + 2] : next)?.name === 'AssignOp';
      const before = children[index - 1]?.name;
      if (hasDefault && before !== '*' && before !== '**') seenDefault = true;
      else if (seenDefault && stars === 0 && before !== '*' && before !== '**') {
        wrong ??= { node: child, message: 'non-default argument follows default argument' };
      }
      if (mapping >= 0 && index > mapping + 1)
        wrong ??= { node: child, message: 'arguments cannot follow var-keyword argument' };
      names.push(child);
    }
  });
  return { names, outside, wrong };
}

/** The names of a ParamList before any star. */
export function positionalNames(list: SyntaxNode | null): SyntaxNode[] {
  const children = list === null ? [] : childrenOf(list);
  const stars = children.findIndex(({ name }) => name === '*' || name === '**');
  return parametersOf(list).names.filter(
    ({ from }) => stars < 0 || from < (children[stars] as SyntaxNode).from,
  );
}

export interface Clause {
  readonly isAsync: boolean;
  readonly targets: SyntaxNode[];
  readonly iterable: SyntaxNode;
  readonly conditions: SyntaxNode[];
}

/** Reads a comprehension, or an ArgList that holds a generator expression. `wrong`: a node that does not belong there. */
export function clausesOf(node: SyntaxNode): {
  elements: SyntaxNode[];
  clauses: Clause[];
  wrong: SyntaxNode | undefined;
} {
  const children = childrenOf(node).slice(1, -1);
  const isStart = (index: number): boolean => /^(async|for)$/.test(children[index]?.name ?? '');
  let at = children.findIndex((_, index) => isStart(index));
  const head = children.slice(0, at);
  let wrong = head.find(({ name }) => name === ',' || name === '*' || name === '**' || name === 'AssignOp');
  const elements = head.filter(({ name }) => name !== ':');
  const clauses: Clause[] = [];
  while (at < children.length && isStart(at)) {
    const isAsync = children[at]?.name === 'async';
    if (isAsync) at += 1;
    const targets: SyntaxNode[] = [];
    for (at += 1; at < children.length && children[at]?.name !== 'in'; at += 1)
      targets.push(children[at] as SyntaxNode);
    const iterable = children[at + 1];
    at += 2;
    if (iterable === undefined) return { elements, clauses, wrong: node };
    const conditions: SyntaxNode[] = [];
    for (; children[at]?.name === 'if'; at += 2) {
      const condition = children[at + 1];
      if (condition !== undefined) conditions.push(condition);
    }
    clauses.push({ isAsync, targets, iterable, conditions });
  }
  wrong ??= children[at];
  return { elements, clauses, wrong };
}
