/** Which plain names in a function are surely its own, and so none of the module's: a subset, by what stands in its own lines. */
import type { LexicalToken } from '../language/lexer.js';
import { keywords } from '../language/source-checks.js';
import { append, assigning, atDepthZero, decoratorsOf, type Unit } from './source-units.js';

type Tokens = readonly LexicalToken[];

/** The head of a function, taken apart. */
export interface FunctionHead {
  readonly decorators: Tokens;
  /** Names of its parameters. */
  readonly parameters: ReadonlySet<string>;
  /** What runs or stands outside the function: defaults and annotations. */
  readonly outer: Tokens;
  /** The values of the defaults, with commas between them. */
  readonly defaults: Tokens;
  /** Statements on the line of the head. */
  readonly body: Tokens;
}

/** Takes the head of a function apart. */
export function functionHead(unit: Unit): FunctionHead {
  const decorators = decoratorsOf(unit);
  const line = unit.head.slice(decorators.length);
  const open = line.findIndex(({ text }) => text === '(');
  const parameters = new Set<string>();
  const outer: LexicalToken[] = [];
  const defaults: LexicalToken[] = [];
  let depth = 0;
  let part: 'name' | 'annotation' | 'default' = 'name';
  /** Lambdas whose parameters have not ended. */
  let lambdas = 0;
  let at = open;
  for (; at < line.length; at += 1) {
    const token = line[at] as LexicalToken;
    const { kind, text } = token;
    if (')]}'.includes(text)) depth -= 1;
    if (depth === 0 && text === ')') break;
    if (text === 'lambda' && depth === 1) lambdas += 1;
    if (depth === 1 && lambdas > 0 && part !== 'name') {
      if (text === ':') lambdas -= 1;
      (part === 'default' ? defaults : outer).push(token);
    } else if (depth === 1 && text === ',') {
      part = 'name';
      defaults.push(token);
    } else if (depth === 1 && part === 'name' && text === ':') part = 'annotation';
    else if (depth === 1 && text === '=') part = 'default';
    else if (part !== 'name') (part === 'default' ? defaults : outer).push(token);
    else if (depth === 1 && kind === 'name') parameters.add(text);
    if ('([{'.includes(text)) depth += 1;
  }
  const rest = line.slice(at + 1);
  const [colon = rest.length] = atDepthZero(rest, [':']);
  return {
    decorators,
    parameters,
    outer: [...outer, ...defaults, ...rest.slice(0, colon)],
    defaults,
    body: rest.slice(colon + 1),
  };
}

/** Names that a function of a module or class surely binds itself. */
export function localNames(unit: Unit, { parameters, body }: FunctionHead): Set<string> {
  const found = new Set(parameters);
  // What the body of a class binds itself is looked up in the module, whatever the function has.
  if ([...body, ...unit.body].some(({ text }) => text === 'class')) return new Set();
  const lines = new Map<number, LexicalToken[]>();
  for (const token of unit.body) append(lines, token.logical, token);
  let inside = Number.POSITIVE_INFINITY;
  for (const line of [body, ...lines.values()]) {
    const level = line[0]?.level ?? 0;
    if (line !== body && level > inside) continue;
    const [first, second] = line[0]?.text === 'async' ? line.slice(1) : line;
    const isDefinition = first?.text === 'def' || first?.text === 'class';
    inside = isDefinition ? level : Number.POSITIVE_INFINITY;
    if (isDefinition && second !== undefined) found.add(second.text);
    else for (const name of boundIn(line)) found.add(name);
  }
  let declaring = -1;
  for (const { text, logical } of [...body, ...unit.body]) {
    if (declaring === logical) found.delete(text);
    if (text === 'global') declaring = logical;
  }
  return found;
}

function* boundIn(line: Tokens): Generator<string> {
  const word = line[0]?.text === 'async' ? line[1]?.text : line[0]?.text;
  if (word === 'for') {
    const end = line.findIndex(({ text }) => text === 'in');
    yield* targets(line.slice(line.findIndex(({ text }) => text === 'for') + 1, end));
  }
  if (word === 'with' || word === 'except') {
    for (const [at, { text }] of line.entries()) {
      const target = line[at + 1];
      if (text === 'as' && target?.kind === 'name') yield* targets(line.slice(at + 1, at + 3), 1);
    }
  }
  // Behind the head of a block on one line nothing is read: `if x: y = 1`.
  const isSimple = !/^(?:if|elif|else|for|while|with|try|except|finally|match|case)$/.test(word ?? '');
  if (!isSimple) return;
  let from = 0;
  for (const end of [...atDepthZero(line, [';']), line.length]) {
    yield* boundBySimple(line.slice(from, end));
    from = end + 1;
  }
}

function* boundBySimple(statement: Tokens): Generator<string> {
  let from = 0;
  for (const end of atDepthZero(statement, assigning)) {
    const target = statement.slice(from, end);
    // The defaults of a lambda are no targets.
    if (target.some(({ text }) => text === 'lambda')) return;
    yield* targets(target.slice(0, atDepthZero(target, [':'])[0] ?? target.length));
    from = end + 1;
  }
}

/** The names of a target that has nothing but names, also in brackets. most: how many. */
function* targets(tokens: Tokens, most = Number.POSITIVE_INFINITY): Generator<string> {
  const names = tokens.filter(({ kind }) => kind === 'name').slice(0, most);
  const isPlain = ({ kind, text }: LexicalToken, at: number): boolean => {
    const before = tokens[at - 1];
    if (kind === 'name') return !keywords.has(text) && before?.kind !== 'name';
    const isOpening = text === '(' || text === '[';
    return isOpening
      ? before?.kind !== 'name' && !/^[)\]]$/.test(before?.text ?? '')
      : /^[)\],*]$/.test(text);
  };
  if (most === 1 ? !'.[('.includes(tokens[1]?.text || ' ') : tokens.every(isPlain))
    for (const { text } of names) yield text;
}
