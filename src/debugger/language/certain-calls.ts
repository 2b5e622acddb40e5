/** Calls that a statement cannot end without: names that stand for a function of the program and nothing else, and what is surely evaluated. */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, nodeText, statementsOf } from './syntax-nodes.js';

/** What binds names behind the text's back. */
const rebinders = new Set(['eval', 'exec', 'setattr', 'vars', 'locals', 'globals', '__import__']);

/** Parts of an expression that may never be evaluated, or not here. */
export const uncertain =
  /Comprehension|^(?:Body|LambdaExpression|ConditionalExpression|FunctionDefinition|ClassDefinition|AssertStatement|TypeDef)$/;

/** What a program's functions and classes are looked up in. */
interface Source {
  readonly text: (node: SyntaxNode) => string;
  /** Offsets of statements that are decorators of the definition after them. */
  readonly decorators: ReadonlySet<number>;
}

/**
 * Names by which a call surely enters a function of the program: bound by one plain `def` outside classes (no decorator, no `async`, no `yield`), or by one plain
 * class that has such an `__init__`; and otherwise only called, where the name can mean nothing else.
 */
export function plainFunctions(
  top: SyntaxNode,
  source: string,
  decorators: ReadonlySet<number>,
): ReadonlySet<string> {
  const text = (node: SyntaxNode): string => nodeText(source, node);
  const found = new Map<string, SyntaxNode>();
  const calls: [name: string, at: number][] = [];
  const other = new Set<string>();
  let isOpen = false;
  const visit = (node: SyntaxNode, parent: SyntaxNode | null, index: number): void => {
    if (node.name === 'ImportStatement' && text(node).includes('*')) isOpen = true;
    if (node.name === 'VariableName') {
      const name = text(node);
      if (rebinders.has(name)) isOpen = true;
      const isName = parent !== null && definitions.has(parent.name) && isNameOf(parent, node);
      if (isName && !found.has(name) && entersItself(parent, { text, decorators })) found.set(name, parent);
      else if (parent?.name === 'CallExpression' && index === 0) calls.push([name, node.from]);
      else other.add(name);
    }
    childrenOf(node).forEach((child, at) => {
      visit(child, node, at);
    });
  };
  visit(top, null, 0);
  for (const [name, at] of calls) {
    const place = found.get(name)?.parent;
    if (place && (at < place.from || at >= place.to)) other.add(name);
  }
  return isOpen ? new Set() : new Set([...found.keys()].filter((name) => !other.has(name)));
}

const definitions = new Set(['FunctionDefinition', 'ClassDefinition']);
const isNameOf = (definition: SyntaxNode, node: SyntaxNode): boolean =>
  definition.getChild('VariableName')?.from === node.from;

/** Whether calling what is defined runs it, or its `__init__`, right away. */
function entersItself(definition: SyntaxNode, source: Source): boolean {
  const { parent } = definition;
  const isDirect = parent?.name === 'Script' || parent?.parent?.name === 'FunctionDefinition';
  if (!isDirect || !isPlain(definition, source)) return false;
  if (definition.name === 'FunctionDefinition') return true;
  const body = definition.getChild('Body');
  if (body === null || definition.getChild('ArgList') !== null) return false;
  const makers = source.text(body).match(/\b(?:__init__|__new__)\b/g) ?? [];
  const initial = statementsOf(body).find((node) => {
    const name = node.name === 'FunctionDefinition' ? node.getChild('VariableName') : null;
    return name !== null && source.text(name) === '__init__';
  });
  return initial !== undefined && makers.length === 1 && isPlain(initial, source);
}

/** Whether the statement before a definition is a decorator. */
export function isDecorated(definition: SyntaxNode, decorators: ReadonlySet<number>): boolean {
  const statements = definition.parent === null ? [] : statementsOf(definition.parent);
  const before = statements[statements.findIndex(({ from }) => from === definition.from) - 1];
  return before !== undefined && decorators.has(before.from);
}

function isPlain(definition: SyntaxNode, { decorators }: Source): boolean {
  if (isDecorated(definition, decorators)) return false;
  return (
    definition.name === 'ClassDefinition' || (definition.firstChild?.name === 'def' && !hasYield(definition))
  );
}

const hasYield = (node: SyntaxNode): boolean =>
  /^(?:Yield|Await)/.test(node.name) || childrenOf(node).some(hasYield);

/** Whether the right side of an operator may be left out: `and`, `or`, the end of a chain of comparisons. */
export function stopsEarly(children: readonly SyntaxNode[]): boolean {
  const isComparison = (nodes: readonly SyntaxNode[]): boolean =>
    nodes.some(({ name }) => ['CompareOp', 'in', 'not', 'is'].includes(name));
  if (children.some(({ name }) => name === 'and' || name === 'or')) return true;
  const left = children[0];
  return isComparison(children) && left?.name === 'BinaryExpression' && isComparison(childrenOf(left));
}
