/** What the lines of a program are (assignment, loop, ...) and which names are parameters: from its syntax tree. Pure. */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import { lex } from '../debugger/language/lexer.js';
import { lezerInput } from '../debugger/language/lezer-input.js';
import { childrenOf, parametersOf, unwrapped } from '../debugger/language/syntax-nodes.js';
import type { Program } from '../debugger/program.js';

export const lineKinds = [
  'assignment',
  'augmented assignment',
  'if',
  'while',
  'for',
  'return',
  'call statement',
  'yield',
  'expression',
  'raise',
  'assert',
  'try',
  'with',
  'match',
  'delete',
  'import',
  'definition',
  'other',
] as const;
export type LineKind = (typeof lineKinds)[number];

const kindOfNode: Readonly<Record<string, LineKind>> = {
  AssignStatement: 'assignment',
  UpdateStatement: 'augmented assignment',
  IfStatement: 'if',
  WhileStatement: 'while',
  ForStatement: 'for',
  ReturnStatement: 'return',
  YieldStatement: 'yield',
  RaiseStatement: 'raise',
  AssertStatement: 'assert',
  TryStatement: 'try',
  WithStatement: 'with',
  MatchStatement: 'match',
  DeleteStatement: 'delete',
  ImportStatement: 'import',
  FunctionDefinition: 'definition',
  ClassDefinition: 'definition',
  DecoratedStatement: 'definition',
};

export interface ProgramFacts {
  /** Kind of the innermost statement on a physical line. */
  readonly kinds: ReadonlyMap<number, LineKind>;
  /** Names of the parameters of a function by the physical line of its `def` (or first decorator, where CPython stops). */
  readonly parameters: ReadonlyMap<number, readonly string[]>;
}

/** Facts about a program that has been parsed before, so that its syntax is known to be right. */
export function programFacts(program: Program): ProgramFacts {
  const { source } = program;
  const tree = parser.parse(lezerInput(source, lex(source)).text);
  const kinds = new Map<number, LineKind>();
  const started = new Set<number>();
  const parameters = new Map<number, readonly string[]>();
  const lineAt = lineNumbers(source);
  tree.iterate({
    enter: ({ node }) => {
      const kind = statementKind(node);
      if (kind === undefined) return;
      const first = lineAt(node.from);
      // Of statements that start on one line (`if x: return y`) the outermost is where a debugger stops.
      if (!started.has(first)) kinds.set(first, kind);
      started.add(first);
      for (let line = first + 1; line <= lineAt(node.to - 1); line++) kinds.set(line, kind);
      if (node.name !== 'FunctionDefinition') return;
      const names = parametersOf(node.getChild('ParamList')).names;
      const decorated = node.parent?.name === 'DecoratedStatement' ? node.parent.from : node.from;
      const texts = names.map(({ from, to }) => source.slice(from, to));
      for (const offset of new Set([decorated, node.from])) parameters.set(lineAt(offset), texts);
    },
  });
  return { kinds, parameters };
}

function statementKind(node: SyntaxNode): LineKind | undefined {
  if (node.name === 'ExpressionStatement') {
    const [only] = childrenOf(node);
    const inner = only && unwrapped(only);
    if (inner?.name === 'CallExpression') return 'call statement';
    return inner?.name === 'YieldExpression' ? 'yield' : 'expression';
  }
  return kindOfNode[node.name] ?? (node.name.endsWith('Statement') ? 'other' : undefined);
}

/** A function from offsets to physical lines, 1-based. */
function lineNumbers(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
