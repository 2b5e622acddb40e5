/** The items, keys and attributes that the bounded `repr` of a value shows (docs/trace-language.md, section 4), for a client that opens it. */

export interface Part {
  /** Index, key or attribute. */
  readonly name: string;
  readonly value: string;
  /** Python that gives this part, if `of` stands for the whole. */
  readonly expression: (of: string) => string;
}

const closers: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

/** The pieces between the separators that stand in no bracket and no text. One that the cut of the value left unfinished is missing. */
function piecesOf(text: string, separator: string): string[] {
  const pieces: string[] = [];
  const open: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "'" || character === '"') {
      at = endOfText(text, at, character);
    } else if (character in closers) {
      open.push(closers[character] as string);
    } else if (character === open.at(-1)) {
      open.pop();
    } else if (open.length === 0 && character === separator) {
      pieces.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  const last = text.slice(begin).trim();
  return last === '' || open.length > 0 || last.endsWith('…') ? pieces : [...pieces, last];
}

/** Index of the quote that ends a text; the end of a value that is cut within it. */
function endOfText(text: string, begin: number, quote: string): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** What stands between the first brackets of a value, and what comes behind them; all of it where a cut value does not close them. */
function inside(value: string, open: number): string {
  const closer = closers[value[open] as string] as string;
  return value.endsWith('…') ? value.slice(open + 1) : value.slice(open + 1, value.lastIndexOf(closer));
}

const attribute = (name: string, value: string): Part => ({
  name,
  value,
  expression: (of) => `${of}.${name}`,
});
const indexed = (value: string, index: number): Part => ({
  name: String(index),
  value,
  expression: (of) => `${of}[${index}]`,
});
/** Items of a set are found by themselves. */
const member = (value: string, index: number): Part => ({
  name: String(index),
  value,
  expression: () => value,
});
const keyed = (name: string, value: string): Part => ({ name, value, expression: (of) => `${of}[${name}]` });

function pairsOf(
  pieces: readonly string[],
  separator: string,
  part: (name: string, value: string) => Part,
): Part[] {
  return pieces.flatMap((piece) => {
    const [name = ''] = piecesOf(piece, separator);
    const value = piece.slice(name.length).replace(separator, '').trim();
    return name === piece || value === '' ? [] : [part(name, value)];
  });
}

/** None for a value that has no parts, or whose `repr` does not show them. */
export function partsOf(value: string): Part[] {
  const object = /^<[^'"<>{}]* object \{/.exec(value);
  if (object) return pairsOf(piecesOf(inside(value, object[0].length - 1), ','), ':', attribute);
  const name = /^[A-Za-z_][\w.]*/.exec(value)?.[0] ?? '';
  const pieces =
    value[name.length] !== undefined && (value[name.length] as string) in closers
      ? piecesOf(inside(value, name.length), ',')
      : [];
  if (name !== '') {
    const attributes = value[name.length] === '(' ? pairsOf(pieces, '=', attribute) : [];
    if (attributes.length === pieces.length) return attributes;
    // deque([1, 2], maxlen=3), Counter({'a': 1}), defaultdict(<class 'int'>, {'a': 1}): what the last argument without a name holds.
    const held = pieces.filter((piece) => pairsOf([piece], '=', attribute).length === 0).at(-1);
    return held === undefined ? [] : partsOf(held);
  }
  if (value[0] === '[' || value[0] === '(') return pieces.map(indexed);
  if (value[0] !== '{') return [];
  const pairs = pairsOf(pieces, ':', keyed);
  return pairs.length > 0 ? pairs : pieces.map(member);
}
