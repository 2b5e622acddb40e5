/**
 * The definition of the entry function, where it is certain that the name still stands for it when the entry runs. It is read off lexical
 * tokens, and errs on one side: what may give the name another value counts as if it did.
 */
import { isField, type LexicalToken, type Part } from './language/lexer.js';

/** Names by which a program reaches its variables without writing them, or changes what a function was given when it was defined. */
const backDoors =
  /\b(?:globals|locals|vars|exec|eval|setattr|delattr|f_globals|f_locals|__(?:dict|globals|setattr|defaults|kwdefaults|code)__)\b/;

/** Index of the `def` token of the only binding of `name`, if that is a plain module-level definition; else null. */
export function findDefinition(source: string, tokens: readonly LexicalToken[], name: string): number | null {
  if (backDoors.test(source.normalize('NFKC'))) return null;
  if (tokens.some((token, index) => token.text === '*' && tokens[index - 1]?.text === 'import')) return null;
  const [only, ...others] = logicalLines(withFields(tokens)).flatMap((line) => bindingsIn(line, name));
  if (only === undefined || others.length > 0) return null;
  const index = tokens.indexOf(only) - 1;
  const isPlain = tokens[index]?.text === 'def' && tokens[index]?.level === 0 && startsLine(tokens, index);
  return isPlain && !isDecorated(tokens, index) ? index : null;
}

/** The tokens, each f-string followed by those inside it. */
export const withFields = (tokens: readonly LexicalToken[]): LexicalToken[] =>
  tokens.flatMap((token) => [token, ...fieldTokens(token.parts ?? [])]);

const fieldTokens = (parts: readonly Part[]): LexicalToken[] =>
  parts.flatMap((part) =>
    isField(part) ? [...withFields(part.tokens), ...fieldTokens(part.spec ?? [])] : [],
  );

function logicalLines(tokens: readonly LexicalToken[]): LexicalToken[][] {
  const lines = new Map<number, LexicalToken[]>();
  for (const token of tokens) {
    const line = lines.get(token.logical) ?? [];
    lines.set(token.logical, line);
    line.push(token);
  }
  return [...lines.values()];
}

const isAssignment = ({ kind, text }: LexicalToken): boolean =>
  kind === 'operator' && /^(?:[^=!<>]{0,2}|<<|>>)=$/.test(text);
/** Whatever is named behind one of these may be bound. */
const bindingWords = new Set(['import', 'as', 'global', 'nonlocal', 'del']);

/** Where a logical line may give `name` another value; keyword arguments count too, which does no harm. One pass, whatever the line. */
function bindingsIn(line: readonly LexicalToken[], name: string): LexicalToken[] {
  const found: LexicalToken[] = [];
  const assigned = lastAssignment(line);
  let isBehindWord = false;
  let isLoopTarget = false;
  line.forEach((token, at) => {
    const { kind, text } = token;
    isBehindWord ||= bindingWords.has(text);
    if (text === 'for' || text === 'in') isLoopTarget = text === 'for';
    if (kind !== 'name' || text !== name) return;
    const mayBeTarget = isLoopTarget || line[0]?.text === 'case' || at < assigned;
    if (isBehindWord || bindsItself(line, at) || (mayBeTarget && !/^[(.]$/.test(line[at + 1]?.text ?? '')))
      found.push(token);
  });
  return found;
}

/** Whether what stands right beside a name makes it one that is bound. */
function bindsItself(line: readonly LexicalToken[], at: number): boolean {
  const before = line[at - 1]?.text;
  const after = line[at + 1];
  if (before === 'def' || before === 'class') return true;
  return after !== undefined && (isAssignment(after) || (at === 0 && after.text === ':'));
}

/** Index of the last assignment outside all brackets: what is assigned to stands before it. */
function lastAssignment(line: readonly LexicalToken[]): number {
  let depth = 0;
  let last = -1;
  line.forEach((token, index) => {
    if (token.kind === 'operator' && '([{'.includes(token.text)) depth += 1;
    if (token.kind === 'operator' && ')]}'.includes(token.text)) depth -= 1;
    if (depth === 0 && isAssignment(token)) last = index;
  });
  return last;
}

const startsLine = (tokens: readonly LexicalToken[], index: number): boolean =>
  tokens[index - 1]?.logical !== tokens[index]?.logical;

function isDecorated(tokens: readonly LexicalToken[], index: number): boolean {
  let start = index - 1;
  while (start > 0 && !startsLine(tokens, start)) start -= 1;
  return tokens[start]?.text === '@';
}
