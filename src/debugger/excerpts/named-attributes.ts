/** Which attributes code may reach by texts: what `getattr` and its like are given. */
import type { LexicalToken } from '../language/lexer.js';
import { append, assigning, atDepthZero } from './source-units.js';

/** Names that are given in texts, and beginnings of such names. */
export interface NamedAttributes {
  readonly names: ReadonlySet<string>;
  /** Empty where any name may be meant. */
  readonly prefixes: ReadonlySet<string>;
}

type Tokens = readonly LexicalToken[];

const takeNameSecond = new Set(['getattr', 'setattr', 'hasattr', 'delattr']);
const takeNames = new Set(['attrgetter', 'methodcaller']);
const opening = '([{';
const closing = ')]}';
/** The letters that a text begins with, and what comes behind them. */
const beginning = /^[fFrRuU]{0,2}(?:'''|"""|'|")(?<letters>[\p{L}\p{N}_.]*)(?<rest>.?)/u;

/** What `tokens` reach by texts. */
export function namedAttributes(tokens: Tokens): NamedAttributes {
  const found = { names: new Set<string>(), prefixes: new Set<string>() };
  const bindings = new Bindings(tokens);
  const note = (argument: Tokens | undefined): void => noteArgument(bindings, argument, found);
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'name') continue;
    if (takeNameSecond.has(text)) note(argumentsAt(tokens, at + 1)?.[1]);
    else if (takeNames.has(text) && tokens[at - 1]?.text !== 'import')
      for (const argument of argumentsAt(tokens, at + 1) ?? [undefined]) note(argument);
    else if (text === '__getattribute__' && tokens[at - 1]?.text === '.') found.prefixes.add('');
    if (found.prefixes.has('')) break;
  }
  return found;
}

type Found = { readonly names: Set<string>; readonly prefixes: Set<string> };

/** An argument that is a text, begins with one, or is a name that is bound to such. */
function noteArgument(bindings: Bindings, argument: Tokens | undefined, found: Found): void {
  const [first, second] = argument ?? [];
  if (first?.kind === 'name' && second === undefined) {
    const values = bindings.valuesOf(first.text);
    if (values.length === 0) found.prefixes.add('');
    for (const value of values) noteText(value, found);
  } else noteText(argument ?? [], found);
}

function noteText([first, second]: Tokens, { names, prefixes }: Found): void {
  const isText = first?.kind === 'string' || first?.kind === 'fstring';
  const { letters = '', rest = '' } = (isText && beginning.exec(first.text)?.groups) || {};
  const isWhole = first?.kind === 'string' && second === undefined && /['"]/.test(rest);
  // `attrgetter('a.b')` looks up both.
  if (isWhole) for (const name of letters.split('.')) names.add(name);
  else prefixes.add(letters.split('.')[0] ?? '');
}

/** The arguments of the call whose bracket is at `open`; undefined where there is none. */
function argumentsAt(tokens: Tokens, open: number): Tokens[] | undefined {
  if (tokens[open]?.text !== '(') return undefined;
  const found: LexicalToken[][] = [[]];
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at] as LexicalToken;
    if (closing.includes(token.text)) depth -= 1;
    if (depth === 0 && token.text === ')') break;
    if (depth === 1 && token.text === ',') found.push([]);
    else if (depth > 0) found.at(-1)?.push(token);
    if (opening.includes(token.text)) depth += 1;
  }
  return found;
}

const binding = new Set('def lambda for as := import global nonlocal case'.split(' '));

/** A line of some code. */
interface Line {
  readonly tokens: Tokens;
  /** Where what is read in it begins: behind the last thing that an assignment or another statement may bind. */
  readonly readFrom: number;
}

function lineOf(tokens: Tokens): Line {
  const mayBind = tokens.some(({ text }) => binding.has(text));
  const last = atDepthZero(tokens, assigning).at(-1);
  const place = last === undefined ? tokens[0] : tokens[last];
  return { tokens, readFrom: mayBind ? Number.POSITIVE_INFINITY : (place?.start ?? 0) };
}

/** What the statements of some code bind names to. */
class Bindings {
  private readonly lines = new Map<number, Line>();
  private readonly places = new Map<string, LexicalToken[]>();
  private readonly known = new Map<string, readonly Tokens[]>();

  constructor(tokens: Tokens) {
    const lines = new Map<number, LexicalToken[]>();
    for (const [at, token] of tokens.entries()) {
      append(lines, token.logical, token);
      if (token.kind === 'name' && tokens[at - 1]?.text !== '.') append(this.places, token.text, token);
    }
    for (const [logical, line] of lines) this.lines.set(logical, lineOf(line));
  }

  /** The values of a name that is bound by nothing but plain assignments; none of another. */
  valuesOf(name: string): readonly Tokens[] {
    const found = this.known.get(name) ?? this.find(name);
    this.known.set(name, found);
    return found;
  }

  private find(name: string): Tokens[] {
    const values: Tokens[] = [];
    for (const place of this.places.get(name) ?? []) {
      const { tokens = [], readFrom = 0 } = this.lines.get(place.logical) ?? {};
      if (tokens[0] === place && tokens[1]?.text === '=') {
        const end = tokens.findIndex(({ text }) => text === ';');
        values.push(tokens.slice(2, end < 0 ? undefined : end));
      } else if (place.start < readFrom) return [];
    }
    return values;
  }
}
