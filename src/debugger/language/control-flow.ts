/**
 * Where a frame may stop next, read off the syntax tree: a superset of what CPython 3.10 to 3.13 do, line by line. What cannot be told
 * for sure (`finally`, `with`, exception handlers) is left open: such a line has no entry.
 */
import type { SyntaxNode } from '@lezer/common';
import { type Attempt, attemptOf } from './attempts.js';
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
  type Trial,
} from './flow.js';
import type { LezerInput } from './lezer-input.js';
import { jumpsBack, type Truth } from './line-order.js';
import type { LineOrder } from './line-places.js';
import { deciding, madeOn, passed, testsOf, type Ways } from './line-ways.js';
import type { Span } from './logic.js';
import { matchStatement } from './match-clauses.js';
import type { SourceMap } from './source-error.js';
import { givesTuples } from './special-runs.js';
import {
  hasBody,
  isBareRaise,
  isConstant,
  isQuiet,
  leavesNoCode,
  suspends,
  swallows,
} from './statement-code.js';
import { decoratedOrder, StatementLines } from './statement-lines.js';
import { callsWrittenIn } from './syntax-calls.js';
import { childrenOf, loopHead, nodeText } from './syntax-nodes.js';

/** Where jumps lead. */
interface Jumps {
  /** After `continue`. */
  readonly header: Follow;
  /** After `break`. */
  readonly after: Follow;
  /** Lines of `with`, `except` and `finally` that a jump or a return may pass through. */
  readonly cleanup: ReadonlySet<number>;
}

const definitions = new Set(['FunctionDefinition', 'ClassDefinition']);

type FlowOfBody = Omit<FunctionFlow, 'foreign' | 'cleansUp'>;

/** The flow of a function with these statements. */
export function functionFlow(
  statements: readonly SyntaxNode[],
  map: SourceMap,
  input: LezerInput,
  facts: ProgramFacts,
  callees: Callees,
): FlowOfBody {
  return new FlowWalk(new StatementLines(map, input.decorators), input, facts, callees).function(statements);
}

class FlowWalk {
  private readonly found = new Map<number, LineFlow>();
  private readonly open = new Set<number>();
  private readonly cleanups = new Map<number, ReadonlySet<number>>();
  private readonly conditions = new Map<number, Condition>();
  private readonly attempts: Attempt[] = [];
  /** Whether what follows the statements being walked cannot be told. */
  private isOpenEnded = false;
  /** Names of the `except ... as` around, and the lines under it: unbound when the handler ends. */
  private handled: readonly { readonly name: string; readonly lines: ReadonlySet<number> }[] = [];
  /** What comes after an exception in the statements being walked; undefined: that cannot be told. */
  private caught: Follow | undefined = functionEnd;

  constructor(
    private readonly lines: StatementLines,
    private readonly input: LezerInput,
    private readonly facts: ProgramFacts,
    private readonly callees: Callees,
  ) {}

  function(statements: readonly SyntaxNode[]): FlowOfBody {
    const jumps = { header: nowhere, after: nowhere, cleanup: nowhere.lines };
    this.sequence(statements, functionEnd, jumps);
    for (const line of this.open) this.found.delete(line);
    const entry = this.lines.entry(statements, functionEnd).lines;
    const { found, conditions, cleanups, attempts, facts } = this;
    return { entry, conditions, lines: found, cleanups, attempts, finalizers: facts.finalizers };
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
      isIterable = false,
      goesOn = false,
      order = undefined as LineOrder | undefined,
      ways = { holds: follow, fails: follow } as Ways,
      ordered = undefined as ((truth: Truth) => LineOrder | undefined) | undefined,
      trial = undefined as Trial | undefined,
    } = {},
  ): void {
    const repeats = run.some(jumpsBack);
    const next = new Set([...follow.lines, ...(own.length > 1 || repeats ? own : [])]);
    const binds = new Set([...effects.binds, ...this.handled.map(({ name }) => name)]);
    const kept = this.handled.filter(({ name, lines }) => {
      const stays = !returns && [...next].every((line) => lines.has(line));
      return stays && !effects.binds.has(name);
    });
    const { surely, first, all, named } = this.callees.entering(
      run,
      always && own.length === 1,
      effects.hides,
    );
    const flow = {
      own: new Set(own),
      next,
      returns,
      ends: follow.ends,
      comesAgain: own.length > 1 && own.some((line) => follow.lines.has(line)),
      enters: surely,
      entered: first,
      called: all,
      named,
      hasBody: run.some(hasBody),
      isQuiet,
      caught: isIterable || run.some(swallows) ? undefined : this.caught,
      goesOn,
      mayHold: this.facts.finalizers === 'loops' && run.some((node) => this.facts.mayHold(node)),
      asserts: run.some(({ name }) => name === 'AssertStatement'),
      effects: { ...effects, binds },
      keeps: new Set(kept.map(({ name }) => name)),
      trial,
    };
    const isDecided = order && ordered && !repeats && !flow.comesAgain && testsOf(order).length > 0;
    const text = ({ from, to }: Span): string => this.facts.source.slice(from, to);
    const decides = isDecided ? deciding(ordered, text, ways, flow) : undefined;
    const written = order && callsWrittenIn(run);
    for (const line of own) {
      const isPassed = order?.last.has(line) || order?.next.has(line);
      const known = order && isPassed && !repeats ? passed(order, line, ways, flow) : undefined;
      const made = known && order && written && !flow.comesAgain ? madeOn(order, line, written) : undefined;
      merge(this.found, line, known ? { ...flow, ...known, made, decides } : flow);
    }
  }

  private release(lines: Iterable<number>): void {
    for (const line of lines) this.open.add(line);
  }

  private sequence(statements: readonly SyntaxNode[], follow: Follow, jumps: Jumps): void {
    let decorators: (readonly number[])[] = [];
    const entries = this.lines.entries(statements, follow);
    statements.forEach((statement, index) => {
      const after = entries[index + 1] as Follow;
      if (this.input.decorators.has(statement.from)) {
        decorators.push(this.lines.head(statement));
        return;
      }
      if (decorators.length > 0) {
        const effects = effectsOf([statement], { ...this.facts, hidden: 'anywhere' });
        // A decorator may be `(yield)`.
        const lines = [...decorators.flat(), ...this.lines.head(statement)];
        const before = statements.slice(index - decorators.length, index);
        const isWhole = !before.some(suspends);
        const order = isWhole ? decoratedOrder(statement, decorators, this.lines.head(statement)) : undefined;
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
    if (isBareRaise(node)) this.release(this.lines.head(node));
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
    const yields = head.some(suspends);
    const order = this.lines.orderOf(node);
    this.record(this.lines.head(node), follow, effectsOf([node], this.facts), run, {
      returns: follow.ends || yields,
      always: !yields,
      isQuiet: isQuiet(node),
      order,
      ordered: (truth) => this.lines.orderOf(node, truth),
    });
  }

  /** Records the head of a compound statement, whose expressions may yield; an iterable is evaluated once. */
  private test(
    lines: readonly number[],
    { holds, fails }: Ways,
    test: readonly SyntaxNode[],
    effects: Effects,
    isIterable = false,
  ): void {
    const yields = test.some(suspends);
    const returns = holds.ends || fails.ends || yields;
    const order = isIterable ? undefined : this.lines.conditionOrder(test, lines);
    this.record(lines, both(holds, fails), effects, test, {
      returns,
      always: !isIterable && !yields,
      isIterable,
      goesOn: isIterable && this.goesOn(test),
      order,
      ways: { holds, fails },
      ordered: (truth) => this.lines.conditionOrder(test, lines, truth),
    });
  }

  /** Whether the head of a loop runs nothing of the program but before its first pass. */
  private goesOn(head: readonly SyntaxNode[]): boolean {
    const { targets, iterable } = loopHead(head);
    const areNames = targets.every(({ name }) => name === 'VariableName' || name === ',');
    const { mayAsk, specials, source } = this.facts;
    const isTaken = targets.length > 1 && specials.has('iter') && !givesTuples(iterable, this.facts);
    const isOpen = iterable === undefined || mayAsk(iterable) || /\b(?:async|weakref)\b/.test(source);
    return areNames && !isTaken && !isOpen;
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
    const inside = body.flatMap(({ from, to }) => this.lines.span(from, to));
    const [first = line, last = line] = [inside[0], inside.at(-1)];
    const decides = !test.every(isConstant) && !body.every(leavesNoCode);
    const stays = !test.some(suspends);
    if (more.length === 0 && first > line && decides && stays)
      this.conditions.set(line, {
        ...(this.isOpenEnded ? { holds: undefined, fails: undefined } : { holds, fails }),
        body: { first, last },
      });
  }

  private branches(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    let otherwise = follow;
    for (const { keyword, test, body, lines } of this.lines.blocks(node).reverse()) {
      const inside = this.lines.entry(body, follow);
      this.sequence(body, follow, jumps);
      if (keyword.name === 'else') otherwise = inside;
      else {
        // CPython 3.10 may stop in a body that it has dropped, where that would end.
        const isDecided = test.every(isConstant);
        const dropped = onLines(isDecided ? this.lines.under(body) : []);
        const ways = { holds: both(inside, dropped), fails: both(otherwise, dropped) };
        this.test(lines, ways, test, effectsOf(test, this.facts));
        this.condition(lines, test, body, inside, otherwise);
        otherwise = onLines(this.lines.conditionOrder(test, lines)?.first ?? lines);
      }
    }
  }

  private loop(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const [main, otherwise] = this.lines.blocks(node);
    if (main === undefined) return;
    const done = otherwise === undefined ? follow : this.lines.entry(otherwise.body, follow);
    const isEndless = node.name === 'WhileStatement' && main.test.every(isConstant);
    const header = onLines(this.lines.orderOf(node)?.first ?? main.lines);
    const inside = this.lines.entry(main.body, header);
    const again = isEndless ? both(header, inside) : header;
    const isFor = node.name === 'ForStatement';
    const effects = (isFor ? effectsOfLoop : effectsOf)(main.test, this.facts);
    this.test(main.lines, { holds: inside, fails: done }, main.test, effects, isFor);
    if (main.keyword.name !== 'async') this.condition(main.lines, main.test, main.body, inside, done);
    this.sequence(main.body, again, { ...jumps, header: again, after: follow });
    if (otherwise !== undefined) this.sequence(otherwise.body, follow, jumps);
  }

  private attempt(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const blocks = this.lines.blocks(node);
    const find = (name: string): readonly SyntaxNode[] | undefined =>
      blocks.find(({ keyword }) => keyword.name === name)?.body;
    const last = find('finally');
    const tail = last === undefined ? follow : this.lines.entry(last, follow);
    const otherwise = find('else');
    const quiet = otherwise === undefined ? tail : this.lines.entry(otherwise, tail);
    const within = {
      ...jumps,
      cleanup: new Set([...jumps.cleanup, ...(last === undefined ? [] : tail.lines)]),
    };
    const isGroup = blocks.some(({ test }) => test[0]?.name === '*');
    const handlers = blocks.filter(({ keyword }) => keyword.name === 'except').map(({ lines }) => lines);
    const clauses = handlers.flat();
    if (!isGroup) this.attempts.push(...attemptOf(blocks, this.lines, ({ test }) => this.namesAfterAs(test)));
    const [first] = handlers;
    const outside = this.caught;
    const behind = last === undefined ? outside : tail;
    for (const { keyword, test, body, lines } of blocks) {
      this.caught = keyword.name === 'finally' ? outside : behind;
      if (keyword.name === 'try') {
        this.record([this.lines.lineOf(node)], this.lines.entry(body, quiet), effectsOf([], this.facts), []);
        if (first !== undefined) this.caught = isGroup ? undefined : onLines(first);
        this.sequence(body, quiet, within);
      } else if (keyword.name === 'except') {
        this.release(lines);
        // `except*`: the clauses after this one are tried too.
        const left = both(tail, onLines(isGroup ? clauses : lines));
        const inside = { ...within, cleanup: new Set([...within.cleanup, ...lines]) };
        const around = this.handled;
        const under = this.lines.under(body);
        this.handled = [...around, ...this.namesAfterAs(test).map((name) => ({ name, lines: under }))];
        // Behind an `except*` what no clause took is raised again without an `exception` event.
        if (isGroup) this.openEnded(body, left, inside);
        else this.sequence(body, left, inside);
        this.handled = around;
      } else if (keyword.name === 'else') this.sequence(body, tail, within);
      else this.cleanup(body, this.behindCleanup(follow, jumps), jumps);
    }
    this.caught = outside;
  }

  /** Lines on which a frame may go on behind the `finally` of a statement, however it came there. */
  private behindCleanup(follow: Follow, jumps: Jumps): Follow | undefined {
    const { caught } = this;
    if (caught === undefined) return undefined;
    return [caught, jumps.header, jumps.after, onLines(jumps.cleanup)].reduce(both, follow);
  }

  /** The body of a `finally`. */
  private cleanup(body: readonly SyntaxNode[], follow: Follow | undefined, jumps: Jumps): void {
    this.openEnded(body, follow ?? functionEnd, jumps, (line) => {
      const next = this.found.get(line)?.next;
      const known = this.cleanups.get(line) ?? nowhere.lines;
      if (follow && next) this.cleanups.set(line, new Set([...known, ...next]));
    });
  }

  /** A body after which an exception or a jump that was under way may go on: nothing is known of its lines but which are conditions. */
  private openEnded(
    body: readonly SyntaxNode[],
    follow: Follow,
    jumps: Jumps,
    note: (line: number) => void = () => undefined,
  ): void {
    const around = this.isOpenEnded;
    this.isOpenEnded = true;
    this.sequence(body, follow, jumps);
    this.isOpenEnded = around;
    const lines = this.lines.under(body);
    for (const line of lines) if (!this.open.has(line)) note(line);
    this.release(lines);
  }

  private namesAfterAs(nodes: readonly SyntaxNode[]): string[] {
    const names = nodes.filter((_, index) => nodes[index - 1]?.name === 'as');
    return names.map((name) => nodeText(this.facts.source, name));
  }

  private managed(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const lines = this.lines.head(node);
    this.release(lines);
    const cleanup = new Set([...jumps.cleanup, ...lines]);
    const outside = this.caught;
    this.caught = onLines(lines);
    for (const { body } of this.lines.blocks(node))
      this.sequence(body, both(follow, onLines(lines)), { ...jumps, cleanup });
    this.caught = outside;
  }

  private match(node: SyntaxNode, follow: Follow, jumps: Jumps): void {
    const { facts } = this;
    const found = matchStatement(node, follow, this.lines, facts, this.input);
    const { lines, subject, clauses, after, isOpen } = found;
    const first = onLines(clauses[0]?.lines ?? []);
    this.record(lines, first, effectsOf(subject, facts), subject);
    for (const { lines: own, head, body, holds, fails, effects, trial } of clauses) {
      this.record(own, both(holds, fails), effects, head, { trial });
      this.sequence(body, after, jumps);
    }
    if (isOpen) this.release([...lines, ...clauses.flatMap((clause) => clause.lines)]);
  }
}
