/** Which method of the program an operator enters, or a function of builtins by itself: `a + b` enters `__add__`, `len(a)` enters `__len__`. */
import type { Scope } from '../program.js';
import { integerOf } from './literal-values.js';
import { type OwnedLine, ownerOfPart } from './object-owners.js';
import type { Part } from './parts.js';
import { methodOf } from './program-classes.js';
import { codeTokens, isWordToken, wordOf, wordTokens } from './tokens.js';

/** A method that is entered. */
export interface Special {
  readonly callee: Scope;
  /** What it is given, its object first. */
  readonly operands: readonly Part[];
  /** The part whose value it gives. */
  readonly part: Part;
  /** Otherwise what it gives decides whether that is true, or its negation, or is not seen there. */
  readonly unlike?: 'truth' | 'negation' | 'unseen';
}

/** null: nothing of the program is entered; undefined: that cannot be told. */
export type Entering = Special | null | undefined;

const named = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text.split(' ').map((pair) => {
      const [operator, name] = pair.split(':') as [string, string];
      return [codeTokens(operator)[0] as number, `__${name}__`];
    }),
  );
const binary = named(
  '+:add -:sub *:mul /:truediv //:floordiv %:mod **:pow @:matmul &:and |:or ^:xor <<:lshift >>:rshift',
);
const reflected = new Map([...binary].map(([token, name]) => [token, name.replace('__', '__r')]));
const unary = named('-:neg +:pos ~:invert');
const comparing = named('<:lt >:gt <=:le >=:ge ==:eq !=:ne');
const [equal, unequal] = codeTokens('== !=');
const [is, not, within] = wordTokens('is not in');

/** Methods that functions of builtins call, by the name of the function: the first of them that an object has. */
const byFunction = new Map(
  Object.entries({
    abs: ['__abs__'],
    bool: ['__bool__', '__len__'],
    float: ['__float__'],
    hash: ['__hash__'],
    int: ['__int__'],
    iter: ['__iter__'],
    len: ['__len__'],
    next: ['__next__'],
    repr: ['__repr__'],
    reversed: ['__reversed__'],
    round: ['__round__'],
    str: ['__str__', '__repr__'],
  }),
);
/** What these functions do with what the method gives. */
const unlikeBy = new Map<string, Pick<Special, 'unlike'>>([
  ['bool', { unlike: 'truth' }],
  ['iter', { unlike: 'unseen' }],
  ['reversed', { unlike: 'unseen' }],
]);
/** Functions that need none of these. */
const content = new Set(['bool', 'hash', 'repr', 'str']);

/** What an operator enters once its operands are there. */
export function enteredByOperator(line: OwnedLine, part: Part): Entering {
  const { kind, parts } = part;
  const [first, second, ...more] = parts as [Part, Part | undefined];
  if (kind === 'not') return enteredByTruth(line, first);
  if (kind === 'unary') return called(line, [unary.get(line.code[part.first] as number)], [first], part);
  if (second === undefined || more.length > 0) return undefined;
  const operator = Array.from(line.code).slice(first.until, second.begin);
  if (kind === 'binary') return joined(line, part, first, second, operator[0] as number);
  if (kind === 'compare') return compared(line, part, first, second, operator);
  return kind === 'subscript' ? subscripted(line, part, first, second) : undefined;
}

/** What a function of builtins enters that is given one object. undefined also for functions that are not known here. */
export function enteredByFunction(line: OwnedLine, part: Part): Entering {
  const [callee, given, ...more] = part.parts as [Part, Part | undefined];
  const token = line.code[callee.first] as number;
  const name = callee.kind === 'name' && isWordToken(token) ? wordOf(token) : '';
  const names = byFunction.get(name);
  if (names === undefined || given === undefined || more.length > 0) return undefined;
  if (given.kind === 'star' || given.kind === 'keyword' || given.kind === 'generator') return undefined;
  const found = called(line, names, [given], part);
  if (found) return { ...found, ...unlikeBy.get(name) };
  return found === null && !content.has(name) && ownerOfPart(line, given) !== 'builtin' ? undefined : found;
}

/** What `base[index] = value` enters. */
export function enteredByItem(line: OwnedLine, target: Part, value: Part): Entering {
  const own = called(line, ['__setitem__'], [...target.parts, value], target);
  return own && { ...own, unlike: 'unseen' };
}

/** What it enters to find whether an object counts as true. */
export const enteredByTruth = (line: OwnedLine, part: Part): Entering =>
  called(line, ['__bool__', '__len__'], [part], part);

/** What is entered when an object is asked for what it is gone over with. */
const enteredByIteration = (line: OwnedLine, part: Part): Entering =>
  called(line, ['__iter__'], [part], part);

/** The first of these methods that the first operand has; what is of builtins has none of the program. */
function called(
  line: OwnedLine,
  names: readonly (string | undefined)[],
  operands: readonly Part[],
  part: Part,
): Entering {
  const owner = ownerOfPart(line, operands[0] as Part);
  if (owner === 'builtin') return null;
  if (owner === undefined) return undefined;
  for (const name of names) {
    const callee = name && methodOf(line.program, owner, name);
    if (callee === undefined || callee === '') return undefined;
    if (callee) return { callee, operands, part };
  }
  return null;
}

function joined(line: OwnedLine, part: Part, first: Part, second: Part, operator: number): Entering {
  const [left, right] = [ownerOfPart(line, first), ownerOfPart(line, second)];
  if (left === undefined || right === undefined) return undefined;
  if (left === 'builtin' && right === 'builtin') return null;
  const told = left === 'builtin' ? line.told(first) : undefined;
  // Texts and lists do with an object what they do; a number leaves it to that.
  if (told)
    return integerOf(told) === undefined
      ? undefined
      : found(called(line, [reflected.get(operator)], [second, first], part));
  // Of a class that is made of the other one the right operand is asked first.
  if (left === 'builtin' || (right !== 'builtin' && right !== left && right.bases.length > 0))
    return undefined;
  return found(called(line, [binary.get(operator)], [first, second], part));
}

/** Without the method something is raised, or others are tried. */
const found = (entering: Entering): Entering => entering ?? undefined;

function compared(
  line: OwnedLine,
  part: Part,
  first: Part,
  second: Part,
  operator: readonly number[],
): Entering {
  if (operator[0] === is) return null;
  const isNot = operator[0] === not;
  if (isNot || operator[0] === within) return contained(line, part, first, second, isNot);
  const [left, right] = [ownerOfPart(line, first), ownerOfPart(line, second)];
  if (left === undefined || right === undefined) return undefined;
  if (left === 'builtin' && right === 'builtin') return areTold(line, [first, second]) ? null : undefined;
  if (left === 'builtin' || (right !== 'builtin' && right !== left && right.bases.length > 0))
    return undefined;
  const own = called(line, [comparing.get(operator[0] as number)], [first, second], part);
  if (own !== null) return own;
  if (operator[0] !== unequal && operator[0] !== equal) return undefined;
  const equals = called(line, ['__eq__'], [first, second], part);
  if (equals) return { ...equals, unlike: 'negation' };
  return equals === null && (right === 'builtin' || right === left) ? null : undefined;
}

/** `first in second`. */
function contained(line: OwnedLine, part: Part, first: Part, second: Part, isNot: boolean): Entering {
  const owner = ownerOfPart(line, second);
  // What is in a list is compared.
  if (owner === 'builtin') return areTold(line, [first, second]) ? null : undefined;
  const own = called(line, ['__contains__'], [second, first], part);
  if (own) return { ...own, unlike: isNot ? 'negation' : 'truth' };
  const gone = own === null ? enteredByIteration(line, second) : undefined;
  return gone ? { ...gone, part, unlike: 'unseen' } : undefined;
}

/** `first[second]`. A slice of an object is one of builtins. */
function subscripted(line: OwnedLine, part: Part, first: Part, second: Part): Entering {
  const owner = ownerOfPart(line, first);
  if (owner !== 'builtin') return found(called(line, ['__getitem__'], [first, second], part));
  return second.kind === 'slice' || ownerOfPart(line, second) === 'builtin' ? null : undefined;
}

/** Whether these are literals: of lists the items are compared, which may be objects. */
const areTold = (line: OwnedLine, parts: readonly Part[]): boolean =>
  parts.every((part) => line.told(part) !== undefined);
