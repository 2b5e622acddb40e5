/** Whether objects of a program's own classes can be taken for values of builtins, by what they write of themselves. */
import { perText } from '../program.js';

/** A method with its body: what is indented deeper than its head. */
const definition = /^([ \t]*)def __repr__\([^\n]*\n(?:\1[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)*/gm;
/** Other ways to speak of it that give no class another one. */
const harmless = /\.__repr__\(|__str__\s*=\s*__repr__\b/g;
/** A text that begins with a name and something else than one, or in an angle bracket. */
const unlikeLiterals =
  /^[fFrR]{0,2}(?:"""|'''|"|')(?:<|(?:[^\W\d]\w*|\{(?:self\.__class__|type\(self\))\.__(?:qual)?name__\})[^\w'"{])/u;
/** Names that values of builtins begin with. */
const builtin =
  /^[fFrR]{0,2}["']+(?:True|False|None|inf|nan|deque|defaultdict|Counter|OrderedDict|range|set|frozenset|bytearray|array|b|B)\b/;

/** A class derived from one of builtins whose values are literals. */
const derived =
  /^[ \t]*class[ \t]+\w+[ \t]*\([^)\n]*\b(?:str|int|float|complex|bytes|list|dict|set|frozenset|tuple|deque|Counter)\b/m;

/** Whether what is written as a literal may be of a class of the program, which may make other texts of it. */
export const derivesFromBuiltins = perText(({ source }) => derived.test(source));

/** Whether what looks like a literal is one: an object with a `__repr__` of its own may look like a number. */
export const showsLiterals = perText(({ source }) => areUnlike(source));

/** Whether all that `__repr__` returns anywhere is a text that no literal is. */
export function areUnlike(source: string): boolean {
  const written = [...source.matchAll(definition)].map(([text]) => text);
  const mentions = source.replace(harmless, '').match(/__repr__/g) ?? [];
  return mentions.length === written.length && written.every(returnsUnlike);
}

/** A variable of more than one function, or a class in a function: a method may read what is assigned elsewhere. */
const outerVariable = /^[ \t]*(?:global|nonlocal)\b|^[ \t]+class\b|\bglobals\(/m;

/** Whether what objects write of themselves may change where a name is bound. */
export const writesVariables = (source: string): boolean =>
  /__(?:repr|str)__/.test(source) && outerVariable.test(source);

function returnsUnlike(text: string): boolean {
  const [, ...returned] = text.split(/\breturn\b/);
  const texts = returned.map((part) => part.replace(/^[\s(\\]+/, ''));
  return texts.length > 0 && texts.every((part) => unlikeLiterals.test(part) && !builtin.test(part));
}
