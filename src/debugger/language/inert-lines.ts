/** Lines that run nothing of the program, whatever its classes, generators and callbacks are. */
import type { SyntaxNode } from '@lezer/common';
import { type BuiltinValues, kinds } from './builtin-values.js';
import type { ProgramFacts } from './effects.js';
import { builtinException, givesTuples, takesApart } from './special-runs.js';
import { childrenOf, clausesOf, nodeText, sidesOf } from './syntax-nodes.js';

/** What makes code run where names and attributes are read, bound or forgotten. */
const runsAnywhere =
  /__(?:getattr|getattribute|setattr|delattr|get|set|delete|del|set_name)__|\b(?:weakref|settrace|setprofile|signal|threading|concurrent|asyncio|async|gc|metaclass)\b/;
/** Properties that are made otherwise than by `@property`: which names read them is not known. */
const otherProperty = /(?<!@)property\b/;
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const constants = words('Number String Boolean None Ellipsis');
const punctuation = /^[()[\]{},:]$/;

/** Whether names and attributes, but those of its properties, are read, bound and forgotten in a program without anything being run for it. */
export const hasPlainNames = (source: string, finalizers: boolean): boolean =>
  !finalizers && !runsAnywhere.test(source) && !otherProperty.test(source);

/** Functions of builtins that neither go over what they are given nor call it. */
const looking = words(
  'abs bin bool callable chr divmod float format hash hex id int isinstance issubclass len oct ord pow range repr round str type',
);
/** Those that go over it, and do no more with what is in it than put it together, add, compare or count it. */
const goingOver = words('all any enumerate frozenset list max min reversed set sorted sum tuple zip');
/** Methods of texts, lists and dicts that change nothing, and go over nothing that they are given. */
const lookingMethods = words(
  'bit_length capitalize casefold center count encode endswith expandtabs find format get index is_integer isalnum isalpha isascii isdecimal isdigit isidentifier ' +
    'islower isnumeric isprintable isspace istitle isupper items keys ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust ' +
    'rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper values zfill',
);
/** Methods of lists and their like that change these, and go over nothing that they are given, or over all of it. */
const changingMethods = words(
  'add append appendleft clear discard insert pop popitem popleft remove reverse rotate setdefault',
);
const takingMethods = words('extend extendleft update');
/** Fields of data classes that something of the program makes. */
const makesDefaults = /\bdefault_factory\s*=\s*(?!(?:dict|float|frozenset|int|list|set|str|tuple)\s*[,)])/;
/** A view of a dict that is not gone over there and then: what is taken from it may be. */
const keptView = /^(?:(?!\bin\b).)*\.(?:keys|items)\(\)/m;

/** Whether a statement, or an expression that one asks, runs nothing of the program but special methods of its classes (special-runs.ts). */
export const isInert = (node: SyntaxNode, facts: ProgramFacts): boolean =>
  facts.plainNames && new InertWalk(facts).head(node);

/** The same, unless a function of the program that it names is called. */
export const runsOnlyNamed = (node: SyntaxNode, facts: ProgramFacts): boolean =>
  facts.plainNames && new InertWalk(facts, true).head(node);

class InertWalk {
  /** Whether only what reads, binds and puts together names and attributes is inert. */
  private readonly isStrict: boolean;
  private readonly values: BuiltinValues;

  constructor(
    private readonly facts: ProgramFacts,
    private readonly mayCall = false,
  ) {
    this.isStrict = facts.hidden === 'anywhere';
    this.values = facts.values;
  }

  head(node: SyntaxNode): boolean {
    const parts = childrenOf(node);
    const around = node.parent?.name ?? '';
    // An exception may leave the statement, and close what it holds.
    if (this.facts.cleansUp && this.facts.mayHold(node)) return false;
    if (/^(?:Match(?:Statement|Clause)|WithStatement|TryStatement)$/.test(around)) return false;
    if (around === 'ForStatement' && node.prevSibling?.name === 'in')
      return !this.isStrict && this.isGoneOver(node) && this.value(node);
    switch (node.name) {
      case 'PassStatement':
      case 'ContinueStatement':
        return true;
      case 'BreakStatement':
        return !this.facts.mayHold(node);
      case 'ReturnStatement':
        return !this.facts.mayHold(node) && this.all(parts.slice(1));
      case 'AssertStatement':
        return !this.isStrict && this.all(parts.slice(1));
      case 'RaiseStatement':
        return this.mayCall && !this.facts.mayHold(node) && this.all(parts.slice(1));
      case 'ExpressionStatement':
        return this.all(parts);
      case 'AssignStatement':
        return this.assigns(parts);
      case 'UpdateStatement':
        return this.updates(parts);
      default:
        return this.all([node]);
    }
  }

  private text(node: SyntaxNode): string {
    return nodeText(this.facts.source, node);
  }

  private assigns(parts: readonly SyntaxNode[]): boolean {
    const { targets: before, values } = sidesOf(parts);
    const targets = before.filter(({ name }) => !/^(?:TypeDef|AssignOp)$/.test(name));
    const isKnown = values.length > 1 || this.isKnown(values[0]);
    return targets.length > 0 && this.areTargets(targets, isKnown) && this.all(values);
  }

  private updates([target, operator, value]: readonly SyntaxNode[]): boolean {
    if (this.isStrict || target === undefined || operator === undefined || value === undefined) return false;
    // A list takes what is in the value.
    return (this.isKnown(value) || this.isLiteral(target)) && this.all([target, value]);
  }

  /** Whether all of them are inert as values, with whatever stands between them. */
  private all(nodes: readonly SyntaxNode[]): boolean {
    return nodes.every((node) => punctuation.test(node.name) || this.value(node));
  }

  /** `isKnown`: what is taken apart, if anything, is of builtins itself. */
  private areTargets(targets: readonly SyntaxNode[], isKnown: boolean): boolean {
    const isApart = this.isStrict
      ? takesApart(targets, false)
      : this.facts.iterators && takesApart(targets, isKnown);
    return !isApart && this.all(targets);
  }

  /** Whether what a node comes to is of builtins, and no iterator that runs code of the program. */
  private isKnown(node: SyntaxNode | undefined): boolean {
    return !this.facts.iterators || this.values.kindOf(node) !== kinds.anything;
  }

  private isLiteral(node: SyntaxNode | undefined): boolean {
    return this.values.kindOf(node) === kinds.literal;
  }

  /** Whether to go over it asks no generator, and calls nothing. */
  private isGoneOver(node: SyntaxNode | undefined): boolean {
    return this.isKnown(node) || (node !== undefined && givesTuples(node, this.facts));
  }

  private value(node: SyntaxNode): boolean {
    const { name } = node;
    if (constants.has(name) || name === 'VariableName') return true;
    const parts = childrenOf(node);
    const inner = parts.filter((part) => !punctuation.test(part.name));
    switch (name) {
      case 'MemberExpression':
        return this.member(parts);
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'ParenthesizedExpression':
        return (
          parts.every(({ name }, at) => name !== '*' || this.isStar(parts[at + 1])) && this.operands(inner)
        );
      // Keys and members are hashed, and compared with others.
      case 'SetExpression':
        return inner.every((part) => (this.isStrict ? constants.has(part.name) : this.value(part)));
      case 'DictionaryExpression':
        return inner.every((part, at) =>
          this.isStrict && at % 2 === 0 ? constants.has(part.name) : this.value(part),
        );
      case 'BinaryExpression':
        return this.operation(parts);
    }
    if (this.isStrict) return false;
    switch (name) {
      case 'ContinuedString':
      case 'LambdaExpression':
        return true;
      case 'UnaryExpression':
      case 'ConditionalExpression':
      case 'NamedExpression':
        return this.operands(inner);
      case 'FormatString':
      case 'FormatReplacement':
      case 'FormatSpec':
        return inner.every((part) => /^Format(?:Conversion|SelfDoc)$/.test(part.name) || this.value(part));
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
        return this.comprehension(node);
      case 'CallExpression':
        return this.call(parts);
      default:
        return false;
    }
  }

  /** What stands between operators and words. */
  private operands(parts: readonly SyntaxNode[]): boolean {
    return parts.every(
      (part) => /^(?:[*]|not|if|else|ArithOp|BitOp|AssignOp)$/.test(part.name) || this.value(part),
    );
  }

  private isStar(node: SyntaxNode | undefined): boolean {
    return !this.isStrict && this.isGoneOver(node);
  }

  /** An attribute that is no property, or an item. */
  private member(parts: readonly SyntaxNode[]): boolean {
    const [base, dot, name] = parts;
    if (base === undefined || !this.value(base)) return false;
    if (dot?.name !== '[')
      return name?.name === 'PropertyName' && !this.facts.properties.has(this.text(name));
    const isLookedUp = this.facts.hidden !== 'items' || this.isLiteral(base);
    return !this.isStrict && isLookedUp && this.all(parts.slice(2));
  }

  private operation(parts: readonly SyntaxNode[]): boolean {
    const [left, right] = [parts[0], parts.at(-1)];
    const signs = parts.slice(1, -1).map((part) => this.text(part));
    if (left === undefined || right === undefined || !this.all([left, right])) return false;
    if (signs.length > 0 && signs.every((sign) => /^(?:is|not)$/.test(sign)) && signs[0] === 'is')
      return true;
    if (this.isStrict) return false;
    if (signs.at(-1) === 'in') return this.isKnown(right);
    const isOfSets = /^[-&|^]$/.test(signs[0] ?? '');
    const isOfView = keptView.test(this.facts.source) && !this.isLiteral(left);
    return !isOfSets || !isOfView || this.isKnown(right);
  }

  private comprehension(node: SyntaxNode): boolean {
    const { elements, clauses, wrong } = clausesOf(node);
    return (
      wrong === undefined &&
      this.all(elements) &&
      clauses.every(
        ({ isAsync, targets, iterable, conditions }) =>
          !isAsync &&
          this.areTargets(targets, givesTuples(iterable, this.facts)) &&
          this.isGoneOver(iterable) &&
          this.all([iterable, ...conditions]),
      )
    );
  }

  private call([callee, list]: readonly SyntaxNode[]): boolean {
    if (callee === undefined || list === undefined) return false;
    const given = childrenOf(list).slice(1, -1);
    if (given.some(({ name }) => name === '*' || name === '**')) return false;
    if (given.some(({ name }) => name === 'for'))
      return this.mayCall && this.asks(callee) && this.comprehension(list);
    const named = given.flatMap((part, at) => {
      if (given[at + 1]?.name !== 'AssignOp') return [];
      const isKey = this.mayCall && this.text(part) === 'key' && given[at + 2]?.name === 'LambdaExpression';
      return isKey ? [] : [this.text(part)];
    });
    const values = given.filter(
      (part, at) => !/^(?:,|AssignOp)$/.test(part.name) && given[at + 1]?.name !== 'AssignOp',
    );
    if (!this.all(values)) return false;
    const isPlain = named.every((name) => name === 'reverse' || name === 'default');
    if (callee.name === 'VariableName')
      return (this.mayCall && this.isNamed(callee)) || (isPlain && this.function(this.text(callee), values));
    const base = callee.firstChild;
    const name = callee.lastChild;
    if (base === null || name?.name !== 'PropertyName' || !this.value(base) || this.values.isImported(base))
      return false;
    const isOurs = this.mayCall && this.values.isOfFunctions(this.text(name));
    return isOurs || (isPlain && this.method(this.text(name), values));
  }

  /** Whether a call of a builtin asks a generator expression for its items, and does no more with these than `goingOver`. */
  private asks(callee: SyntaxNode): boolean {
    const name = callee.name === 'VariableName' ? callee : callee.lastChild;
    if (name?.name === 'PropertyName') return this.text(name) === 'join' && this.values.isOfBuiltins('join');
    return name?.name === 'VariableName' && this.function(this.text(name), []);
  }

  /** Whether a name is that of a function or a class of the program, or of an exception of builtins. */
  private isNamed(node: SyntaxNode): boolean {
    const name = this.text(node);
    if (this.facts.plainFunctions.has(name)) return true;
    if (this.values.isClass(node)) return !makesDefaults.test(this.facts.source);
    return !this.facts.bound.has(name) && (name === 'super' || builtinException.test(name));
  }

  private function(name: string, given: readonly SyntaxNode[]): boolean {
    if (this.facts.bound.has(name)) return false;
    const areCompared = /^(?:min|max)$/.test(name) && given.length > 1;
    if (looking.has(name) || areCompared) return true;
    const over = name === 'zip' ? given : given.slice(0, 1);
    return goingOver.has(name) && over.every((part) => this.isGoneOver(part));
  }

  private method(name: string, given: readonly SyntaxNode[]): boolean {
    if (!this.values.isOfBuiltins(name)) return false;
    if (lookingMethods.has(name) || (this.mayCall && changingMethods.has(name))) return true;
    const isTaking = name === 'join' || (this.mayCall && takingMethods.has(name));
    return isTaking && given.every((part) => this.isGoneOver(part));
  }
}
