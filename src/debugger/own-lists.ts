/** Lists, dicts and sets that a function makes and gives to nobody before it ends: what it calls can change none of them. */
import { lineParts } from './language/line-parts.js';
import { isLiteral, mutableDepth } from './language/literal-values.js';
import { charTokens, wordTokens } from './language/tokens.js';
import { encodeValue } from './language/values.js';
import { lineTokens, nameOfSlot, type Program, perText, type Scope } from './program.js';
import type { Running } from './running.js';
import { freeNames } from './shared-variables.js';
import { statementTokens } from './whole-statement.js';

const [inWord, returnWord] = wordTokens('in return') as [number, number];
/** Lines that ask whether something counts as true, and the words before that. */
const conditions: ReadonlySet<number | undefined> = new Set(wordTokens('if elif while'));
const asking: ReadonlySet<number | undefined> = new Set(wordTokens('if elif while not and or'));
/** Functions that keep and give back nothing of a list. */
const reading: ReadonlySet<number> = new Set(
  wordTokens('len sum any all sorted list tuple set str repr bool'),
);
const [equals, dot, bracket, square] = charTokens('=.([') as [number, number, number, number];
const opening = new Set(charTokens('[{'));

/** By name, their canonical reprs. */
export const ownLists = (program: Program, { scope, frame }: Running): ReadonlyMap<string, string> =>
  new Map(
    scope.isGenerator
      ? []
      : [...frame.locals].filter(([name, text]) => {
          const value = /^[[{]/.test(text) ? encodeValue(program, text) : [];
          // What it holds somebody else may have, too.
          const isList = value.length > 0 && isLiteral(value) && mutableDepth(value) === 1;
          const slot = program.slots.get(name);
          return isList && slot !== undefined && isOwn(program, scope, slot);
        }),
  );

/** Those that the frame's statement names once, and so does not change before what it does with them in the end. */
export function ownListsNamedOnce(program: Program, running: Running): [name: string, text: string][] {
  const code = statementTokens(program, running);
  return [...ownLists(program, running)].filter(
    ([name]) => code.filter((token) => token === program.slots.get(name)).length === 1,
  );
}

/** By function and slot. */
const known = perText(() => new Map<string, boolean>());

/** Whether a function makes what a name stands for, and gives it to nobody before it ends. */
export function isOwn(program: Program, scope: Scope, slot: number): boolean {
  const found = known(program);
  const key = `${scope.index} ${slot}`;
  const own = found.get(key) ?? keepsForItself(program, scope, slot);
  found.set(key, own);
  return own;
}

function keepsForItself(program: Program, scope: Scope, slot: number): boolean {
  const name = nameOfSlot(program, slot);
  const isSeenInside = program.scopes.some((other) => other !== scope && freeNames(other).includes(name));
  if (scope.parameters.has(name) || program.reboundNames.has(name) || isSeenInside) return false;
  return scope.lines.every((line) => {
    const code = Array.from(lineTokens(program, line));
    const decides = conditions.has(code[0]);
    return code.every((token, at) => {
      if (token !== slot) return true;
      const [before, next] = [code[at - 1], code[at + 1]];
      const isMade = at === 0 && next === equals && makesDisplay(code);
      const isGiven = before === bracket && reading.has(code[at - 2] as number);
      const isReturned = before === returnWord && at === 1 && next === undefined;
      const isAsked = before === inWord || (decides && asking.has(before));
      return isMade || isGiven || isReturned || next === dot || next === square || isAsked;
    });
  });
}

/** Whether what a line assigns is a display, and nothing of it. */
function makesDisplay(code: readonly number[]): boolean {
  const { values: [value] = [], targets = [] } = lineParts(code) ?? {};
  return (
    targets.length === 1 &&
    (value?.kind === 'display' || value?.kind === 'comprehension') &&
    opening.has(code[value.first] as number)
  );
}
