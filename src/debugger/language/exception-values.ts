/** What exceptions say of themselves: what they were given, and what that is as a text. */
import { type Program, perText } from '../program.js';
import { isText, itemsOf } from './displays.js';
import { classesOfException, givenTo, isPlainlyTold } from './exception-classes.js';
import { isLiteral } from './literal-values.js';
import { textTokens } from './tokens.js';
import { encodeValue } from './values.js';

/** What gives exceptions other arguments. */
const changed = /\.args\s*(?:[-+*]?=(?!=)|\.)|__setstate__|\bsetattr\b/;
const changesArguments = perText(({ source }) => changed.test(source));
const string = /[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;
/** Values that may be written otherwise later: displays, objects and calls. */
const changing = /[[{<]|\w\(/;

/** The tuple of what an exception was given, `e.args`, if that is literals; undefined for what is no exception, and where it is not told. */
export function argumentsOfException(program: Program, text: string): readonly number[] | undefined {
  const given = givenTo(text);
  if (given === undefined || !classesOfException(program, text)?.has('BaseException')) return undefined;
  const all = encodeValue(program, given === '' ? '()' : `(${given})`);
  const one = given === '' ? [] : encodeValue(program, `(${given},)`);
  const found = (itemsOf(one, 0, one.length)?.length === 1 ? one : undefined) ?? all;
  return isLiteral(found) && itemsOf(found, 0, found.length) !== undefined ? found : undefined;
}

/** Whether a value is an exception that is written in the same way whatever is done: it was given what cannot change, and nobody gives it other things. */
export function isLastingException(program: Program, text: string): boolean {
  const given = givenTo(text);
  if (given === undefined || changing.test(given.replace(string, ''))) return false;
  return !changesArguments(program) && argumentsOfException(program, text) !== undefined;
}

/** What `str` makes of an exception that was given literals, where its class does not say otherwise. */
export function textOfException(program: Program, text: string): readonly number[] | undefined {
  const classes = classesOfException(program, text);
  const isPlain = classes && isPlainlyTold(program, classes);
  const given = isPlain ? argumentsOfException(program, text) : undefined;
  const items = given && itemsOf(given, 0, given.length);
  if (given === undefined || items === undefined) return undefined;
  const [item, ...others] = items;
  if (item === undefined) return textTokens("''");
  const shown = givenTo(text) ?? '';
  const isItself =
    others.length === 0 && isText(given.slice(item.first, item.end)) && !classes?.has('KeyError');
  if (isItself) return given.slice(item.first, item.end);
  const quoted = quote(others.length === 0 ? shown : `(${shown})`);
  return quoted === undefined ? undefined : encodeValue(program, quoted);
}

/** The repr of a text that needs no escapes; undefined for others. */
function quote(text: string): string | undefined {
  if (!/^[ -[\]-~]*$/.test(text) || (text.includes("'") && text.includes('"'))) return undefined;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
