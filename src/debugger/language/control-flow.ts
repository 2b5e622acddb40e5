/**
 * Where a frame may stop next, read off the syntax tree: a superset of what CPython 3.10 to 3.13 do, line by line. What cannot be told
 * for sure (`finally`, `with`, `match`, exception handlers) is left open: such a line has no entry.
 */
import type { SyntaxNode } from '@lezer/common';
import type { Callees } from './callees.js';
import { type Effects, effectsOf, effectsOfLoop, type ProgramFacts } from './effects.js';
import {
  both,
  type Condition,
  type Follow,
  type FunctionFlow,
  functionEnd,
  type LineFlow,
  merge,
  nowhere,
  onLines,
} from './flow.js';
import type { LezerInput } from './lezer-input.js';
import { conditionOrder, constants, jumpsBack, type LineOrder, statementOrder } from './line-order.js';
import type { SourceMap } from './source-error.js';
import { childrenOf, codeEnd, statementsOf, unwrapped } from './syntax-nodes.js';

/** Where jumps lead. */
interface Jumps {
  /** After `continue`. */
  readonly header: Follow;
  /** After `break`. */
  readonly after: Follow;
  /** Lines of `with`, `except` and `finally` that a jump or a return may pass through. */
  readonly cleanup: ReadonlySet<number>;
}

const generators = new Set(['YieldExpression', 'YieldStatement', 'AwaitExpression']);
/** What `del` can delete: `del ()` deletes nothing. */
const deletable = new Set(['VariableName', 'MemberExpression']);
const definitions = new Set(['FunctionDefinition', 'ClassDefinition']);
const bodies = new Set(['Body']);
const jumping = new Set(['PassStatement', 'BreakStatement', 'ContinueStatement', 'ReturnStatement']);
const branching = new Set(['IfStatement', 'WhileStatement']);

/** Whether a node of one of these kinds is in the tree below `node`. */
function contains(node: SyntaxNode, kinds: ReadonlySet<string>): boolean {
  if (kinds.has(node.name)) return true;
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (contains(child, kinds)) return true;
  return false;
}

/** What comes after a line of a statement whose lines have an order. */
function passed(
  order: LineOrder,
  line: number,
  follow: Follow,
  returns: boolean,
): Pick<LineFlow, 'next' | 'returns'> {
  const isLast = order.last.has(line);
  const inside = [...(order.next.get(line) ?? [])].filter((other) => other !== line);
  return { next: new Set([...inside, ...(isLast ? follow.lines : [])]), returns: isLast && returns };
}

/** Whether a statement compiles to nothing wherever it stands, so that no event ever shows it. */
function leavesNoCode(node: SyntaxNode): boolean {
  const [target, type, value] = childrenOf(node);
  const isBare = type?.name === 'TypeDef' && value === undefined;
  if (node.name === 'AssignStatement')
    return isBare && target !== undefined && unwrapped(target).name === 'VariableName';
  return node.name === 'ScopeStatement' || (node.name === 'DeleteStatement' && !contains(node, deletable));
}

/**
 * The order of the lines of a function with decorators, each on one line: these are evaluated, the function is made, they are called from the last to the
 * first, and the name is bound on the line of the `def`.
 */
function decoratedOrder(
  definition: SyntaxNode,
  decorators: readonly (readonly number[])[],
  head: readonly number[],
): LineOrder | undefined {
  const isPlain = [...decorators, head].every(({ length }) => length === 1);
  const [line, ...lines] = [...head, ...decorators.flat()] as [number, ...number[]];
  if (definition.name !== 'FunctionDefinition' || !isPlain) return undefined;
  const next = new Map(
    lines.map((own, index) => [own, new Set([lines[index + 1] ?? line, lines[index - 1] ?? line])]),
  );
  const [first, last] = [lines[0] as number, lines.at(-1) as number];
  return {
    first: new Set([first]),
    last: new Set([line]),
    next: next.set(line, new Set([last])),
    isEmpty: false,
  };
}

/** Whether CPython decides it when it compiles. */
const isConstant = (node: SyntaxNode): boolean => constants.has(unwrapped(node).name);

/** Whether a simple statement can raise nothing. */
const isQuiet = (node: SyntaxNode): boolean =>
  jumping.has(node.name) && childrenOf(node).every((child, at) => at === 0 || constants.has(child.name));

/** A `raise` of the exception being handled. */
const isBareRaise = (node: SyntaxNode): boolean =>
  node.name === 'RaiseStatement' && childrenOf(node).length === 1;

/** The flow of a function with these statements. */
export function functionFlow(
  statements: readonly SyntaxNode[],
  map: SourceMap,
  input: LezerInput,
  facts: ProgramFacts,
  callees: Callees,
): Omit<FunctionFlow, 'foreign'> {
  return new FlowWalk(map, input, facts, callees).function(statements);
}

class FlowWalk {
  private readonly found = new Map<number, LineFlow>();
  private readonly open = new Set<number>();
  private readonly conditions = new Map<number, Condition>();
  /** Whether what follows the statements being walked cannot be told. */
  private isOpenEnded = false;
  /** By the offset of a statement or condition; what comes before and what it leads to both ask for it. */
  private readonly orders = new Map<number, LineOrder | undefined>();
  /** Names of the `except ... as` around: unbound when the handler ends. */
  private handled: readonly string[] = [];

  constructor(
    private readonly map: SourceMap,
    private readonly input: LezerInput,
    private readonly facts: ProgramFacts,
    private readonly callees: Callees,
  ) {}

  function(statements: readonly SyntaxNode[]): Omit<FunctionFlow, 'foreign'> {
    const jumps = { header: nowhere, after: nowhere, cleanup: nowhere.lines };
    this.sequence(statements, functionEnd, jumps);
    for (const line of this.open) this.found.delete(line);
    const { lines } = this.entry(statements, functionEnd);
    const { found, conditions, facts } = this;
    return { entry: lines, conditions, lines: found, finalizers: facts.finalizers };
  }

  private span(from: number, to: number): number[] {
    const first = this.map.lineOf(from);
    const last = this.map.lineOf(Math.max(from, to - 1));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  /** Lines of a statement without the statements in it. */
  private head(node: SyntaxNode): number[] {
    const body = node.getChild('Body') ?? node.getChild('MatchBody');
    return this.span(node.from, body === null ? codeEnd(node) : body.from);
  }

  /** Where a sequence of statements begins. */
  private entry(statements: readonly SyntaxNode[], follow: Follow): Follow {
    return this.entries(statements, follow)[0] as Follow;
  }

  /** Where a sequence goes on at each of its statements, and at its end. */
  private entries(statements: readonly SyntaxNode[], follow: Follow): Follow[] {
    const entries: Follow[] = [];
    let after = follow;
    entries[statements.length] = after;
    for (let index = statements.length - 1; index >= 0; index -= 1) {
      after = this.entryAt(statements[index] as SyntaxNode, after);
      entries[index] = after;
    }
    return entries;
  }

  private entryAt(first: SyntaxNode, after: Follow): Follow {
    if (first.name === 'ScopeStatement') return after;
    const lines = first.name === 'TryStatement' ? [this.map.lineOf(first.from)] : this.head(first);
    const here = onLines(this.orderOf(first)?.first ?? lines);
    const vanishes = this.input.decorators.has(first.from) || this.mayVanish(first);
    return vanishes ? both(here, after) : here;
  }

  /** Statements that compile to nothing, at least in some places. */
  private mayVanish(node: SyntaxNode): boolean {
    const children = childrenOf(node);
    if (node.name === 'ExpressionStatement') return children.every(isConstant);
    if (node.name === 'DeleteStatement') return !contains(node, deletable);
    if (node.name === 'AssignStatement')
      return children.some(({ name }) => name === 'TypeDef') && node.getChild('AssignOp') === null;
    return false;
  }

  /** The order of the lines of a simple statement, or of the condition it begins with; undefined where it stands on one, or nothing is known. */
  private orderOf(node: SyntaxNode): LineOrder | undefined {
    if (branching.has(node.name)) {
      const [main] = this.parts(node);
      return main && this.conditionOrder(main.test, main.lines);
    }
    if (node.name === 'DecoratedStatement')
      return this.order(node, () => {
        const [definition, ...decorators] = childrenOf(node).toReversed() as [SyntaxNode, ...SyntaxNode[]];
        return decoratedOrder(
          definition,
          decorators.reverse().map((decorator) => this.head(decorator)),
          this.head(definition),
        );
      });
    const isSimple = node.getChild('Body') === null && node.getChild('MatchBody') === null;
    if (!isSimple || this.head(node).length === 1) return undefined;
    return this.order(node, () => statementOrder(node, this.map));
  }

  private conditionOrder(test: readonly SyntaxNode[], lines: readonly number[]): LineOrder | undefined {
    const [condition, ...more] = test;
    if (condition === undefined || more.length > 0 || lines.length === 1) return undefined;
    return this.order(condition, () => conditionOrder(condition, lines[0] as number, this.map));
  }

  /** Computes an order once; there is none where the frame may be left and resumed. */
  private order(node: SyntaxNode, compute: () => LineOrder | undefined): LineOrder | undefined {
    if (!this.orders.has(node.from))
      this.orders.set(node.from, contains(node, generators) ? undefined : compute());
    return this.orders.get(node.from);
  }

  /** `run`: what is evaluated, every time if `always`. `order`: of the lines, where it is known. */
  private record(
    own: readonly number[],
    follow: Follow,
    effects: Effects,
    run: readonly SyntaxNode[],
    {
      returns = follow.ends,
      always = false,
      isQuiet = false,
      order = undefined as LineOrder | undefined,
    } = {},
  ): void {
    const repeats = run.some(jumpsBack);
    const next = new Set([...follow.lines, ...(own.length > 1 || repeats ? own : [])]);
    const binds = new Set([...effects.binds, ...this.handled]);
    const { surely, first, all } = this.callees.entering(run, always && own.length === 1);
    const flow = {
      own: new Set(own),
      next,
      returns,
      enters: surely,
      entered: first,
      called: all,
      hasBody: run.some((node) => contains(node, bodies)),
      isQuiet,
      effects: { ...effects, binds },
    };
    for (const line of own) {
      const isPassed = order?.last.has(line) || order?.next.has(line);
      const known = order && isPassed && !repeats ? passed(order, line, follow, returns) : undefined;
      merge(this.found, line, known ? { ...flow, ...known } : flow);
    }
  }

  private release(lines: Iterable<number>): void {
    for (const line of lines) this.open.add(line);
  }

  private sequence(statements: readonly SyntaxNode[], follow: Follow, jumps: Jumps): void {
    let decorators: (readonly number[])[] = [];
    const entries = this.entries(statements, follow);
    statements.forEach((statement, index) => {
      const after = entries[index + 1] as Follow;
      if (this.input.decorators.has(statement.from)) {
        decorators.push(this.head(statement));
        return;
      }
      if (decorators.length > 0) {
        const effects = effectsOf([statement], { ...this.facts, hiddenCalls: true });
        // A decorator may be `(yield)`.
        const lines = [...decorators.flat(), ...this.head(statement)];
        const before = statements.slice(index - decorators.length, index);
        const isWhole = !before.some((decorator) => contains(decorator, generators));
        const order = isWhole ? decoratedOrder(statement, decorators, this.head(statement)) : undefined;
        this.record(
          lines,
          after,
          { ...effects, disturbs: true, stores: true },
          statements.slice(0, index + 1),
          { returns: true, order },
        );
        // One that is `x := y` binds, though the tree does not show it.
        if (this.input.binds.size > 0) this.release(lines);
      } else this.statement(statement, after, jumps);
      decorators = [];
    });
  }

  private statement(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    if (node.name === 'IfStatement') this.branches(node, follow, jumps);
    else if (node.name === 'WhileStatement' || node.name === 'ForStatement') this.loop(node, follow, jumps);
    else if (node.name === 'TryStatement') this.attempt(node, follow, jumps);
    else if (node.name === 'WithStatement') this.managed(node, follow, jumps);
    else if (node.name === 'MatchStatement') this.match(node, follow, jumps);
    else this.simple(node, this.afterSimple(node, follow, jumps));
    // CPython raises again without an `exception` event: what comes next is a handler's line or the end of the frame.
    if (isBareRaise(node)) this.release(this.head(node));
  }

  private afterSimple(node: SyntaxNode, follow: Follow, jumps: Jumps): Follow {
    if (node.name === 'ReturnStatement') return { lines: jumps.cleanup, ends: true };
    if (node.name === 'RaiseStatement') return nowhere;
    if (node.name === 'BreakStatement') return both(jumps.after, onLines(jumps.cleanup));
    if (node.name === 'ContinueStatement') return both(jumps.header, onLines(jumps.cleanup));
    return follow;
  }

  private simple(node: SyntaxNode, follow: Follow): void {
    const head = definitions.has(node.name) ? childrenOf(node).filter(({ name }) => name !== 'Body') : [node];
    // The body of a class runs where it stands.
    const run = node.name === 'ClassDefinition' ? childrenOf(node) : head;
    const yields = head.some((child) => contains(child, generators));
    const returns = follow.ends || yields;
    const order = this.orderOf(node);
    this.record(this.head(node), follow, effectsOf([node], this.facts), run, {
      returns,
      always: !yields,
      isQuiet: isQuiet(node),
      order,
    });
  }

  /** The bodies of a compound statement with the keyword before each and the nodes between the two. */
  private parts(
    node: SyntaxNode,
  ): { keyword: SyntaxNode; test: SyntaxNode[]; body: SyntaxNode[]; lines: number[] }[] {
    const parts = [];
    let head: SyntaxNode[] = [];
    for (const child of childrenOf(node)) {
      if (child.name !== 'Body') {
        head.push(child);
        continue;
      }
      const [keyword = child, ...test] = head;
      parts.push({ keyword, test, body: statementsOf(child), lines: this.span(keyword.from, child.from) });
      head = [];
    }
    return parts;
  }

  /** Records the head of a compound statement, whose expressions may yield; an iterable is evaluated once. */
  private test(
    lines: readonly number[],
    follow: Follow,
    test: readonly SyntaxNode[],
    effects: Effects,
    isIterable = false,
  ): void {
    const yields = test.some((node) => contains(node, generators));
    const returns = follow.ends || yields;
    const order = isIterable ? undefined : this.conditionOrder(test, lines);
    this.record(lines, follow, effects, test, { returns, always: !isIterable && !yields, order });
  }

  /** Notes a condition or loop whose head stands on one line, its body on others; a constant decides nothing, nor does what leads to no code. */
  private condition(
    lines: readonly number[],
    test: readonly SyntaxNode[],
    body: readonly SyntaxNode[],
    holds: Follow,
    fails: Follow,
  ): void {
    const [line = 0, ...more] = lines;
    const inside = body.flatMap(({ from, to }) => this.span(from, to));
    const [first = line, last = line] = [inside[0], inside.at(-1)];
    const decides = !test.every(isConstant) && !body.every(leavesNoCode);
    const stays = !test.some((node) => contains(node, generators));
    if (more.length === 0 && first > line && decides && stays)
      this.conditions.set(line, {
        ...(this.isOpenEnded ? { holds: undefined, fails: undefined } : { holds, fails }),
        body: { first, last },
      });
  }

  private branches(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    let otherwise = follow;
    for (const { keyword, test, body, lines } of this.parts(node).reverse()) {
      const inside = this.entry(body, follow);
      this.sequence(body, follow, jumps);
      if (keyword.name === 'else') otherwise = inside;
      else {
        // CPython 3.10 may stop in a body that it has dropped, where that would end.
        const isDecided = test.every(isConstant);
        const dropped = onLines(isDecided ? body.flatMap((part) => this.span(part.from, codeEnd(part))) : []);
        const follows = both(both(inside, otherwise), dropped);
        this.test(lines, follows, test, effectsOf(test, this.facts));
        this.condition(lines, test, body, inside, otherwise);
        otherwise = onLines(this.conditionOrder(test, lines)?.first ?? lines);
      }
    }
  }

  private loop(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const [main, otherwise] = this.parts(node);
    if (main === undefined) return;
    const done = otherwise === undefined ? follow : this.entry(otherwise.body, follow);
    const isEndless = node.name === 'WhileStatement' && main.test.every(isConstant);
    const header = onLines(this.orderOf(node)?.first ?? main.lines);
    const inside = this.entry(main.body, header);
    const again = isEndless ? both(header, inside) : header;
    const isFor = node.name === 'ForStatement';
    const effects = (isFor ? effectsOfLoop : effectsOf)(main.test, this.facts);
    this.test(main.lines, both(inside, done), main.test, effects, isFor);
    if (main.keyword.name !== 'async') this.condition(main.lines, main.test, main.body, inside, done);
    this.sequence(main.body, again, { ...jumps, header: again, after: follow });
    if (otherwise !== undefined) this.sequence(otherwise.body, follow, jumps);
  }

  private attempt(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const parts = this.parts(node);
    const find = (name: string): readonly SyntaxNode[] | undefined =>
      parts.find(({ keyword }) => keyword.name === name)?.body;
    const last = find('finally');
    const tail = last === undefined ? follow : this.entry(last, follow);
    const otherwise = find('else');
    const quiet = otherwise === undefined ? tail : this.entry(otherwise, tail);
    const within = {
      ...jumps,
      cleanup: new Set([...jumps.cleanup, ...(last === undefined ? [] : tail.lines)]),
    };
    const isGroup = parts.some(({ test }) => test[0]?.name === '*');
    const clauses = parts.filter(({ keyword }) => keyword.name === 'except').flatMap(({ lines }) => lines);
    for (const { keyword, test, body, lines } of parts) {
      if (keyword.name === 'try') {
        this.record([this.map.lineOf(node.from)], this.entry(body, quiet), effectsOf([], this.facts), []);
        this.sequence(body, quiet, within);
      } else if (keyword.name === 'except') {
        this.release(lines);
        // `except*`: the clauses after this one are tried too.
        const left = both(tail, onLines(isGroup ? clauses : lines));
        const inside = { ...within, cleanup: new Set([...within.cleanup, ...lines]) };
        const around = this.handled;
        this.handled = [...around, ...this.namesAfterAs(test)];
        // Behind an `except*` what no clause took is raised again without an `exception` event.
        if (isGroup) this.openEnded(body, left, inside);
        else this.sequence(body, left, inside);
        this.handled = around;
      } else if (keyword.name === 'else') this.sequence(body, tail, within);
      else this.openEnded(body, follow, jumps);
    }
  }

  /** A body after which an exception or a jump that was under way may go on: nothing is known of its lines but which are conditions. */
  private openEnded(body: readonly SyntaxNode[], follow: Follow, jumps: Jumps): void {
    const around = this.isOpenEnded;
    this.isOpenEnded = true;
    this.sequence(body, follow, jumps);
    this.isOpenEnded = around;
    for (const statement of body) this.release(this.span(statement.from, codeEnd(statement)));
  }

  private namesAfterAs(nodes: readonly SyntaxNode[]): string[] {
    const names = nodes.filter((_, index) => nodes[index - 1]?.name === 'as');
    return names.map(({ from, to }) => this.facts.source.slice(from, to).normalize('NFKC'));
  }

  private managed(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const lines = this.head(node);
    this.release(lines);
    const cleanup = new Set([...jumps.cleanup, ...lines]);
    for (const { body } of this.parts(node))
      this.sequence(body, both(follow, onLines(lines)), { ...jumps, cleanup });
  }

  private match(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    this.release(this.head(node));
    const clauses = node.getChild('MatchBody')?.getChildren('MatchClause') ?? [];
    for (const clause of clauses) {
      this.release(this.head(clause));
      const body = clause.getChild('Body');
      if (body !== null) this.sequence(statementsOf(body), follow, jumps);
    }
  }
}
