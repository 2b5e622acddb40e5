/**
 * Which methods with special names (`__len__`) a statement may run, though no call of them is written: by its operators, loops, conditions, displays and what builtins do
 * with what they are given. Everything here errs on the side of "may run" (https://docs.python.org/3/reference/datamodel.html#special-method-names).
 */
import type { SyntaxNode } from '@lezer/common';
import { type BuiltinValues, kinds } from './builtin-values.js';
import { childrenOf, loopHead, nodeText, sidesOf } from './syntax-nodes.js';

/** What must be known of the whole program. */
export interface SpecialFacts {
  readonly source: string;
  /** Names of special methods that the program defines, without their underscores. */
  readonly specials: ReadonlySet<string>;
  /** Names that the program binds anywhere: a builtin's name among them is no builtin. */
  readonly bound: ReadonlySet<string>;
  /** Names of its functions: a method of builtins that is called like one may be that. */
  readonly functions: ReadonlySet<string>;
  /** What its names and attributes stand for, where that is known. */
  readonly values: BuiltinValues;
}

const words = (text: string): readonly string[] => text.split(' ');
const truth = words('bool len');
const iterating = words('iter next getitem len length_hint');
const comparing = words('lt le gt ge eq ne');
/** What is asked of keys and members. Where a class has no hash of its own, its objects are none if it says which are equal. */
const keying = words('hash');
const finding = words('eq');
const writing = words('str repr format');
const containing = words('contains iter next getitem eq hash');
const subscripting = words('getitem setitem delitem missing index hash class_getitem');
const calling = words('call new post_init init_subclass');
const numbers = words('add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or');
const arithmetic = [
  ...numbers.flatMap((name) => [name, `r${name}`, `i${name}`]),
  ...words('neg pos abs invert index'),
];

/** Special methods by which code may run, or something else may be meant, wherever a name or an attribute stands. */
const anywhere = words(
  'getattr getattribute setattr delattr get set delete del set_name prepare instancecheck subclasscheck class dict mro_entries enter exit await aiter anext aenter aexit',
);

/** What functions of builtins do with what they are given. */
const byFunction = new Map(
  Object.entries({
    len: words('len'),
    bool: truth,
    range: words('index'),
    chr: words('index'),
    ord: [],
    bin: words('index'),
    hex: words('index'),
    oct: words('index'),
    int: words('int index trunc'),
    float: words('float index'),
    abs: words('abs'),
    round: words('round'),
    hash: words('hash'),
    divmod: arithmetic,
    pow: arithmetic,
    iter: iterating,
    next: iterating,
    reversed: [...iterating, 'reversed'],
    list: iterating,
    tuple: iterating,
    enumerate: iterating,
    zip: iterating,
    any: [...iterating, ...truth],
    all: [...iterating, ...truth],
    sum: [...iterating, ...arithmetic],
    min: [...iterating, ...comparing],
    max: [...iterating, ...comparing],
    sorted: [...iterating, ...comparing],
    set: [...iterating, ...keying],
    frozenset: [...iterating, ...keying],
    dict: [...iterating, ...keying],
    str: writing,
    repr: writing,
    ascii: writing,
    format: writing,
    print: writing,
    id: [],
    callable: [],
    isinstance: [],
    issubclass: [],
    type: [],
    super: [],
    object: [],
  }),
);

/** What methods of builtins do. */
const byMethod = new Map<string, readonly string[]>([
  ...words(
    'append appendleft clear copy popleft items keys values reverse rotate capitalize casefold center encode endswith expandtabs isalnum isalpha isascii ' +
      'isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust lower lstrip partition removeprefix removesuffix rfind rindex ' +
      'rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill bit_length is_integer find',
  ).map((name) => [name, []] as const),
  ...words('get pop popitem setdefault add discard insert move_to_end').map(
    (name) => [name, [...keying, 'index']] as const,
  ),
  ...words('remove count index').map((name) => [name, [...keying, ...finding, 'index']] as const),
  ...words('extend extendleft update join fromkeys union intersection difference symmetric_difference').map(
    (name) => [name, [...iterating, ...keying, ...comparing]] as const,
  ),
  ['sort', [...comparing, ...iterating]],
  ['format', writing],
]);

/** Functions that may give back an object that they were given, or what its methods give. */
const givesBack = new Set(words('min max next round abs divmod pow sum iter reversed object'));
/** The same of methods. */
const handsOut = new Set(words('get pop popitem popleft setdefault'));
export const builtinException =
  /^(?:BaseException|\w*(?:Error|Exception|Warning)|StopIteration|KeyboardInterrupt)$/;

const constants = new Set([
  'Number',
  'String',
  'ContinuedString',
  'FormatString',
  'Boolean',
  'None',
  'Ellipsis',
]);
const displays = /^(?:Array|Tuple|Set|Dictionary)(?:Comprehension)?Expression$/;
/** Targets that take apart what they are given. */
const several = /^(?:Tuple|Array|Parenthesized)Expression$/;
/** What is put together of other nodes, and does nothing by itself. */
const plain =
  /^(?:(?:Expression|Return|Raise|Pass|Break|Continue|Delete|Scope)Statement|(?:Parenthesized|Named|Lambda)Expression|(?:Variable|Property)Name|(?:Assign|Arith|Bit|Compare|Update)Op|TypeDef|ParamList|Format(?:Replacement|Conversion|Spec))$/;
const keyword =
  /^[^\w]+$|^(?:if|elif|else|while|assert|return|raise|from|del|in|not|is|and|or|for|lambda|pass|break|continue|as)$/;

/** Whether a statement's head, or an expression that one asks, may run some of these methods. */
export function mayRunSpecial(node: SyntaxNode, facts: SpecialFacts): boolean {
  if (facts.specials.size === 0) return false;
  return anywhere.some((name) => facts.specials.has(name)) || new SpecialWalk(facts).head(node);
}

/** Whether something is taken apart into these targets, or into parts of them. `isKnown`: it is of builtins itself, whatever is in it. */
export function takesApart(targets: readonly SyntaxNode[], isKnown: boolean): boolean {
  const [only] = targets;
  if (isKnown && targets.length === 1 && only && several.test(only.name))
    return childrenOf(only).some(({ name }) => several.test(name));
  return targets.some(({ name }) => several.test(name) || (!isKnown && /^[,*]$/.test(name)));
}

/** Whether some of them may run where something is taken apart into these targets; `isKnown` as takesApart has it. */
export const mayUnpack = (
  targets: readonly SyntaxNode[],
  { specials }: SpecialFacts,
  isKnown: boolean,
): boolean => iterating.some((name) => specials.has(name)) && takesApart(targets, isKnown);

/** Whether a loop goes over pairs and their like, which are of builtins. */
export function givesTuples(iterable: SyntaxNode | undefined, facts: SpecialFacts): boolean {
  const walk = new SpecialWalk(facts);
  const called = iterable?.name === 'CallExpression' ? walk.called(childrenOf(iterable)) : undefined;
  return called?.isOurs === false && (called.isMethod ? /^items$/ : /^(?:enumerate|zip)$/).test(called.name);
}

interface Called {
  readonly name: string;
  readonly isMethod: boolean;
  readonly isOurs: boolean;
}

class SpecialWalk {
  constructor(private readonly facts: SpecialFacts) {}

  /** A statement, or what one does something with. */
  head(node: SyntaxNode): boolean {
    switch (node.parent?.name) {
      case 'IfStatement':
      case 'WhileStatement':
        return this.isTried(node) || this.within(node);
      case 'ForStatement':
        return this.isGoneOver(node) || this.within(node);
      case 'MatchStatement':
      case 'MatchClause':
        return this.has([...comparing, ...truth, ...iterating, 'match_args']) || this.within(node);
      default:
        return this.within(node);
    }
  }

  private has(names: readonly string[]): boolean {
    return names.some((name) => this.facts.specials.has(name));
  }

  private text(node: SyntaxNode): string {
    return nodeText(this.facts.source, node);
  }

  /** Whether a part of a statement, or something in it, may. */
  private within(node: SyntaxNode): boolean {
    const parts = childrenOf(node);
    return this.itself(node, parts) || parts.some((child) => this.within(child));
  }

  /** Whether a part may for what it does with those in it. */
  private itself(node: SyntaxNode, parts: readonly SyntaxNode[]): boolean {
    switch (node.name) {
      case 'BinaryExpression':
        return this.operator(parts);
      case 'UnaryExpression':
        return parts[0]?.name === 'not'
          ? this.isTried(parts[1])
          : !this.isOfBuiltins(parts[1]) && this.has(arithmetic);
      case 'ConditionalExpression':
        return this.isTried(parts[2]);
      case 'UpdateStatement':
        return this.update(parts);
      case 'MemberExpression':
        return this.subscript(parts);
      case 'CallExpression':
        return this.call(parts);
      case 'AssertStatement':
        return this.isTried(parts[1]);
      case 'AssignStatement':
        return this.unpacks(parts);
      case 'ArrayExpression':
      case 'TupleExpression':
        return parts.some((part, at) => part.name === '*' && this.isGoneOver(parts[at + 1]));
      case 'SetExpression':
      case 'DictionaryExpression':
        return this.display(node.name === 'SetExpression', parts);
      case 'ArrayComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'ComprehensionExpression':
        return this.loops(parts) || (/^(?:Set|Dict)/.test(node.name) && this.has(keying));
      case 'ArgList':
        return this.given(parts);
      case 'FormatReplacement':
        return !this.isLiteral(parts[1]) && this.has(writing);
      default:
        return !constants.has(node.name) && !plain.test(node.name) && !keyword.test(node.name);
    }
  }

  /** An item, or a slice, which takes all items of what is assigned to it. */
  private subscript(parts: readonly SyntaxNode[]): boolean {
    const [base, bracket, index] = parts;
    if (bracket?.name !== '[' || (this.isLiteral(base) && this.isLiteral(index))) return false;
    const isSlice = parts.some(({ name }) => name === ':');
    const asked = this.isOfBuiltins(base) ? [...keying, 'index'] : subscripting;
    return this.has(isSlice ? [...asked, ...iterating] : asked);
  }

  /** A display of a set or dict, whose members or keys are compared with each other. */
  private display(isSet: boolean, parts: readonly SyntaxNode[]): boolean {
    const compared = parts.filter(({ name }, at) =>
      isSet ? !/^[{},]$/.test(name) : parts[at + 1]?.name === ':',
    );
    const areConstants = compared.every(({ name }) => constants.has(name) && name !== 'FormatString');
    return parts.some(({ name }) => name === '*' || name === '**') || (!areConstants && this.has(keying));
  }

  private isRest(node: SyntaxNode | undefined): boolean {
    return node !== undefined && /^%=?$/.test(this.text(node));
  }

  private operator(parts: readonly SyntaxNode[]): boolean {
    const [left, operator] = parts;
    const name = operator?.name;
    if (name === 'and' || name === 'or') return this.isTried(left);
    if (name === 'is') return false;
    const right = parts.at(-1);
    if (this.isLiteral(left) && this.isLiteral(right)) return false;
    if (name === 'in' || name === 'not')
      return this.has(this.isOfBuiltins(right) ? [...keying, ...finding] : containing);
    if (name === 'CompareOp') return this.has(comparing);
    const text = operator === undefined ? '' : this.text(operator);
    const views = text !== '-' || /\.(?:keys|items)\b/.test(this.facts.source);
    const isOfSets = /^[-&|^]$/.test(text) && views;
    const isKnown = this.isOfBuiltins(left) && this.isOfBuiltins(right);
    return (
      (!isKnown && this.has(arithmetic)) ||
      (this.isRest(operator) && this.has([...writing, 'getitem'])) ||
      (isOfSets && this.has([...keying, ...iterating]))
    );
  }

  /** `a += b`: lists, sets and dicts take what is in `b`. */
  private update([target, operator, value]: readonly SyntaxNode[]): boolean {
    if (this.isLiteral(target) && this.isLiteral(value)) return false;
    const isKnown = this.isOfBuiltins(target) && this.isOfBuiltins(value);
    const isOfSets = operator !== undefined && /^[-&|^]=$/.test(this.text(operator));
    return (
      (!isKnown && this.has(arithmetic)) ||
      this.isGoneOver(value) ||
      (isOfSets && this.has(keying)) ||
      (this.isRest(operator) && this.has(writing))
    );
  }

  private call(parts: readonly SyntaxNode[]): boolean {
    const { functions } = this.facts;
    const called = this.called(parts);
    if (called === undefined) return true;
    const { name, isMethod, isOurs } = called;
    if (!isOurs && this.isGivenLiterals(parts)) return false;
    const isKnownError = !isMethod && builtinException.test(name);
    const done = isKnownError ? [] : (isMethod ? byMethod : byFunction).get(name);
    if (isOurs) return this.has(isMethod ? [...(done ?? []), 'call'] : calling);
    const asksForKeys = name === (isMethod ? 'update' : 'dict') && functions.has('keys');
    return done === undefined || this.has(done) || asksForKeys;
  }

  /** What a call names, and whether it may be of the program; undefined where it names nothing. */
  called([callee]: readonly SyntaxNode[]): Called | undefined {
    const isMethod = callee?.name === 'MemberExpression';
    if (isMethod && this.facts.values.isImported(callee.firstChild ?? undefined)) return undefined;
    const node = isMethod ? callee.lastChild : callee;
    if (node?.name !== (isMethod ? 'PropertyName' : 'VariableName')) return undefined;
    const name = this.text(node);
    return { name, isMethod, isOurs: (isMethod ? this.facts.functions : this.facts.bound).has(name) };
  }

  /** Whether a function of builtins is called with literals alone, or a method of one. */
  private isGivenLiterals([callee, list]: readonly SyntaxNode[]): boolean {
    const given = list === undefined ? [] : childrenOf(list).filter(({ name }) => !/^[(),]$/.test(name));
    const isOfLiteral = callee?.name === 'MemberExpression' && this.isLiteral(callee.firstChild ?? undefined);
    const isFunction = callee?.name === 'VariableName' && byFunction.has(this.text(callee));
    return (isOfLiteral || isFunction) && given.every((part) => this.isLiteral(part));
  }

  /** Whether what is given to a call is gone over, or is a function that may be called then. */
  private given(parts: readonly SyntaxNode[]): boolean {
    return parts.some((part, at) => {
      if (part.name === '**' || (part.name === 'VariableName' && this.text(part) === 'file')) return true;
      if (part.name === '*') return this.isGoneOver(parts[at + 1]);
      if (part.name === 'for') return this.loops(parts);
      const isName = part.name === 'VariableName' && parts[at + 1]?.name !== 'AssignOp';
      return isName && !this.facts.bound.has(this.text(part)) && byFunction.has(this.text(part));
    });
  }

  /** `for .. in ..` and `if ..` in a comprehension. */
  private loops(parts: readonly SyntaxNode[]): boolean {
    return parts.some(({ name }, at) => {
      if (name === 'async') return true;
      if (name === 'if') return this.isTried(parts[at + 1]);
      if (name === 'in') return this.isGoneOver(parts[at + 1]);
      if (name !== 'for') return false;
      const { targets, iterable } = loopHead(parts.slice(at + 1));
      return mayUnpack(targets, this.facts, givesTuples(iterable, this.facts));
    });
  }

  /** Whether an assignment takes something apart. */
  private unpacks(parts: readonly SyntaxNode[]): boolean {
    const { targets, values } = sidesOf(parts);
    return mayUnpack(targets, this.facts, values.length > 1 || this.isOfBuiltins(values[0]));
  }

  /** Whether an object may be asked for its items. */
  private isGoneOver(node: SyntaxNode | undefined): boolean {
    return this.has(iterating) && !this.isOfBuiltins(node);
  }

  /** Whether an object may be asked whether it counts as true. */
  private isTried(node: SyntaxNode | undefined): boolean {
    return this.has(truth) && !this.isOfBuiltins(node);
  }

  private isLiteral(node: SyntaxNode | undefined): boolean {
    return this.facts.values.kindOf(node) === kinds.literal;
  }

  /** Whether a part comes to nothing but what is of builtins, unless one of the methods has run already. */
  private isOfBuiltins(node: SyntaxNode | undefined): boolean {
    if (node === undefined) return false;
    const parts = childrenOf(node);
    if (constants.has(node.name) || displays.test(node.name)) return true;
    if (this.facts.values.kindOf(node) !== kinds.anything) return true;
    if (node.name === 'ParenthesizedExpression') return this.isOfBuiltins(parts[1]);
    if (node.name === 'UnaryExpression') return true;
    if (node.name === 'BinaryExpression') {
      const isChoice = parts[1]?.name === 'and' || parts[1]?.name === 'or';
      return (
        !isChoice ||
        parts.filter(({ name }) => !/^(?:and|or)$/.test(name)).every((part) => this.isOfBuiltins(part))
      );
    }
    if (node.name !== 'CallExpression') return false;
    const called = this.called(parts);
    if (called === undefined || called.isOurs) return false;
    const { name, isMethod } = called;
    return isMethod
      ? byMethod.has(name) && !handsOut.has(name)
      : byFunction.has(name) && !givesBack.has(name);
  }
}

const defined = /\bdef[ \t]+__(\w+)__[ \t]*\(|^[ \t]+__(\w+)__[ \t]*(?::[^=\n]*)?=(?!=)/gm;
const harmlessNames = new Set(['init', 'slots', 'match_args', 'name', 'doc', 'qualname', 'module']);

/** The names of the special methods of a program, without their underscores. */
export function specialsOf(source: string): ReadonlySet<string> {
  const names = [...source.matchAll(defined)].map(([, method, value]) => method ?? value ?? '');
  const ordered = /@(?:functools\.)?total_ordering\b/.test(source) ? comparing : [];
  return new Set([...names.filter((name) => !harmlessNames.has(name)), ...ordered]);
}
