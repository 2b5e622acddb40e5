/** Whether a program runs code of its own, or has objects changed, where its text shows no call of it and no operator of its classes. */
import type { SyntaxNode } from '@lezer/common';
import { callbackTakers } from './entry-reach.js';
import { builtins, takerOf, takesAll } from './held-generators.js';
import { contains } from './statement-code.js';
import { childrenOf, nodeText, statementsOf } from './syntax-nodes.js';

/** Kinds of nodes that make what runs code of the program when it is gone over. */
const suspending = new Set(['YieldExpression', 'YieldStatement', 'ComprehensionExpression']);
/** The same, whenever it likes. */
const waiting = new Set(['AwaitExpression', 'async']);

/** What makes a class of its fields, or says whose methods are called with what. */
const plainDecorator =
  /^@(?:(?:dataclasses\.)?dataclass(?:\([^()]*\))?|property|staticmethod|classmethod|(?:abc\.)?abstractmethod|(?:functools\.)?total_ordering)\s*$/;
/** Functions of builtins that ask a generator expression for all it gives, there and then. */
const asksAtOnce = new Set([...takesAll, 'all', 'any']);

/** Modules without callbacks, without objects that change when they are looked at (`defaultdict`, `itertools.count`). */
const plainModule = /^(?:math|string|typing|re|__future__|dataclasses|enum|abc|decimal|fractions)\b/;
/** What `collections` has without such objects. */
const plainCollection =
  /^collections\s+import\s+\(?\s*(?:(?:deque|OrderedDict|Counter|namedtuple|abc)\s*,?\s*)+\)?\s*$/;
/** What `typing` has of those objects. */
const changedByReading = 'DefaultDict';

function importsPlainly(statement: string): boolean {
  const [, isFrom, names = ''] = /^(?:(from)|import)\s+([\s\S]*)$/.exec(statement) ?? [];
  if (new RegExp(`\\b${changedByReading}\\b`).test(names)) return false;
  if (isFrom && (plainCollection.test(names) || /^functools\s+import\s+total_ordering\s*$/.test(names)))
    return true;
  return (isFrom ? [names] : names.split(',')).every((name) => plainModule.test(name.trim()));
}

/**
 * Where code runs that no call shows: nowhere; where something is gone over, or a function is called that was handed on (`loops`); there, and where an item is looked up
 * (`items`); or in other places, too.
 */
export type Hidden = 'nowhere' | 'loops' | 'items' | 'anywhere';
const rising: readonly Hidden[] = ['nowhere', 'loops', 'items', 'anywhere'];

/**
 * Whether code can run, or objects change, where the text does not show it: methods behind operators, generators behind loops, functions handed
 * on as values, objects of other modules. `functions`: names of the program's functions.
 */
export function hiddenCalls(top: SyntaxNode, source: string, functions: ReadonlySet<string>): Hidden {
  const text = (node: SyntaxNode): string => nodeText(source, node);
  const classes = new Set<string>();
  const askers = builtins(asksAtOnce, functions);
  const ofNode = (node: SyntaxNode, isCallee: boolean): Hidden => {
    const children = childrenOf(node);
    switch (node.name) {
      case 'ClassDefinition':
        return isPlainClass(node, text, classes) ? 'nowhere' : 'anywhere';
      case 'Decorator':
        return plainDecorator.test(text(node)) ? 'nowhere' : 'anywhere';
      case 'ImportStatement':
        if (importsPlainly(text(node))) return 'nowhere';
        return importsTamely(text(node)) ? 'items' : 'anywhere';
      case 'PropertyName':
        return text(node) === changedByReading || isSpecial(text(node)) ? 'anywhere' : 'nowhere';
      case 'VariableName':
        if (text(node) === changedByReading) return 'anywhere';
        return callbackTakers.has(text(node)) || (!isCallee && functions.has(text(node)))
          ? 'loops'
          : 'nowhere';
      case 'ArgList':
        return children.some(({ name }) => name === 'for') && !takerOf(node, text, askers)
          ? 'loops'
          : 'nowhere';
      default:
        if (suspending.has(node.name)) return 'loops';
        return waiting.has(node.name) ? 'anywhere' : 'nowhere';
    }
  };
  let found: Hidden = 'nowhere';
  const search = (node: SyntaxNode, isCallee: boolean): void => {
    const own = ofNode(node, isCallee);
    if (rising.indexOf(own) > rising.indexOf(found)) found = own;
    // What a decorator or an import is made of was looked at with it.
    if (found === 'anywhere' || node.name === 'Decorator' || node.name === 'ImportStatement') return;
    childrenOf(node).forEach((child, index) => {
      search(child, isCalled(node, index));
    });
  };
  search(top, false);
  return found;
}

const calls = new Set(['CallExpression']);
/** A field of a data class. */
const plainField = /=\s*(?:dataclasses\.)?field\([^()]*\)$/;
/** Bases whose operators run no code of the program. */
const plainBase =
  /^(?:object|BaseException|\w*(?:Error|Exception|Warning)|(?:abc\.)?ABC|(?:enum\.)?(?:Int)?(?:Enum|Flag)|(?:typing\.)?(?:NamedTuple|Protocol|(?:Generic|Protocol)\[[^\]]*\]))$/;

/**
 * Whether a class has methods and constants and nothing besides, so that its methods run where they are called, and its properties where they are read. classes: those
 * before it, among which it takes its place.
 */
function isPlainClass(node: SyntaxNode, text: (node: SyntaxNode) => string, classes: Set<string>): boolean {
  const list = node.getChild('ArgList');
  const bases = list === null ? [] : childrenOf(list).filter(({ name }) => !/^[(),]$/.test(name));
  const isPlainPart = (part: SyntaxNode): boolean => {
    // What its decorators are is looked at by itself.
    if (part.name === 'DecoratedStatement') return part.lastChild !== null && isPlainPart(part.lastChild);
    const [first] = childrenOf(part);
    if (part.name === 'PassStatement') return true;
    if (part.name === 'ExpressionStatement') return first?.name === 'String';
    const isFunction = part.name === 'FunctionDefinition';
    const name = isFunction ? part.getChild('VariableName') : first;
    // What is made by a call may be asked for where an attribute of its name is.
    const isValue =
      part.name === 'AssignStatement' && (!contains(part, calls) || plainField.test(text(part)));
    const isNamed = isFunction || (isValue && first?.name === 'VariableName');
    return isNamed && name !== null && name !== undefined;
  };
  const body = node.getChild('Body');
  const own = node.getChild('VariableName');
  if (own !== null) classes.add(text(own));
  return (
    bases.every((base) => plainBase.test(text(base)) || classes.has(text(base))) &&
    body !== null &&
    statementsOf(body).every(isPlainPart)
  );
}

/** Whether a child is what a call calls, or the name of a definition. */
const isCalled = (parent: SyntaxNode, index: number): boolean =>
  (parent.name === 'CallExpression' && index === 0) || (parent.name === 'FunctionDefinition' && index === 1);

/** Modules whose objects change by what is called of them, or when they are looked at, and not otherwise. */
const tameModule =
  /^(?:math|string|typing|re|__future__|collections|heapq|bisect|random|copy|dataclasses|enum|abc|itertools|datetime|decimal|fractions|json|textwrap)\b/;
const specialName = /^__(?!(?:init|name|doc|qualname|future)__$)\w+__$/;
/** What may change how a class does something; how its objects are written is not. */
const isSpecial = (name: string): boolean => specialName.test(name) && !/^__(?:repr|str)__$/.test(name);
/** A `defaultdict` makes nothing but new objects, as far as it is seen. */
const plainFactory = /^\(\s*(?:int|list|set|dict|str|float|bool|tuple|deque|Counter|lambda\b)/;

function importsTamely(statement: string): boolean {
  const [, isFrom, names = ''] = /^(?:(from)|import)\s+([\s\S]*)$/.exec(statement) ?? [];
  // `merge` calls its key when it is gone over.
  if (/\b(?:as|merge)\b/.test(names)) return false;
  return (isFrom ? [names] : names.split(',')).every((name) => tameModule.test(name.trim()));
}

/**
 * What else than its functions changes objects of a program unseen: what a `defaultdict` does when it is `read`; or `anything`, where builtins call what they were given,
 * operators do what a class was told (`__add__ = list.extend`), and modules do as they like.
 */
export type Foreign = 'nothing' | 'reads' | 'anything';

export function foreignCode(top: SyntaxNode, source: string): Foreign {
  const text = (node: SyntaxNode): string => nodeText(source, node);
  let found: Foreign = 'nothing';
  const isWild = (node: SyntaxNode, isDefined: boolean): boolean => {
    if (node.name === 'ImportStatement') {
      if (!importsPlainly(text(node))) found = 'reads';
      return !importsTamely(text(node));
    }
    if (node.name === 'VariableName' || node.name === 'PropertyName') {
      const name = text(node);
      if (name === 'defaultdict' && !plainFactory.test(source.slice(node.to))) return true;
      if (name === 'merge' && node.name === 'PropertyName') return true;
      return callbackTakers.has(name) || name === changedByReading || (!isDefined && specialName.test(name));
    }
    if (node.name === 'String') return specialName.test(text(node).replaceAll(/^\w*['"]+|['"]+$/g, ''));
    const isFunction = node.name === 'FunctionDefinition';
    return childrenOf(node).some((child, index) => isWild(child, isFunction && index === 1));
  };
  return isWild(top, false) ? 'anything' : found;
}
