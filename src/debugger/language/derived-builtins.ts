/** Classes of a program that are derived from those of builtins: their objects are written as literals are. */
import { perText } from '../program.js';

/** A class derived from one of builtins whose values are literals. */
const derived =
  /^[ \t]*class[ \t]+\w+[ \t]*\([^)\n]*\b(?:str|int|float|complex|bytes|list|dict|set|frozenset|tuple|deque|Counter)\b/m;

/** Whether what is written as a literal may be of a class of the program, which may make other texts of it. */
export const derivesFromBuiltins = perText(({ source }) => derived.test(source));
