/**
 * Python source to scopes (docs/trace-language.md, section 3), by way of a Lezer tree. Lezer recovers from every error;
 * here every error is a failure.
 */
import type { SyntaxNode, Tree } from '@lezer/common';
import { ForetraceError } from '../../errors.js';
import { parseInTime } from './bounded-parse.js';
import type { EntryReach } from './entry-reach.js';
import { type LexicalToken, lex } from './lexer.js';
import { type LezerInput, lezerInput } from './lezer-input.js';
import { checkTokens, keywords } from './source-checks.js';
import { problem, SourceMap } from './source-error.js';
import { childrenOf, statementsOf } from './syntax-nodes.js';
import { type SourceAnalysis, SyntaxVisitor } from './syntax-visitor.js';

/** The scopes of a normalised source whose tokens are `tokens`, run by a call that reaches `entry`. Throws invalid_python. */
export function analyseSource(
  source: string,
  tokens: readonly LexicalToken[],
  entry: EntryReach,
): SourceAnalysis {
  const map = new SourceMap(source);
  checkTokens(tokens, map);
  const input = lezerInput(source, tokens);
  const tree = parseTree(input, map);
  return guardDepth(() => new SyntaxVisitor(source, map, input, entry).module(tree.topNode));
}

/** The tokens of an entry. Throws invalid_entry unless it is exactly one call expression. */
export function parseEntry(call: string): LexicalToken[] {
  try {
    const tokens = lex(call);
    const map = new SourceMap(call);
    checkTokens(tokens, map);
    const input = lezerInput(call, tokens);
    const tree = parseTree(input, map);
    guardDepth(() => new SyntaxVisitor(call, map, input).module(tree.topNode));
    if (!isOneCall(tree.topNode)) throw problem('not a call expression', { line: 1, column: 1 });
    return tokens;
  } catch (error) {
    if (!(error instanceof ForetraceError) || error.code !== 'invalid_python') throw error;
    const why = error.details.actual ?? error.message;
    throw new ForetraceError('invalid_entry', `The entry must be exactly one call expression: ${why}`, {
      expected: 'one call expression such as f(1, 2)',
      actual: call.length > 80 ? `${call.slice(0, 80)}...` : call,
    });
  }
}

/** The tokens of a text that is exactly one expression, as CPython's `eval` reads it. Throws invalid_python. */
export function parseExpression(text: string): LexicalToken[] {
  const tokens = lex(text);
  const map = new SourceMap(text);
  const [first] = tokens;
  if (first === undefined) throw problem('the expression is empty', { line: 1, column: 1 });
  checkTokens(tokens, map);
  const last = tokens.at(-1) ?? first;
  if (last.logical !== first.logical) {
    const second = tokens.find((token) => token.logical !== first.logical) ?? last;
    throw problem('the text goes on after the expression', map.position(second.start));
  }
  // A name alone may be one that the tree takes for the beginning of a statement: match.
  if (tokens.length === 1 && first.kind === 'name' && !keywords.has(first.text)) return tokens;
  if (first.text === '@') throw problem("invalid syntax near '@'", map.position(first.start));
  const input = lezerInput(text, tokens);
  const tree = parseTree(input, map);
  guardDepth(() => new SyntaxVisitor(text, map, input).module(tree.topNode));
  if (!isOneExpression(tree.topNode)) throw problem('not an expression', map.position(first.start));
  return tokens;
}

function guardDepth<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw problem('nested too deeply', { line: 1, column: 1 });
    throw error;
  }
}

function parseTree(input: LezerInput, map: SourceMap): Tree {
  for (const { start, end } of input.expressions) {
    // Brackets make it one expression, whatever it stood in.
    const text = `(${map.text.slice(start, end)})`;
    if (firstError(parseInTime(lezerInput(text, lex(text)).text)) !== undefined)
      throw problem(describe(map.text, start), map.position(start));
  }
  const tree = parseInTime(input.text);
  const first = firstError(tree);
  if (first !== undefined) throw problem(describe(map.text, first), map.position(first));
  return tree;
}

/** Offset of the first error of a tree. */
function firstError(tree: Tree): number | undefined {
  let first: number | undefined;
  tree.iterate({
    enter(node) {
      if (first !== undefined) return false;
      if (node.type.isError && !isBareYield(node.node)) first = node.from;
      return true;
    },
  });
  return first;
}

/** `yield` without a value: Python allows it, the Lezer grammar notes a missing expression. */
const isBareYield = (node: SyntaxNode): boolean =>
  node.from === node.to && node.prevSibling?.name === 'yield' && node.nextSibling === null;

function describe(text: string, offset: number): string {
  const rest = text.slice(offset).match(/^[^\S\n]*(\S[^\s]{0,19})/)?.[1];
  if (rest !== undefined) return `invalid syntax near ${JSON.stringify(rest)}`;
  return offset >= text.trimEnd().length
    ? 'invalid syntax: the text ends too early'
    : 'invalid syntax: the line ends too early';
}

function isOneCall(top: SyntaxNode): boolean {
  const statements = top.getChildren('Statement');
  let node =
    statements.length === 1 && statements[0]?.name === 'ExpressionStatement'
      ? statements[0].firstChild
      : null;
  if (node === null || node.nextSibling?.name === ',') return false;
  while (node?.name === 'ParenthesizedExpression') node = node.getChild('Expression');
  return node?.name === 'CallExpression';
}

/** One expression statement; starred elements need brackets around them. */
function isOneExpression(top: SyntaxNode): boolean {
  const [statement, ...others] = statementsOf(top);
  if (statement?.name !== 'ExpressionStatement' || others.length > 0 || top.getChild('StatementGroup'))
    return false;
  return childrenOf(statement).every(({ name }) => name !== '*');
}
