/** Which attributes code may reach by texts: what `getattr` and its like are given. */
import type { LexicalToken } from '../language/lexer.js';
import { append, assigning, atDepthZero, closingOf } from './source-units.js';

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
/** What makes one of several values of an expression, or another value of one. */
const choosing = new Set([
  'if',
  'else',
  'or',
  'and',
  'not',
  'lambda',
  'in',
  'is',
  '<',
  '>',
  '==',
  '!=',
  '<=',
  '>=',
  ':=',
]);

/** What `tokens` reach by texts. parameters: names of the function that they stand in, which may have any value. */
export function namedAttributes(tokens: Tokens, parameters: ReadonlySet<string>): NamedAttributes {
  const found = { names: new Set<string>(), prefixes: new Set<string>() };
  let bindings: Bindings | undefined;
  const note = (argument: Tokens | undefined): void => {
    bindings ??= new Bindings(tokens, parameters);
    noteArgument(bindings, argument, found);
  };
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'name') continue;
    const isCalled = tokens[at + 1]?.text === '(';
    if (takeNameSecond.has(text)) note(isCalled ? argumentsAt(tokens, at + 1)[1] : undefined);
    else if (takeNames.has(text) && isCalled)
      for (const argument of argumentsAt(tokens, at + 1)) note(argument);
    // By another name it may be called anywhere.
    else if (takeNames.has(text) && tokens[at + 1]?.text === 'as') found.prefixes.add('');
    else if (takeNames.has(text) && !isImported(tokens, at)) found.prefixes.add('');
    else if (text === '__getattribute__' && tokens[at - 1]?.text === '.') found.prefixes.add('');
    if (found.prefixes.has('')) break;
  }
  return found;
}

const isImported = (tokens: Tokens, at: number): boolean =>
  /^(?:import|,|\()$/.test(tokens[at - 1]?.text ?? '') && tokens[0]?.text === 'from';

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

/** A text, an f-string, or a text to which something is added or put in. */
function noteText(given: Tokens, { names, prefixes }: Found): void {
  const [first] = given;
  // What stands in the fields of an f-string that it begins with is of no interest.
  const value = given.filter(({ start }) => start === first?.start || start >= (first?.end ?? 0));
  const [, second, third] = value;
  const isText = first?.kind === 'string' || first?.kind === 'fstring';
  const isFormatted =
    second?.text === '.' && third?.text === 'format' && closingOf(value, 3) === value.length - 1;
  const isExtended = second?.text === '+' || second?.text === '%' || isFormatted;
  const { letters = '', rest = '' } = (isText && beginning.exec(first.text)?.groups) || {};
  const parts = letters.split('.');
  if (!isText || value.some(({ text }) => choosing.has(text)) || (second !== undefined && !isExtended))
    prefixes.add('');
  else if (first.kind === 'string' && second === undefined && /['"]/.test(rest))
    for (const name of parts) names.add(name);
  else {
    // `attrgetter('a.b')` looks up both.
    for (const name of parts.slice(0, -1)) names.add(name);
    prefixes.add(parts.at(-1) ?? '');
  }
}

/** The arguments of the call whose bracket is at `open`. */
function argumentsAt(tokens: Tokens, open: number): Tokens[] {
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

  constructor(
    tokens: Tokens,
    private readonly parameters: ReadonlySet<string>,
  ) {
    const lines = new Map<number, LexicalToken[]>();
    for (const [at, token] of tokens.entries()) {
      append(lines, token.logical, token);
      if (token.kind === 'name' && tokens[at - 1]?.text !== '.') append(this.places, token.text, token);
    }
    for (const [logical, line] of lines) this.lines.set(logical, lineOf(line));
  }

  /** The values of a name that is bound by nothing but plain assignments; none of another. */
  valuesOf(name: string): readonly Tokens[] {
    const found = this.known.get(name) ?? (this.parameters.has(name) ? [] : this.find(name));
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
