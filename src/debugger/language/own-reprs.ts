/** Whether objects of a program's own classes can be taken for values of builtins, by what they write of themselves. */
import type { SyntaxNode } from '@lezer/common';
import { perText } from '../program.js';
import { parseInTime } from './bounded-parse.js';
import { childrenOf } from './syntax-nodes.js';

/** Other ways to speak of it that give no class another one. */
const harmless = /\.__repr__\(|__str__\s*=\s*__repr__\b/g;
/** What begins with a name and something else than one, or with an angle bracket. */
const unlikeLiterals = /^(?:<|[^\W\d]\w*[^\w'"{%\\])/u;
/** Names that values of builtins begin with. */
const builtin =
  /^(?:True|False|None|inf|nan|deque|defaultdict|Counter|OrderedDict|range|set|frozenset|bytearray|array|b|B)\b/;

/** A class derived from one of builtins whose values are literals. */
const derived =
  /^[ \t]*class[ \t]+\w+[ \t]*\([^)\n]*\b(?:str|int|float|complex|bytes|list|dict|set|frozenset|tuple|deque|Counter)\b/m;

/** Whether what is written as a literal may be of a class of the program, which may make other texts of it. */
export const derivesFromBuiltins = perText(({ source }) => derived.test(source));

/** Whether what looks like a literal is one: an object with a `__repr__` of its own may look like a number. */
export const showsLiterals = perText(({ source }) => areUnlike(source));

/** Whether all that `__repr__` returns anywhere is a text that no literal is. */
export function areUnlike(source: string): boolean {
  const mentions = source.replace(harmless, '').match(/__repr__/g) ?? [];
  if (mentions.length === 0) return true;
  const methods = methodsIn(source);
  return mentions.length === methods.length && methods.every((method) => returnsUnlike(method, source));
}

/** The functions named `__repr__`. */
function methodsIn(source: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  parseInTime(source).iterate({
    enter: ({ node }) => {
      const name = node.name === 'FunctionDefinition' ? node.getChild('VariableName') : null;
      if (name !== null && source.slice(name.from, name.to) === '__repr__') found.push(node);
    },
  });
  return found;
}

function returnsUnlike(method: SyntaxNode, source: string): boolean {
  const heads: string[] = [];
  method.cursor().iterate(({ node }) => {
    if (node.name === 'ReturnStatement') heads.push(...headsOf(childrenOf(node)[1], source));
  });
  return heads.length > 0 && heads.every((head) => unlikeLiterals.test(head) && !builtin.test(head));
}

/** What a text may begin with that an expression comes to, as it is written between quotes; empty where that is not read. */
function headsOf(node: SyntaxNode | undefined, source: string): readonly string[] {
  const parts = node === undefined ? [] : childrenOf(node);
  const text = ({ from, to }: SyntaxNode): string => source.slice(from, to);
  switch (node?.name) {
    case 'ParenthesizedExpression':
      return headsOf(parts[1], source);
    case 'ConditionalExpression':
      return [...headsOf(parts[0], source), ...headsOf(parts.at(-1), source)];
    case 'String':
    case 'FormatString':
      return [text(node).replace(quotes, '').replace(className, 'C')];
    case 'ContinuedString':
    case 'BinaryExpression':
      return node.name === 'ContinuedString' || /^[+%]$/.test(text(parts[1] as SyntaxNode))
        ? headsOf(parts[0], source)
        : [''];
    case 'CallExpression': {
      const [object, ...others] = childrenOf(parts[0] as SyntaxNode);
      const isFormat =
        others.at(-1)?.name === 'PropertyName' && text(others.at(-1) as SyntaxNode) === 'format';
      return isFormat ? headsOf(object, source) : [''];
    }
    default:
      return [''];
  }
}

const quotes = /^[fFrR]{0,2}(?:"""|'''|"|')/;
/** The name of the class of the object: one, whichever it is. */
const className = /^\{(?:self\.__class__|type\(self\))\.__(?:qual)?name__\}/;

/** A variable of more than one function, or a class in a function: a method may read what is assigned elsewhere. */
const outerVariable = /^[ \t]*(?:global|nonlocal)\b|^[ \t]+class\b|\bglobals\(/m;

/** Whether what objects write of themselves may change where a name is bound. */
export const writesVariables = (source: string): boolean =>
  /__(?:repr|str)__/.test(source) && outerVariable.test(source);
