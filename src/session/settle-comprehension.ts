/** What a statement leaves that has a comprehension with several `for`, or one that makes a dict or a set: it is gone through pass by pass. */
import { clausesOf } from '../debugger/language/clauses.js';
import { collectionOf } from '../debugger/language/collections.js';
import { brace } from '../debugger/language/displays.js';
import { substituted, taken, withPartAs } from '../debugger/language/items.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { truthOfLiteral } from '../debugger/language/literal-values.js';
import { isUndecided, type Part } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { endingWith } from '../debugger/language/results.js';
import { wordToken } from '../debugger/language/tokens.js';
import type { Program } from '../debugger/program.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { Asking, asAsked } from './asking.js';
import { sumOfPaid } from './cost.js';
import { endedMade } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedResults } from './worked-value.js';

const forWord = wordToken('for') as number;
/** Most passes that are gone through. */
const mostPasses = 64;
/** Most comprehensions of a statement. */
const mostComprehensions = 4;

/** Names with their values in a pass, by slot. */
type Pass = ReadonlyMap<number, Value>;

/**
 * undefined where a statement has no such comprehension, where something in one is called that may change something, or is not told. worked: its code tokens, as
 * far as they were worked out.
 * @throws ForetraceError as workOut
 */
export async function settledComprehension(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program } = step;
  const running = alone(step.program, steppingFrame(access, step));
  if (running === undefined) return undefined;
  const code = worked ?? statementTokens(program, running);
  if (comprehensionIn(code) === undefined) return undefined;
  return asAsked(new Asking(access, step, running), async (asking) => {
    const replaced = await withValues(program, asking, code);
    if (replaced === undefined) return undefined;
    const { results, ...paid } = await workedResults(access, step, running, replaced);
    return {
      ...sumOfPaid(asking.paid, paid),
      results: endingWith(results, program, running, code),
      ended: endedMade(program, running, replaced, results),
    };
  });
}

/** The first such comprehension that a line surely comes to, if nothing in the line may change anything. */
function comprehensionIn(code: readonly number[]): Part | undefined {
  if (code.indexOf(forWord) <= 0) return undefined;
  const line = lineParts(code);
  const parts = line && [...line.values, ...line.inner];
  if (parts === undefined || parts.some((part) => mayCall(code, part))) return undefined;
  const find = (part: Part): Part | undefined => {
    if (part.kind === 'comprehension') return isGoneThrough(code, part) ? part : undefined;
    if (isUndecided(part)) return undefined;
    return part.parts.map(find).find((found) => found !== undefined);
  };
  return parts.map(find).find((found) => found !== undefined);
}

/** Whether workings leave a comprehension to the step: they go through lists with one `for`. */
const isGoneThrough = (code: readonly number[], part: Part): boolean =>
  code[part.first] === brace || (clausesOf(code, part)?.clauses.length ?? 0) > 1;

/** The code with what they make in place of all of these comprehensions; undefined where one of them is not told. */
async function withValues(
  program: Program,
  asking: Asking,
  written: readonly number[],
): Promise<readonly number[] | undefined> {
  let code = written;
  for (let count = 0; count < mostComprehensions; count += 1) {
    const part = comprehensionIn(code);
    if (part === undefined) return code;
    const value = await madeBy(program, asking, code, part);
    if (value === undefined) return undefined;
    code = withPartAs(code, part, value);
  }
  return undefined;
}

async function madeBy(
  program: Program,
  asking: Asking,
  code: readonly number[],
  part: Part,
): Promise<Value | undefined> {
  const found = clausesOf(code, part);
  if (found === undefined) return undefined;
  const { items, clauses } = found;
  const codeOf = ({ begin, until }: Part, pass: Pass): number[] =>
    substituted(code.slice(begin, until), pass);
  let passes: Pass[] = [new Map()];
  for (const { target, iterable, conditions } of clauses) {
    const next: Pass[] = [];
    for (const pass of passes) {
      for (const item of await asking.itemsOf(codeOf(iterable, pass), mostPasses)) {
        const names = taken(target, item);
        if (names === undefined) return undefined;
        const inner = new Map([...pass, ...names]);
        if (await holds(asking, conditions, inner, codeOf)) next.push(inner);
        if (next.length > mostPasses) return undefined;
      }
    }
    passes = next;
  }
  const made: Value[][] = [];
  for (const pass of passes) {
    const values: Value[] = [];
    for (const item of items) values.push(await asking.valueOf(codeOf(item, pass)));
    made.push(values);
  }
  return collectionOf(program, code[part.first] as number, items.length === 2, made);
}

async function holds(
  asking: Asking,
  conditions: readonly Part[],
  pass: Pass,
  codeOf: (part: Part, pass: Pass) => number[],
): Promise<boolean> {
  for (const condition of conditions)
    if (!truthOfLiteral(await asking.valueOf(codeOf(condition, pass)))) return false;
  return true;
}
