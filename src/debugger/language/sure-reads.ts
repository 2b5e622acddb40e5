/** Attributes of an object that an expression reads whatever it comes to, so that it raises where one of them is missing. */
import type { Program } from '../program.js';
import { attributeName } from './attributes.js';
import { fieldsOf } from './f-strings.js';
import { type Part, partTokens } from './parts.js';
import { charOf, charToken, wordToken } from './tokens.js';

const [dot, round, roundEnd] = [charToken('.'), charToken('('), charToken(')')];
const type = wordToken('type') as number;

/** The name of an attribute of the object that a name stands for; undefined for other parts. */
export function attributeOfName(
  program: Program,
  code: ArrayLike<number>,
  { kind, first, end }: Part,
  name: string,
): string | undefined {
  const isOwn =
    kind === 'attribute' && end === first + 3 && attributeName(program, code[first] as number) === name;
  return isOwn ? attributeName(program, code[end - 1] as number) : undefined;
}

/** Whether it is `type(self).__name__` or `self.__class__.__name__`. */
export function isClassName(program: Program, code: ArrayLike<number>, part: Part, self: string): boolean {
  const text = partTokens(code, part)
    .map((token) => attributeName(program, token) || charOf(token))
    .join('');
  return text === `type(${self}).__name__` || text === `${self}.__class__.__name__`;
}

/** Attributes that a part reads, whatever it comes to. */
interface SureReads {
  readonly attributes: readonly string[];
  /** Whether nothing else is done with the object meanwhile: else they are those read before. */
  readonly isAll: boolean;
}

/** The attributes of what `name` stands for that are read, in order. */
export function surelyRead(program: Program, code: ArrayLike<number>, part: Part, name: string): SureReads {
  const own = attributeOfName(program, code, part, name);
  if (own !== undefined) {
    const runs = program.scopes.some((scope) => scope.name === own);
    return { attributes: runs ? [] : [own], isAll: !runs };
  }
  if (isClassName(program, code, part, name)) return { attributes: [], isAll: true };
  const isObject = part.kind === 'name' && attributeName(program, code[part.first] as number) === name;
  if (isObject) return { attributes: [], isAll: false };
  const sure = surelyEvaluated(program, code, part);
  if (sure === undefined) return { attributes: [], isAll: false };
  const attributes: string[] = [];
  for (const inner of sure) {
    const found = surelyRead(program, code, inner, name);
    attributes.push(...found.attributes);
    if (!found.isAll) return { attributes, isAll: false };
  }
  const others = part.parts.filter((inner) => !sure.includes(inner));
  return { attributes, isAll: others.every((inner) => surelyRead(program, code, inner, name).isAll) };
}

/** The parts in a part that are evaluated whenever it is; undefined where it is not read. */
function surelyEvaluated(program: Program, code: ArrayLike<number>, part: Part): readonly Part[] | undefined {
  switch (part.kind) {
    case 'text':
      return fieldsOf(program, code, part);
    case 'and':
    case 'or':
    case 'ternary':
    case 'comprehension':
    case 'generator':
      return part.parts.slice(0, 1);
    case 'compare':
      return part.parts.slice(0, 2);
    case 'lambda':
      return [];
    default:
      return part.parts;
  }
}

/**
 * The attributes of what `name` stands for that code mentions; undefined where it does more with the object than to read and bind those: it hands it on, or calls one of
 * its methods.
 */
export function mentioned(
  program: Program,
  code: readonly number[],
  name: string,
): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const [at, token] of code.entries()) {
    if (attributeName(program, token) !== name || code[at - 1] === dot) continue;
    const isTyped = code[at - 2] === type && code[at - 1] === round && code[at + 1] === roundEnd;
    // Of its class alone.
    if (isTyped) continue;
    const attribute = code[at + 1] === dot ? attributeName(program, code[at + 2] ?? -1) : '';
    if (
      attribute === '' ||
      code[at + 3] === round ||
      program.scopes.some((scope) => scope.name === attribute)
    )
      return undefined;
    found.add(attribute);
  }
  return found;
}
