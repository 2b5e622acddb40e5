/** A module taken apart: its statements and the members of its classes, each of which can be left out of the text by itself. */
import { type Field, isField, type LexicalToken, logicalLines, type Part } from '../language/lexer.js';
import { keywords } from '../language/source-checks.js';
import { SourceMap } from '../language/source-error.js';

/** One statement of a module or of the body of a class, with all that belongs to it. */
export interface Unit {
  /** `guard` is the part of a module that runs where the module is a script. */
  readonly kind: 'function' | 'class' | 'import' | 'guard' | 'statement';
  /** Of a function or class. */
  readonly name: string | undefined;
  /** Physical lines, decorators included. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Last line of `head`. */
  readonly headLine: number;
  /** Names that it binds at its own level, or whose values it may change there. */
  readonly binds: ReadonlySet<string>;
  /** Decorators, and the head of a function or class; all of a statement. A body that stands on the line of its head is part of it. */
  readonly head: readonly LexicalToken[];
  /** What stands on the lines below the head of a function. */
  readonly body: readonly LexicalToken[];
  /** What stands on the lines below the head of a class. */
  readonly members: readonly Unit[];
}

type Line = readonly LexicalToken[];

const continues = new Set(['elif', 'else', 'except', 'finally']);
const compound = new Set(['if', 'for', 'while', 'with', 'try', 'async', ...continues]);
/** Words that begin a compound statement, or are names. */
const soft = new Set(['match', 'case']);

/** The units of a normalised source whose tokens are `tokens`. */
export const unitsOf = (source: string, tokens: readonly LexicalToken[]): Unit[] =>
  unitsIn(logicalLines(tokens), new SourceMap(source));

/** The lines of each statement of the level that the first line has. */
function statementsIn(lines: readonly Line[]): Line[][] {
  const found: Line[][] = [];
  const level = lines[0]?.[0]?.level ?? 0;
  let isDecorated = false;
  for (const line of lines) {
    const [first] = line;
    const goesOn = (first?.level ?? 0) > level || isDecorated || continues.has(first?.text ?? '');
    const last = found.at(-1);
    if (goesOn && last !== undefined) last.push(line);
    else found.push([line]);
    isDecorated = first?.text === '@' && first.level <= level;
  }
  return found;
}

const unitsIn = (lines: readonly Line[], map: SourceMap): Unit[] =>
  statementsIn(lines).map((statement) => unitOf(statement, map));

function unitOf(lines: readonly Line[], map: SourceMap): Unit {
  const tokens = lines.flat();
  const [first] = tokens;
  const place = { firstLine: first?.line ?? 1, lastLine: lastLineOf(tokens, map) };
  const at = lines.findIndex(([token]) => token?.text !== '@');
  const definition = lines[at] ?? [];
  const [word, name] = definition[0]?.text === 'async' ? definition.slice(1) : definition;
  if ((word?.text === 'def' || word?.text === 'class') && name !== undefined) {
    const head = lines.slice(0, at + 1).flat();
    const rest = lines.slice(at + 1);
    const named = {
      name: name.text,
      binds: new Set([name.text, ...walrusTargets(head)]),
      head,
      headLine: lastLineOf(head, map),
      ...place,
    };
    return word.text === 'def'
      ? { kind: 'function', body: rest.flat(), members: [], ...named }
      : { kind: 'class', body: [], members: rest.length > 0 ? unitsIn(rest, map) : [], ...named };
  }
  const isImport =
    (word?.text === 'import' || word?.text === 'from') && !tokens.some(({ text }) => text === ';');
  const kind = isGuard(definition) ? 'guard' : isImport ? 'import' : 'statement';
  return {
    kind,
    name: undefined,
    binds: new Set([...boundBy(lines), ...walrusTargets(tokens)]),
    head: tokens,
    headLine: place.lastLine,
    body: [],
    members: [],
    ...place,
  };
}

const lastLineOf = (tokens: readonly LexicalToken[], map: SourceMap): number =>
  map.lineOf(Math.max((tokens.at(-1)?.end ?? 1) - 1, 0));

const isGuard = (line: Line): boolean =>
  /^if __name__ == (?:'__main__'|"__main__") :/.test(
    line
      .slice(0, 5)
      .map(({ text }) => text)
      .join(' '),
  );

/** Names that statements bind or change where they stand, those bound inside expressions and those inside functions and classes left out. */
function boundBy(lines: readonly Line[]): Set<string> {
  const found = new Set<string>();
  let inside = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const level = line[0]?.level ?? 0;
    if (level > inside) continue;
    const word = line[0]?.text === 'async' ? line[1]?.text : line[0]?.text;
    inside = word === 'def' || word === 'class' ? level : Number.POSITIVE_INFINITY;
    for (const name of boundByLine(line)) found.add(name);
  }
  return found;
}

/** Whether a statement is one that others stand in. */
export const isCompound = (tokens: Line): boolean =>
  compound.has(tokens[0]?.text ?? '') || tokens.at(-1)?.logical !== tokens[0]?.logical;

function* boundByLine(line: Line): Generator<string> {
  const [first, second] = line;
  const isSoft =
    soft.has(first?.text ?? '') && (second?.kind !== 'operator' || '([{-*'.includes(second.text));
  const [end = line.length] = atDepthZero(line, [':']);
  if (compound.has(first?.text ?? '') || (isSoft && end < line.length)) {
    yield* boundByHead(line.slice(0, end));
    if (end + 1 < line.length) yield* boundByLine(line.slice(end + 1));
    return;
  }
  let from = 0;
  for (const end of [...atDepthZero(line, [';']), line.length]) {
    yield* boundBySimple(line.slice(from, end));
    from = end + 1;
  }
}

/** Names of the head of a loop, of `with` and its like: targets, and what may be changed where it is called or gone through. */
function* boundByHead(head: Line): Generator<string> {
  const word = head[0]?.text === 'async' ? head[1]?.text : head[0]?.text;
  if (word === 'def' || word === 'class') yield* plainNames(head.slice(1, 3));
  else if (word === 'for' || word === 'with' || word === 'except' || word === 'case') yield* plainNames(head);
}

/** Operators of assignments. */
export const assigning: ReadonlySet<string> = new Set([
  '=',
  '+=',
  '-=',
  '*=',
  '/=',
  '//=',
  '%=',
  '**=',
  '@=',
  '&=',
  '|=',
  '^=',
  '>>=',
  '<<=',
]);

function* boundBySimple(statement: Line): Generator<string> {
  const word = statement[0]?.text ?? '';
  if (word === 'def' || word === 'class' || word === 'import' || word === 'from' || word === 'del') {
    yield* plainNames(word === 'def' || word === 'class' ? statement.slice(1, 2) : statement);
    return;
  }
  const ends = atDepthZero(statement, assigning);
  if (ends.length === 0) {
    const isAnnotated = atDepthZero(statement, [':']).length > 0;
    // An expression alone is there for what it changes.
    yield* isAnnotated ? [] : plainNames(statement);
    return;
  }
  let from = 0;
  for (const end of ends) {
    const target = statement.slice(from, end);
    yield* plainNames(target.slice(0, atDepthZero(target, [':'])[0] ?? target.length));
    from = end + 1;
  }
}

/** Names that assignments inside expressions bind. */
function* walrusTargets(line: Line): Generator<string> {
  let before = '';
  for (const { text } of deepTokens(line)) {
    if (text === ':=') yield before;
    before = text;
  }
}

/** Names that stand by themselves, those behind a dot and keywords left out. */
function* plainNames(tokens: Line): Generator<string> {
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind === 'name' && tokens[at - 1]?.text !== '.' && !keywords.has(text)) yield text;
  }
}

/** Indices of such operators outside all brackets. */
export function atDepthZero(tokens: Line, operators: ReadonlySet<string> | readonly string[]): number[] {
  const wanted = new Set(operators);
  const found: number[] = [];
  let depth = 0;
  let lambdas = 0;
  tokens.forEach(({ kind, text }, at) => {
    if (text === 'lambda' && depth === 0) lambdas += 1;
    if (kind !== 'operator') return;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    else if (depth === 0 && text === ':' && lambdas > 0) lambdas -= 1;
    else if (depth === 0 && wanted.has(text)) found.push(at);
  });
  return found;
}

/** All tokens, those inside f-strings too. */
export function* deepTokens(tokens: readonly LexicalToken[]): Generator<LexicalToken> {
  for (const token of tokens) {
    yield token;
    yield* inParts(token.parts ?? []);
  }
}

function* inParts(parts: readonly Part[]): Generator<LexicalToken> {
  for (const part of parts) {
    if (!isField(part)) continue;
    const { tokens, spec }: Field = part;
    yield* deepTokens(tokens);
    yield* inParts(spec ?? []);
  }
}

/** Whether a statement is nothing but a text, such as a docstring. */
export const isText = ({ head }: Unit): boolean => head.every(({ kind }) => kind === 'string');

/** The tokens of the decorators of a function or class. */
export function decoratorsOf({ head }: Unit): LexicalToken[] {
  const { logical } = head.at(-1) ?? {};
  return head.filter((token) => token.logical !== logical);
}

/** Appends to the list of a key. */
export function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** The bracket that closes the one at `open`. */
export function closingOf(tokens: readonly LexicalToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { text } = tokens[at] as LexicalToken;
    if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}
