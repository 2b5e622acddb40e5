/** Which lines of a program may change what attributes of a name stand for: lists and their like that nobody has by another name. */
import { attributeName } from './language/attributes.js';
import { isKnownFunction } from './language/known-calls.js';
import { augmented } from './language/operators.js';
import { charTokens, isSlotToken, isWordToken, wordTokens } from './language/tokens.js';
import { lineTokens, type Program, perText, type Scope } from './program.js';

interface Uses {
  /** Whether it is given to somebody, or bound to another name. */
  isHandedOn: boolean;
  /** Lines that assign it. */
  readonly assigns: Set<number>;
  /** Lines that change what it stands for. */
  readonly changes: Set<number>;
}

const [dot, opening, closing, comma, equals, square, squareEnd] = charTokens('.(),=[]') as number[];
const [del, none, ...giving] = wordTokens('del None return yield');
const handing: ReadonlySet<number | undefined> = new Set([equals, ...giving]);
/** Methods of lists, dicts and sets that change nothing and give none of them. */
const reading = new Set('copy count get index items keys values'.split(' '));
/** Functions that change nothing that they are given and give none of it, besides those that workings know. */
const looking: ReadonlySet<number | undefined> = new Set(wordTokens('hash id iter print type'));

/** Names of scopes that have no statements. */
const inExpression = /^<(?:genexpr|lambda)>$/;

const knownUses = perText(() => new Map<string, Uses>());

/** How the lines of a program use attributes of this name, of whatever object. */
function usesOf(program: Program, name: string): Uses {
  const known = knownUses(program);
  const found = known.get(name) ?? readUses(program, name);
  known.set(name, found);
  return found;
}

function readUses(program: Program, name: string): Uses {
  const uses: Uses = { isHandedOn: false, assigns: new Set(), changes: new Set() };
  for (const line of program.codeLines) {
    const code = Array.from(lineTokens(program, line));
    for (const [at, token] of code.entries()) {
      if (code[at - 1] !== dot || attributeName(program, token) !== name) continue;
      const use = useAt(program, code, at);
      if (use === 'assigned') uses.assigns.add(line);
      if (use === 'changed') uses.changes.add(line);
      if (use === 'handedOn' || isOfName(code)) uses.isHandedOn = true;
    }
  }
  return uses;
}

/** Whether a line assigns what a name, or an attribute of one, stands for. */
function isOfName(code: readonly number[]): boolean {
  const at = code.lastIndexOf(equals as number);
  const value = code.slice(at + 1);
  const isNamed = value.every((token, index) =>
    index % 2 === 1 ? token === dot : isSlotToken(token) || isWordToken(token),
  );
  return at > 0 && isNamed && value[0] !== none;
}

function useAt(
  program: Program,
  code: readonly number[],
  at: number,
): 'assigned' | 'changed' | 'handedOn' | 'read' {
  const next = code[at + 1];
  const behind = next === square ? code[behindBracket(code, at + 1)] : next;
  if (code[0] === del || behind === equals || (behind !== undefined && augmented.has(behind)))
    return 'assigned';
  // Targets side by side.
  if (behind === comma && depthAt(code, at) === 0 && code.indexOf(equals as number, at) > 0)
    return 'assigned';
  if (next === square) return 'read';
  if (next === dot)
    return code[at + 3] === opening && !reading.has(attributeName(program, code[at + 2] as number))
      ? 'changed'
      : 'read';
  const before = beforeChain(code, at);
  if (handing.has(code[before]) && (next === undefined || next === comma)) return 'handedOn';
  const isArgument =
    (next === closing || next === comma) && (code[before] === opening || code[before] === comma);
  const callee = code[before - 1] ?? -1;
  const isRead = next === closing && (isKnownFunction(callee) || looking.has(callee));
  return isArgument && !isRead ? 'handedOn' : 'read';
}

/** The place before `a.b.c`, of which the last name is at `at`. */
function beforeChain(code: readonly number[], at: number): number {
  let first = at;
  while (code[first - 1] === dot && first >= 2) first -= 2;
  const isName = isSlotToken(code[first] as number) || isWordToken(code[first] as number);
  return isName ? first - 1 : first;
}

function behindBracket(code: readonly number[], at: number): number {
  let depth = 0;
  for (let index = at; index < code.length; index += 1) {
    if (code[index] === square) depth += 1;
    if (code[index] === squareEnd) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return code.length;
}

const depthAt = (code: readonly number[], at: number): number =>
  code
    .slice(0, at)
    .reduce((depth, token) => depth + Number(token === opening) - Number(token === closing), 0);

/** Whether an attribute of this name, of whatever object, may stand for something else behind these lines of a function, or have other items. */
export function mayChangeHeld(program: Program, own: Scope, lines: Iterable<number>, name: string): boolean {
  const { isHandedOn, assigns, changes } = usesOf(program, name);
  if (isHandedOn) return true;
  const seen = new Set<number>();
  const open = [...lines].map((line) => ({ scope: own, line }));
  for (const { scope, line } of open) {
    const { effects, called } = scope.flow?.lines.get(line) ?? {};
    // What assigns it is no part of what stands in an expression.
    const isAssigned = assigns.has(line) && !inExpression.test(scope.name);
    if (isAssigned || changes.has(line) || effects === undefined || (effects.calls && called === undefined))
      return true;
    for (const first of effects.calls ? (called ?? []) : []) {
      if (seen.has(first)) continue;
      seen.add(first);
      for (const callee of program.scopes.filter(({ firstLine }) => firstLine === first))
        for (const other of callee.lines) open.push({ scope: callee, line: other });
    }
  }
  return false;
}
