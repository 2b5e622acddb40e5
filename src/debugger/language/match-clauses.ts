/** The clauses of a `match` statement: where each leads, and what trying it does to the names of the frame. */
import type { SyntaxNode } from '@lezer/common';
import { type Effects, effectsOf, type ProgramFacts } from './effects.js';
import { both, type Follow, nowhere, onLines, type Trial } from './flow.js';
import type { LezerInput } from './lezer-input.js';
import type { Ways } from './line-ways.js';
import { isConstant, suspends } from './statement-code.js';
import type { StatementLines } from './statement-lines.js';
import { childrenOf, nodeText, statementsOf } from './syntax-nodes.js';

export interface MatchClause extends Ways {
  /** Those of its head. */
  readonly lines: readonly number[];
  /** The pattern, then the guard. */
  readonly head: readonly SyntaxNode[];
  readonly body: readonly SyntaxNode[];
  readonly effects: Effects;
  /** Of a head on one line that decides nothing but where the frame goes on. */
  readonly trial: Trial | undefined;
}

export interface MatchStatement {
  readonly lines: readonly number[];
  readonly subject: readonly SyntaxNode[];
  readonly clauses: readonly MatchClause[];
  /** What comes after its bodies. */
  readonly after: Follow;
  /** Whether the frame may be left in one of its heads, one binds a name though the tree does not show it, or CPython decides a guard when it compiles. */
  readonly isOpen: boolean;
}

/** A `match` statement that is followed by this. */
export function matchStatement(
  node: SyntaxNode,
  follow: Follow,
  lines: StatementLines,
  facts: ProgramFacts,
  { reads, binds }: LezerInput,
): MatchStatement {
  const text = (node: SyntaxNode): string => nodeText(facts.source, node);
  const subject = childrenOf(node).filter(({ name }) => name !== 'match' && name !== 'MatchBody');
  const written = (node.getChild('MatchBody')?.getChildren('MatchClause') ?? []).map((clause) => {
    const head = childrenOf(clause).filter(({ name }) => name !== 'case' && name !== 'Body');
    const body = clause.getChild('Body');
    return { head, body: body ? statementsOf(body) : [], lines: lines.head(clause) };
  });
  const heads = written.flatMap(({ head }) => head);
  const guards = heads.filter(({ name }) => name === 'Guard');
  const evaluated = [...subject, ...heads];
  const isOpen =
    guards.some((guard) => childrenOf(guard).slice(1).every(isConstant)) ||
    evaluated.some((part) => suspends(part) || namesIn(part).some(({ from }) => binds.has(from)));
  const [matchLine = 0, ...others] = lines.head(node);
  const read = new Set(subject.flatMap((part) => namesIn(part).map(text)));
  // CPython 3.10 may stop on the last head of one that is in a clause of another when it is over.
  const inClause = isNested(node);
  const after = inClause ? both(follow, onLines(written.at(-1)?.lines ?? [])) : follow;
  let isKept = others.length === 0;
  let isUntouched = true;
  const clauses = written.map(({ head, body, lines: own }, at): MatchClause => {
    const next = written[at + 1];
    const leading = (onward: Follow, over: Follow): Ways => ({
      holds: lines.entry(body, onward),
      fails: next ? onLines(next.lines) : isWildcard(head, reads) ? over : onward,
    });
    const tried = effectsOf(head, facts);
    const captured = head
      .flatMap((part) => capturesIn(part, reads))
      .map(text)
      .filter((name) => name !== '_');
    const effects = { ...tried, binds: new Set([...tried.binds, ...captured]) };
    const ways = leading(follow, nowhere);
    const isAlone = own.length === 1 && !ways.holds.lines.has(own[0] as number);
    const trial = isKept && isAlone ? { match: matchLine, isUntouched, ...ways } : undefined;
    isKept &&= ![...effects.binds].some((name) => read.has(name));
    isUntouched &&= effects.quiet && !effects.calls;
    return { lines: own, head, body, ...leading(after, inClause ? follow : nowhere), effects, trial };
  });
  return { lines: lines.head(node), subject, clauses, after, isOpen };
}

/** Whether a statement stands in the clause of a `match` of the same function. */
function isNested({ parent }: SyntaxNode): boolean {
  if (parent === null || /^(?:Function|Class)Definition$/.test(parent.name)) return false;
  return parent.name === 'MatchClause' || isNested(parent);
}

const namesIn = (node: SyntaxNode): SyntaxNode[] =>
  node.name === 'VariableName' ? [node] : childrenOf(node).flatMap(namesIn);

/** Whether a head is that of what matches anything. */
const isWildcard = ([pattern, ...more]: readonly SyntaxNode[], reads: ReadonlySet<number>): boolean =>
  pattern?.name === 'CapturePattern' && more.length === 0 && !reads.has(pattern.from);

/** The names that a pattern binds, `_` among them, which it does not. */
function capturesIn(node: SyntaxNode, reads: ReadonlySet<number>): SyntaxNode[] {
  if (node.name === 'CapturePattern') return reads.has(node.from) ? [] : [node];
  if (node.name === 'Guard') return [];
  const children = childrenOf(node);
  return children.flatMap((child, at) =>
    children[at - 1]?.name === 'as' && child.name === 'VariableName' ? [child] : capturesIn(child, reads),
  );
}
