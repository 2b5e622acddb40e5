/**
 * What running the head of a statement can do to the names of its frame, read off the syntax tree. Everything here errs on the side of
 * "may change": a name is only said to stay when Python gives the statement no way to touch it.
 */
import type { SyntaxNode } from '@lezer/common';
import type { Finalizers } from './flow.js';
import type { Hidden } from './hidden-calls.js';
import { isInert, runsOnlyNamed } from './inert-lines.js';
import { isChanging } from './known-calls.js';
import { givesTuples, mayRunSpecial, mayUnpack, type SpecialFacts, takesApart } from './special-runs.js';
import { childrenOf, loopHead, nodeText } from './syntax-nodes.js';

export interface Effects {
  /** Names that the statement itself may bind or unbind. */
  readonly binds: ReadonlySet<string>;
  /** Names updated in place (`x += y`): an object with other names changes under these too if it is mutable. */
  readonly updates: ReadonlySet<string>;
  /** Whether no object that exists before can change, but for those behind `updates`. */
  readonly quiet: boolean;
  /** Whether a function of the program may be entered. */
  readonly calls: boolean;
  /** Whether lists and their like may change before a function of the program is entered: something else is called that may change them. */
  readonly disturbs: boolean;
  /** Whether items or attributes are assigned or deleted. */
  readonly stores: boolean;
  /** Whether a special method of the program may be entered (special-runs.ts). */
  readonly operates: boolean;
  /** Whether functions of the program may be entered that are not named. */
  readonly hides: boolean;
}

/** What must be known of the whole program. */
export interface ProgramFacts extends SpecialFacts {
  /** Where code runs though no call of a function of the program is written, but for special methods of its classes: generators, callbacks. */
  readonly hidden: Hidden;
  /** Whether names and attributes are read, bound and forgotten without anything being run for it (inert-lines.ts). */
  readonly plainNames: boolean;
  /** Names of its properties: what reads one of an object enters a function. */
  readonly properties: ReadonlySet<string>;
  /** Where code of the program may run when an object is dropped: generators are closed, `__del__` is called. */
  readonly finalizers: Finalizers;
  /** Whether generators do something as they are closed. */
  readonly cleansUp: boolean;
  /** Whether anything may be held in a variable that runs code of the program when it is gone over, but for objects with special methods. */
  readonly iterators: boolean;
  /** Whether the passes of a loop over this may run functions of the program, once the first one has begun. */
  readonly mayAsk: (iterable: SyntaxNode) => boolean;
  /** Whether a statement may hold a generator, where nothing but what goes over them does. */
  readonly mayHold: (node: SyntaxNode) => boolean;
  /** Names by which a call surely enters a function of the program (certain-calls.ts). */
  readonly plainFunctions: ReadonlySet<string>;
}

/** Builtins that change nothing and call nothing of the program, unless they are given a callback. */
const pureFunctions = new Set(
  (
    'abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate float format frozenset hash hex id int isinstance ' +
    'issubclass len list max min oct ord pow print range repr reversed round set slice sorted str sum tuple type zip ' +
    'Exception ArithmeticError AssertionError AttributeError IndexError KeyError LookupError NameError NotImplementedError OSError ' +
    'OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError'
  ).split(' '),
);

/** Methods of built-in types that change nothing. */
const pureMethods = new Set(
  (
    'capitalize casefold center copy count decode difference encode endswith expandtabs find fromkeys get index intersection isalnum isalpha ' +
    'isascii isdecimal isdigit isdisjoint isidentifier islower isnumeric isprintable isspace issubset issuperset istitle isupper items join ' +
    'keys ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split ' +
    'splitlines startswith strip swapcase symmetric_difference title translate union upper values zfill bit_length is_integer hex ' +
    'conjugate as_integer_ratio'
  ).split(' '),
);

const nothing: Effects = {
  binds: new Set(),
  updates: new Set(),
  quiet: true,
  calls: false,
  disturbs: false,
  stores: false,
  operates: false,
  hides: false,
};

/** The effects of one statement's head, or of a test: `nodes` without the statements inside. */
export function effectsOf(nodes: readonly SyntaxNode[], facts: ProgramFacts): Effects {
  return nodes.map((node) => new EffectWalk(facts).run(node)).reduce(joined, nothing);
}

/** Both one after the other. A name that one binds and the other updates stands for an object that cannot be told beforehand. */
export function joined(a: Effects, b: Effects): Effects {
  const rebinds =
    [...a.updates].some((name) => b.binds.has(name)) || [...b.updates].some((name) => a.binds.has(name));
  return {
    binds: new Set([...a.binds, ...b.binds]),
    updates: new Set([...a.updates, ...b.updates]),
    quiet: a.quiet && b.quiet && !rebinds,
    calls: a.calls || b.calls,
    disturbs: a.disturbs || b.disturbs,
    stores: a.stores || b.stores,
    operates: a.operates || b.operates,
    hides: a.hides || b.hides,
  };
}

class EffectWalk {
  private readonly binds = new Set<string>();
  private readonly updates = new Set<string>();
  private quiet = true;
  private calls = false;
  private disturbs = false;
  private stores = false;

  constructor(private readonly facts: ProgramFacts) {}

  run(node: SyntaxNode): Effects {
    this.visit(node);
    return this.found(node, mayRunSpecial(node, this.facts));
  }

  /** The effects of assigning to `node`. */
  targets(node: SyntaxNode): Effects {
    this.bind(node);
    this.visit(node);
    return this.found(node, false);
  }

  private found(node: SyntaxNode, operates: boolean): Effects {
    const mayHide = this.facts.hidden !== 'nowhere';
    const isBare = mayHide && isInert(node, this.facts);
    const hiddenCalls = operates || (mayHide && !isBare);
    return {
      binds: this.binds,
      updates: this.updates,
      quiet: this.quiet && !hiddenCalls,
      calls: this.calls || hiddenCalls,
      disturbs: this.disturbs,
      stores: this.stores,
      operates,
      hides: operates || !(isBare || runsOnlyNamed(node, this.facts)),
    };
  }

  private text(node: SyntaxNode): string {
    return nodeText(this.facts.source, node);
  }

  /** Names in a target count as bound: also the x of `x[i] = y`, which binds nothing. */
  private bind(node: SyntaxNode): void {
    const children = childrenOf(node);
    const isMember = node.name === 'MemberExpression';
    if (node.name === 'VariableName') this.binds.add(this.text(node));
    if (isMember) this.store();
    for (const child of isMember ? children.slice(0, 1) : children) this.bind(child);
  }

  /** An item or attribute is assigned or deleted. */
  private store(): void {
    this.quiet = false;
    this.stores = true;
  }

  private visit(node: SyntaxNode): void {
    if (node.name === 'AssignStatement') this.assign(node);
    else if (node.name === 'UpdateStatement') this.update(node);
    else if (node.name === 'CallExpression') this.call(node);
    else if (node.name === 'MemberExpression') this.member(node);
    else if (node.name === 'NamedExpression') this.bind(childrenOf(node)[0] as SyntaxNode);
    else if (node.name === 'ArgList') this.namedArguments(node);
    else if (['DeleteStatement', 'ImportStatement', 'ForStatement', 'FunctionDefinition'].includes(node.name))
      this.bind(node);
    else if (node.name === 'ClassDefinition' || node.name === 'DecoratedStatement') this.anything(node);
    if (/Comprehension|^ArgList$/.test(node.name)) this.loops(node);
    // A generator expression that is asked has a frame of its own.
    this.calls ||= node.name === 'ArgList' && childrenOf(node).some(({ name }) => name === 'for');
    for (const child of childrenOf(node)) this.visit(child);
  }

  /** What a comprehension binds is its own, but items and attributes are stored. */
  private loops(node: SyntaxNode): void {
    let isTarget = false;
    for (const child of childrenOf(node)) {
      isTarget = child.name === 'for' || (isTarget && child.name !== 'in');
      if (isTarget) this.storesIn(child);
    }
  }

  private storesIn(target: SyntaxNode): void {
    if (target.name === 'MemberExpression') this.store();
    else for (const child of childrenOf(target)) this.storesIn(child);
  }

  /** `f(x := y)` has no node of its own. */
  private namedArguments(list: SyntaxNode): void {
    const children = childrenOf(list);
    children.forEach((child, index) => {
      const target = children[index - 1];
      if (child.name === 'AssignOp' && this.text(child) === ':=' && target !== undefined) this.bind(target);
    });
  }

  private anything(node: SyntaxNode): void {
    this.bind(node);
    this.enters();
  }

  private assign(node: SyntaxNode): void {
    const children = childrenOf(node);
    const last = children.findLastIndex(({ name }) => name === 'AssignOp');
    for (const child of children.slice(0, last < 0 ? children.length : last)) this.bind(child);
  }

  private update(node: SyntaxNode): void {
    const target = childrenOf(node)[0];
    if (target === undefined) return;
    this.bind(target);
    if (target.name === 'VariableName') this.updates.add(this.text(target));
    else this.store();
  }

  private call(node: SyntaxNode): void {
    if (this.isPure(node)) return;
    this.quiet = false;
    this.calls = true;
    this.disturbs ||= !this.entersOnly(childrenOf(node)[0]);
  }

  /** Whether a call does nothing but enter a function of the program, or make an object of a class. */
  private entersOnly(callee: SyntaxNode | undefined): boolean {
    const { values, plainFunctions } = this.facts;
    if (callee?.name === 'VariableName')
      return plainFunctions.has(this.text(callee)) || values.isClass(callee);
    const name = callee?.name === 'MemberExpression' ? callee.lastChild : undefined;
    if (name?.name !== 'PropertyName' || values.isImported(callee?.firstChild ?? undefined)) return false;
    return values.isOfFunctions(this.text(name)) && !isChanging(this.text(name));
  }

  private member(node: SyntaxNode): void {
    const name = node.lastChild;
    if (name?.name === 'PropertyName' && this.facts.properties.has(this.text(name))) this.enters();
  }

  /** Some function of the program may run. */
  private enters(): void {
    this.quiet = false;
    this.calls = true;
    this.disturbs = true;
  }

  private isPure(node: SyntaxNode): boolean {
    const [callee, list] = childrenOf(node);
    if (callee === undefined || list === undefined) return false;
    if (childrenOf(list).some((child) => child.name === '**' || this.text(child) === 'key')) return false;
    if (callee.name === 'VariableName') {
      const name = this.text(callee);
      return pureFunctions.has(name) && !this.facts.bound.has(name);
    }
    const method = callee.name === 'MemberExpression' ? childrenOf(callee).at(-1) : undefined;
    const name = method?.name === 'PropertyName' ? this.text(method) : '';
    return pureMethods.has(name) && !this.facts.functions.has(name);
  }
}

/** The names bound by the targets of a `for`, and what evaluating its iterable does. */
export function effectsOfLoop(test: readonly SyntaxNode[], facts: ProgramFacts): Effects {
  const { targets, iterable: over } = loopHead(test);
  const iterable = effectsOf(test.slice(targets.length + 1), facts);
  const areTuples = givesTuples(over, facts);
  const operates = mayUnpack(targets, facts, areTuples);
  const asks = facts.iterators && facts.hidden !== 'nowhere' && takesApart(targets, areTuples);
  const enters = operates || asks;
  const entered = { quiet: false, calls: true, operates: operates || iterable.operates, hides: true };
  return targets.reduce(
    (found, target) => joined(found, new EffectWalk(facts).targets(target)),
    enters ? { ...iterable, ...entered } : iterable,
  );
}
