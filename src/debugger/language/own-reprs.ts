/** What `__repr__` of a program's own writes: whether that can be taken for a value of builtins, and how an object looks that has no attributes yet. */
import type { Program } from '../program.js';

/** A method with its body: what is indented deeper than its head. */
const definition = /^([ \t]*)def __repr__\(\s*(\w+)[^\n]*\n(?:\1[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)*/gm;
/** Other ways to speak of it that give no class another one. */
const harmless = /\.__repr__\(|__str__\s*=\s*__repr__\b/g;
/** A text that begins with a name and something else than one, or in an angle bracket. */
const unlikeLiterals =
  /^[fFrR]{0,2}(?:"""|'''|"|')(?:<|(?:[^\W\d]\w*|\{(?:self\.__class__|type\(self\))\.__(?:qual)?name__\})[^\w'"{])/u;
/** Names that values of builtins begin with. */
const builtin =
  /^[fFrR]{0,2}["']+(?:True|False|None|inf|nan|deque|defaultdict|Counter|OrderedDict|range|set|frozenset|bytearray|array|b|B)\b/;

interface OwnRepr {
  /** The name of its object. */
  readonly self: string;
  /** What it returns, without brackets before. */
  readonly returned: readonly string[];
  /** Whether it does nothing but return. */
  readonly isOnly: boolean;
}

const known = new WeakMap<Program, readonly OwnRepr[] | null>();

/** null: one is defined in a way that is not read. */
function ownReprs(program: Program): readonly OwnRepr[] | null {
  const found = known.get(program);
  if (found !== undefined) return found;
  const read = readReprs(program.source);
  known.set(program, read);
  return read;
}

function readReprs(source: string): readonly OwnRepr[] | null {
  const written = [...source.matchAll(definition)];
  const mentions = source.replace(harmless, '').match(/__repr__/g) ?? [];
  return mentions.length === written.length ? written.map(([text, , self = '']) => reprOf(text, self)) : null;
}

function reprOf(text: string, self: string): OwnRepr {
  const [before = '', ...returned] = text.split(/\breturn\b/);
  const isOnly = returned.length === 1 && /^[^\n]*\n(?:\s*("""|''')[\s\S]*?\1)?\s*$/.test(before);
  return { self, returned: returned.map((part) => part.replace(/^[\s(\\]+/, '')), isOnly };
}

/** Whether what looks like a literal is one: an object with a `__repr__` of its own may look like a number. */
export function showsLiterals(program: Program): boolean {
  const found = ownReprs(program);
  return found?.every(({ returned }) => returned.length > 0 && returned.every(isUnlike)) === true;
}

const isUnlike = (text: string): boolean => unlikeLiterals.test(text) && !builtin.test(text);

/**
 * The canonical repr of a new object of a class, by its qualified name, whose classes around it in the hierarchy are of the program: undefined where its own `__repr__`
 * decides that and may come to something.
 */
export function newObject(program: Program, owner: string): string | undefined {
  const found = ownReprs(program);
  if (found?.length === 0) return `<${owner} object>`;
  const isOwn = program.scopes.some(({ qualifiedName }) => qualifiedName === `${owner}.__repr__`);
  if (!found?.every((repr) => fails(program, repr))) return undefined;
  return isOwn ? `<unrepresentable ${owner}>` : undefined;
}

/** Whether a `__repr__` reads an attribute before anything else that an object does not have until it is assigned. */
function fails({ source }: Program, { self, returned: [text = ''], isOnly }: OwnRepr): boolean {
  const read = new RegExp(`^[fF](?:"""|'''|"|')[^{}]*\\{(?:\\w+\\()*${self}\\.(\\w+)`).exec(text)?.[1];
  const isOfClass = new RegExp(`^[ \\t]+(?:def[ \\t]+${read}\\b|${read}[ \\t]*(?::[^\\n]*)?=)`, 'm');
  return isOnly && read !== undefined && !isOfClass.test(source) && !/__getattr|__slots__/.test(source);
}
