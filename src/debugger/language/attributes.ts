/** Attributes: what objects of the program's classes hold, read off their values (docs/trace-language.md, section 6). */
import { nameOfSlot, type Program, type ProgramText, perText } from '../program.js';
import type { Frame } from '../state.js';
import { valueOfName } from './constants.js';
import { brace, display, fieldsOf, type Item, itemsOf, same } from './displays.js';
import { hasEnumerations, memberOf, memberText } from './enums.js';
import type { Part } from './parts.js';
import { slotsOf } from './slots.js';
import { charTokens, isSlotToken, isWordToken, special, wordOf, wordTokens } from './tokens.js';
import { decodeValue, encodeValue } from './values.js';

type Value = readonly number[];

/** The value of a name with attributes behind it, and where the last of them ends. */
export interface ValueAt {
  readonly value: Value | undefined;
  readonly end: number;
}

const [dot, comma, colon, space, braceEnd, angle, angleEnd] = charTokens('.,: }<>');
const bareEnd = [...wordTokens('object'), angleEnd];

/**
 * The value of the name at `code[at]` or, where attributes of it follow that its value tells, of the last of these; and where that ends. undefined for a name
 * that is not known.
 */
export function valueAt(program: Program, code: ArrayLike<number>, at: number, frame: Frame): ValueAt {
  const name = code[at];
  let value = name !== undefined && isSlotToken(name) ? valueOfName(program, frame, name) : undefined;
  let end = at + 1;
  if (value === undefined && hasEnumerations(program) && end + 1 < code.length && code[end] === dot) {
    value = memberAt(program, code, at, frame);
    if (value !== undefined) end += 2;
  }
  while (value !== undefined && end + 1 < code.length && code[end] === dot) {
    const held = attributeOf(program, value, code[end + 1] as number);
    if (held === undefined) break;
    [value, end] = [held, end + 2];
  }
  return { value, end };
}

/** The member of an enumeration that the code at a name looks up. */
export function memberAt(
  program: Program,
  code: ArrayLike<number>,
  at: number,
  { locals }: Frame,
): Value | undefined {
  const [owner, name] = [code[at], code[at + 2]].map((token) => attributeName(program, token as number));
  if (owner === undefined || name === undefined || locals.has(owner)) return undefined;
  const text = program.scopes.some(({ names }) => names.includes(owner))
    ? undefined
    : memberText(program, owner, name);
  return text === undefined ? undefined : encodeValue(program, text);
}

/** The value of a part of code that is a name with such attributes, or a name alone; undefined for other parts. */
export function valueOfPart(
  program: Program,
  code: ArrayLike<number>,
  { first, end }: Pick<Part, 'first' | 'end'>,
  frame: Frame,
): Value | undefined {
  const found = valueAt(program, code, first, frame);
  return found.end === end ? found.value : undefined;
}

/**
 * The value of an attribute, by the token of its name in code, of an object with attributes or of what is written with its fields, as `Point(x=1, y=2)` is;
 * undefined where that does not tell it.
 */
export function attributeOf(program: Program, value: Value, token: number): Value | undefined {
  const member = value[0] === angle && hasEnumerations(program) ? memberIn(program, value, token) : undefined;
  if (member !== undefined) return member;
  return attributeNamed(program, value, attributeName(program, token));
}

/** The same of what is held by a name. */
export function attributeNamed(program: Program, value: Value, name: string): Value | undefined {
  const key = encodeValue(program, name);
  const found = attributesOf(value).find(({ first, colon }) => same(value.slice(first, colon), key));
  return found && value.slice(found.colon + 1, found.end);
}

/** `.name` and `.value` of a member of an enumeration. */
function memberIn(program: Program, value: Value, token: number): Value | undefined {
  const text = decodeValue(program, value);
  const member = typeof text === 'string' ? memberOf(program, text) : undefined;
  const name = attributeName(program, token);
  if (member === undefined || (name !== 'name' && name !== 'value')) return undefined;
  return encodeValue(program, name === 'value' ? member.value : `'${member.name}'`);
}

/**
 * The value of an object whose attribute is another one, or is new; undefined for what is no object that shows all its attributes.
 */
export function withAttribute(
  program: Program,
  value: Value,
  token: number,
  held: Value,
): number[] | undefined {
  if (value.at(-1) === special.cut) return undefined;
  const key = keyOf(program, token);
  const all = attributesOf(value);
  const at = all.find(({ first, colon }) => same(value.slice(first, colon), key));
  if (at !== undefined) return [...value.slice(0, at.colon + 1), ...held, ...value.slice(at.end)];
  if (value[0] !== angle || value.at(-1) !== angleEnd) return undefined;
  const [, end] = display(value, 0, value.length);
  const next = slotBehind(program, value, token, all);
  if (next !== undefined)
    return [...value.slice(0, next), ...key, colon, ...held, comma, ...value.slice(next)];
  if (all.length > 0) return [...value.slice(0, end - 1), comma, ...key, colon, ...held, braceEnd, angleEnd];
  return isBare(value)
    ? [...value.slice(0, -1), space, brace, ...key, colon, ...held, braceEnd, angleEnd]
    : undefined;
}

/** Where a new attribute stands in front of others: those of slots are in the order of the alphabet. */
function slotBehind(program: Program, value: Value, token: number, all: readonly Item[]): number | undefined {
  const slots = slotsOf(program);
  if (slots === undefined || slots.size === 0) return undefined;
  const text = decodeValue(program, value);
  const own = typeof text === 'string' ? slots.get(classOfObject(text) ?? '') : undefined;
  const behind = own?.slice(own.indexOf(attributeName(program, token)) + 1) ?? [];
  const keys = behind.map((name) => encodeValue(program, name));
  return all.find(({ first, colon }) => keys.some((one) => same(value.slice(first, colon), one)))?.first;
}

/** Whether what an attribute stands for is written once in the value of its object: a list that is written twice may be one, which changes in both places. */
export const isWrittenOnce = (value: Value, held: Value): boolean =>
  value.filter((_, at) => held.every((token, index) => value[at + index] === token)).length === 1;

/** Whether a value is an object without attributes: `<Point object>`. */
const isBare = (value: Value): boolean => same(value.slice(-bareEnd.length), bareEnd);

/** The name of an attribute, by its token in code; empty for what is no name. */
export const attributeName = (program: Program, token: number): string =>
  isSlotToken(token) ? nameOfSlot(program, token) : isWordToken(token) ? wordOf(token) : '';

const keyOf = (program: Program, token: number): Value => encodeValue(program, attributeName(program, token));

/** Of a value that is cut those that it shows whole. */
function attributesOf(value: Value): readonly Item[] {
  if (value[0] !== angle) return fieldsOf(value);
  if (value.at(-1) === special.cut)
    return itemsOf(value, value.indexOf(brace), value.length)?.slice(0, -1) ?? [];
  const [first, end] = display(value, 0, value.length);
  return (value[first] === brace ? itemsOf(value, first, end) : undefined) ?? [];
}

const written =
  /^<((?:[^\W\d]\w*\.|<locals>\.)*[^\W\d]\w*) object[ >]|^((?:[^\W\d]\w*\.|<locals>\.)*[^\W\d]\w*)\(\w+=/u;

/** The qualified name of the class of an object that is written as objects are, or with its fields. */
export function classOfObject(text: string): string | undefined {
  const [, plain, withFields] = written.exec(text) ?? [];
  return plain ?? withFields;
}

/** What makes an attribute something else than what was assigned to it last. */
const unlikeAttributes =
  /__(?:[gs]et|del)?attr(?:ibute)?__|__(?:[gs]et|delete|dict)__|(?<!^[ \t]*@)\bproperty\b|\bcached_property\b|@[\w.]+\.(?:setter|getter|deleter)\b/m;
/** Whether attributes of the program's objects are what is assigned to them, but for those that are properties. */
export const hasPlainAttributes = perText(
  (text) =>
    !unlikeAttributes.test(text.source) &&
    (!/\bsetattr\b/.test(text.source) || setsOnlyObjects(text)) &&
    slotsOf(text) !== undefined,
);

/** The name of a class where it is defined, called, a base, in an annotation, or behind `except` and `isinstance`. */
const asNoValue = [
  '(?<=\\bclass[ \\t]+)NAME\\b',
  '\\bNAME(?=[ \\t]*\\()',
  '(?<=\\bclass[ \\t]+\\w+\\([^)\\n]*)\\bNAME\\b',
  '(?<=^[ \\t]*def\\b[^\\n]*)(?<!=[ \\t]*)\\bNAME\\b(?![ \\t]*\\()',
  '(?<=^[ \\t]*(?:self\\.)?\\w+:[^\\n=(,]*)\\bNAME\\b(?=[^\\n=,(]*(?:=|$))',
  '(?<=\\b(?:except|isinstance)\\b[^\\n]*)\\bNAME\\b(?![ \\t]*\\()',
].join('|');

/** Whether `setattr` sets attributes of objects alone, not of classes, and none that is called like a method or a constant of a class. */
function setsOnlyObjects({ source, spellsNames }: ProgramText): boolean {
  if (spellsNames || /\b(?:__class__|cls|type|vars|globals|locals)\b/.test(source)) return false;
  const classes = [...source.matchAll(/^[ \t]*class[ \t]+(\w+)/gm)].map(([, name = '']) => name);
  return classes.every((name) => {
    const uses = source.match(new RegExp(`\\b${name}\\b`, 'g')) ?? [];
    const plain = source.match(new RegExp(asNoValue.replaceAll('NAME', name), 'gm')) ?? [];
    return uses.length === plain.length;
  });
}
