/** Canonical reprs as text: the attributes of an object. */

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
const closings = new Set(Object.values(pairs));
const word = /[\w.+\-…]/u;

/** The offset behind the closing quote of the string that begins at `at`; -1: it does not end. */
function behindString(text: string, at: number): number {
  const quote = text[at];
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === quote) return index + 1;
  }
  return -1;
}

/** The offset behind the bracket that closes the one at `at`; -1: none does. */
function behindBracket(text: string, at: number): number {
  const open: string[] = [];
  for (let index = at; index < text.length; index += 1) {
    const one = text[index] as string;
    if (one === "'" || one === '"') {
      index = behindString(text, index) - 1;
      if (index < 0) return -1;
    } else if (pairs[one]) open.push(pairs[one]);
    else if (closings.has(one) && open.pop() !== one) return -1;
    if (open.length === 0) return index + 1;
  }
  return -1;
}

/** The offset behind the value that begins at `at`: a number, a string, a display, `Name(..)`, `<..>`, a word; -1: none begins there. */
function behindRepr(text: string, at: number): number {
  const first = text[at];
  if (first === undefined) return -1;
  if (first === "'" || first === '"') return behindString(text, at);
  if (pairs[first]) return behindBracket(text, at);
  let end = at;
  while (end < text.length && word.test(text[end] as string)) end += 1;
  if (end === at) return -1;
  const isBytes = end === at + 1 && first === 'b' && (text[end] === "'" || text[end] === '"');
  if (isBytes) return behindString(text, end);
  return text[end] === '(' ? behindBracket(text, end) : end;
}

/** A key or the name of an attribute, and where its value is. */
interface Entry {
  readonly key: string;
  readonly first: number;
  readonly end: number;
}

/** The attributes of an object that is written `<Name object {key: value, ..}>`, or of none; undefined for other texts. */
export function attributesIn(text: string): readonly Entry[] | undefined {
  const open = /^<[\w.<>]+ object(?: \{)?/.exec(text)?.[0];
  if (open === undefined) return undefined;
  if (!open.endsWith('{')) return text === `${open}>` ? [] : undefined;
  const found: Entry[] = [];
  let at = open.length;
  for (;;) {
    const key = /^\w+(?=: )/u.exec(text.slice(at))?.[0];
    if (key === undefined) return undefined;
    const first = at + key.length + 2;
    const end = behindRepr(text, first);
    if (end < 0) return undefined;
    found.push({ key, first, end });
    if (text.slice(end) === '}>') return found;
    if (text.slice(end, end + 2) !== ', ') return undefined;
    at = end + 2;
  }
}
