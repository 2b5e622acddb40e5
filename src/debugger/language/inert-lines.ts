/** Lines that run nothing of the program, whatever its classes, generators and callbacks are. */
import type { SyntaxNode } from '@lezer/common';
import type { ProgramFacts } from './effects.js';
import { childrenOf, nodeText } from './syntax-nodes.js';

/** What makes code run where names and attributes are read, bound or forgotten. */
const runsAnywhere =
  /__(?:getattr|getattribute|setattr|delattr|get|set|delete|del|set_name)__|\b(?:weakref|settrace|setprofile|signal|threading|concurrent|asyncio|async|gc|metaclass)\b/;
/** Properties that are made otherwise than by `@property`: which names read them is not known. */
const otherProperty = /(?<!@)property\b/;
const constants = new Set(['Number', 'String', 'Boolean', 'None', 'Ellipsis']);
const punctuation = /^[()[\]{},:]$/;

/** Whether names and attributes, but those of its properties, are read, bound and forgotten in a program without anything being run for it. */
export const hasPlainNames = (source: string, finalizers: boolean): boolean =>
  !finalizers && !runsAnywhere.test(source) && !otherProperty.test(source);

/** Whether a statement, or a condition, reads names and attributes, puts them together and binds them, and asks nothing of what they stand for. */
export function isInert(node: SyntaxNode, facts: ProgramFacts): boolean {
  if (!facts.plainNames) return false;
  const parts = childrenOf(node);
  if (node.name === 'PassStatement') return true;
  if (node.name === 'ReturnStatement') return areValues(parts.slice(1), facts);
  if (node.name !== 'AssignStatement') return isIdentity(node, facts);
  const last = parts.findLastIndex(({ name }) => name === 'AssignOp');
  const [targets, values] = [parts.slice(0, last), parts.slice(last + 1)];
  const isTarget = (part: SyntaxNode): boolean =>
    part.name === 'TypeDef' ||
    (part.name === 'AssignOp' ? nodeText(facts.source, part) === '=' : isPlace(part, facts));
  return last > 0 && [...targets, parts[last] as SyntaxNode].every(isTarget) && areValues(values, facts);
}

/** Whether it is a name, or an attribute of one that is no property. */
function isPlace(node: SyntaxNode, facts: ProgramFacts): boolean {
  if (node.name !== 'MemberExpression') return node.name === 'VariableName';
  const [base] = childrenOf(node);
  const name = node.lastChild;
  const isAttribute = name?.name === 'PropertyName' && !facts.properties.has(nodeText(facts.source, name));
  return isAttribute && base !== undefined && isPlace(base, facts);
}

/** Whether these are values with commas between them, as `isValue` has it. */
const areValues = (nodes: readonly SyntaxNode[], facts: ProgramFacts): boolean =>
  nodes.every((node) => punctuation.test(node.name) || isValue(node, facts));

/** Whether it is a constant, a place, a display of such, or asks whether two are the same object. */
function isValue(node: SyntaxNode, facts: ProgramFacts): boolean {
  if (constants.has(node.name) || isPlace(node, facts)) return true;
  const parts = childrenOf(node).filter(({ name }) => !punctuation.test(name));
  switch (node.name) {
    case 'ArrayExpression':
    case 'TupleExpression':
    case 'ParenthesizedExpression':
      return areValues(parts, facts);
    // Keys and members are hashed, and compared with others.
    case 'SetExpression':
      return parts.every(({ name }) => constants.has(name));
    case 'DictionaryExpression':
      return parts.every((part, at) => (at % 2 === 0 ? constants.has(part.name) : isValue(part, facts)));
    default:
      return isIdentity(node, facts);
  }
}

/** Whether it is `a is b` or `a is not b`. */
function isIdentity(node: SyntaxNode, facts: ProgramFacts): boolean {
  const [left, ...rest] = childrenOf(node);
  const [right, ...words] = rest.toReversed();
  const isAsked =
    words.length > 0 && words.every((word) => /^(?:is|not)$/.test(nodeText(facts.source, word)));
  const isComplete = node.name === 'BinaryExpression' && left !== undefined && right !== undefined;
  return isComplete && isAsked && isValue(left, facts) && isValue(right, facts);
}
