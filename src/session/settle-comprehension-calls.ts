/** What a line calls next, and comes to, whose comprehension calls functions of the program: it is gone through pass by pass, with what the calls so far gave. */

import { callerSteps } from '../debugger/action.js';
import { isImmutable } from '../debugger/frozen.js';
import { leavesAllAsItIs } from '../debugger/harmless.js';
import { clausesOf } from '../debugger/language/clauses.js';
import { collectionOf } from '../debugger/language/collections.js';
import { gotLimit } from '../debugger/language/encode.js';
import { expressionParts } from '../debugger/language/expression-parts.js';
import { toldIn } from '../debugger/language/frame-literals.js';
import { substituted, taken, withPartAs } from '../debugger/language/items.js';
import { iterated } from '../debugger/language/iterated.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { lineCalls } from '../debugger/language/line-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { isLiteral, truthOfLiteral } from '../debugger/language/literal-values.js';
import { dictOf } from '../debugger/language/nested-items.js';
import { isUndecided, type Part } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { servedAs } from '../debugger/language/read-as.js';
import { endingWith, resultsOf } from '../debugger/language/results.js';
import { charTokens, wordToken } from '../debugger/language/tokens.js';
import { shownWhole, textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { returnedWorkings } from '../debugger/language/workings.js';
import type { Program } from '../debugger/program.js';
import { leftByException } from '../debugger/raised.js';
import { type Running, runningFrame } from '../debugger/running.js';
import type { Frame } from '../debugger/state.js';
import { statementLines, tokensOnLine } from '../debugger/whole-statement.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { endedBy } from './settle.js';
import { evaluated, withNames } from './settle-generator-calls.js';
import type { AskedStep, Settled } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';
import { workedItems } from './worked-value.js';

const [forWord, returnWord] = [wordToken('for'), wordToken('return')] as [number, number];
const empty = charTokens('[]') as readonly number[];
const [square] = empty;
/** Most items that are gone through: a frame tells of no more calls. */
const mostItems = gotLimit + 1;

/** What the passes come to: what is called next, or the value; neither where that is not told. */
interface GoneThrough extends Paid {
  readonly calls?: Settled | undefined;
  readonly value?: Value | undefined;
  /** What other calls have given. */
  readonly others?: readonly string[];
}

/**
 * undefined for other lines and steps, and where it is not told.
 * @throws ForetraceError as workOut
 */
export async function settledComprehensionCalls(
  access: ModelAccess,
  step: AskedStep,
): Promise<Settled | undefined> {
  const { program, state, action } = step;
  if (!access.showsWorkings || state === null) return undefined;
  const isBehind = state.event === 'return' && callerSteps.has(action.kind);
  const isFirst = state.event === 'line' && action.kind === 'step_into';
  const running = isBehind || isFirst ? runningFrame(program, state) : undefined;
  if (running?.scope.flow === undefined || statementLines(running).size > 1) return undefined;
  const { frame } = running;
  const code = servedAs(program, frame, tokensOnLine(program, frame, running));
  const part = code[0] === forWord ? undefined : callingComprehension(step, running, code);
  const last = state.value ?? 'None';
  if (part === undefined || (isBehind && (last === 'None' || leftByException(program, state))))
    return undefined;
  const texts = isBehind ? [...frame.gots, last] : [];
  if (texts.length > gotLimit) return undefined;
  const { calls, value, others, ...paid } = await goneThrough(access, step, running, code, part, texts);
  if (calls) return { ...calls, ...paid };
  const made = others?.length === 0 ? value : undefined;
  if (made === undefined || !isBehind) return undefined;
  if (!isLiteral(made)) return holding(step, running, code, part, made, paid);
  const written = withPartAs(code, part, made);
  const worked = await workedCode(access, step, written, returnedWorkings(program, frame, written));
  const line = lineParts(worked.code);
  if (line === undefined) return undefined;
  const results = endingWith(
    resultsOf(program, running, worked.code, line, true),
    program,
    running,
    worked.code,
  );
  return { ...sumOfPaid(paid, worked), results, ended: endedBy(program, state, results) };
}

/** What the line leaves where the comprehension is all that it computes, and holds objects. */
function holding(
  { program, state }: AskedStep,
  running: Running,
  code: readonly number[],
  part: Part,
  made: Value,
  paid: Paid,
): Settled | undefined {
  const line = lineParts(code);
  const text = textOf(program, made);
  const [value, ...others] = line?.values ?? [];
  const isAll = value?.begin === part.begin && value.until === part.until && others.length === 0;
  if (line === undefined || text === undefined || state === null || !isAll) return undefined;
  const results = endingWith(resultsOf(program, running, code, line, true, text), program, running, code);
  return { ...paid, results, ended: endedBy(program, state, results) };
}

/** The one comprehension of a line, with one `for`, which calls functions of the program, if nothing else in the line calls any. */
function callingComprehension(
  { program }: AskedStep,
  { frame }: Running,
  code: readonly number[],
): Part | undefined {
  const line = code.indexOf(forWord) > 0 ? lineParts(code) : undefined;
  const parts = line && [...line.values, ...line.inner];
  const find = (part: Part): Part[] =>
    part.kind === 'comprehension' ? [part] : isUndecided(part) ? [] : part.parts.flatMap(find);
  const [only, ...others] = parts?.flatMap(find) ?? [];
  if (only === undefined || others.length > 0 || !only.parts.slice(1).some((inner) => mayCall(code, inner)))
    return undefined;
  const without = withPartAs(code, only, empty);
  const rest = lineParts(without);
  const found = rest && lineCalls(program, frame, without, [...rest.values, ...rest.inner]);
  return found?.isWhole && found.calls.length === 0 ? only : undefined;
}

async function goneThrough(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  code: readonly number[],
  part: Part,
  texts: readonly string[],
): Promise<GoneThrough> {
  const { program } = step;
  const { frame, scope } = running;
  const { items, clauses } = clausesOf(code, part) ?? { items: [], clauses: [] };
  const [clause, ...others] = clauses;
  if (clause === undefined || others.length > 0) return unasked;
  const isStale = !leavesAllAsItIs(program, scope, frame.line);
  // Lists may have been changed by what was called.
  const stays = ([, text]: [string, string]): boolean => isImmutable(text);
  const locals = isStale && texts.length > 0 ? new Map([...frame.locals].filter(stays)) : frame.locals;
  const known = { ...running, frame: { ...frame, locals } };
  const codeOf = ({ begin, until }: Part): readonly number[] => code.slice(begin, until);
  const iterable = codeOf(clause.iterable);
  const { items: literals, ...asked } = await workedItems(access, step, known, iterable, mostItems);
  // What was called may have changed the objects that it goes over.
  const over =
    literals ?? (isStale && texts.length > 0 ? undefined : shownItems(program, known.frame, iterable));
  let paid: Paid = asked;
  let given = texts;
  const made: Value[][] = [];
  for (const item of over ?? []) {
    const names = taken(clause.target, item);
    const bound = names && boundIn(program, known, names);
    if (names === undefined || bound === undefined) return paid;
    const values: Value[] = [];
    for (const expression of [...clause.conditions, ...items]) {
      if (expression.kind === 'comprehension') {
        const inside = substituted(codeOf(expression), literalsOf(names));
        const inner = expressionParts(inside);
        const found = inner && (await goneThrough(access, step, bound, inside, inner, given));
        paid = found ? sumOfPaid(paid, found) : paid;
        if (found?.calls) return { ...paid, calls: found.calls };
        if (!found?.value || !found.others || clause.conditions.includes(expression)) return paid;
        given = found.others;
        values.push(found.value);
        continue;
      }
      const written = [returnWord, ...substituted(codeOf(expression), literalsOf(names))];
      const found = await evaluated(access, step, bound, written, given, isStale);
      paid = sumOfPaid(paid, found);
      if (found.calls) return { ...paid, calls: { ...found.calls, ...sumOfPaid(paid, found.calls) } };
      const value = found.value === undefined ? [] : encodeValue(program, found.value);
      // Conditions are tried, keys and members compared.
      const mayBeObject =
        items.includes(expression) && (code[part.first] === square || expression === items[1]);
      if (value.length === 0 || !(mayBeObject || isLiteral(value))) return paid;
      given = found.others;
      if (items.includes(expression)) values.push(value);
      else if (!truthOfLiteral(value)) break;
    }
    if (values.length === items.length) made.push(values);
  }
  if (over === undefined) return paid;
  return {
    ...paid,
    value: collectionOf(program, code[part.first] as number, items.length === 2, made),
    others: given,
  };
}

/** The items of a list, dict or the like that holds objects, as it is shown. */
function shownItems(program: Program, frame: Frame, code: readonly number[]): readonly Value[] | undefined {
  const part = expressionParts(code);
  const shown = (inner: Part): Value | undefined => {
    const value = shownWhole(program, code, inner, frame);
    return toldIn(program, frame, code, inner) ?? (value && (dictOf(program, value) ?? value));
  };
  const items = part && iterated(code, part, shown, mostItems + 1);
  return items && items.length <= mostItems ? items : undefined;
}

const literalsOf = (names: ReadonlyMap<number, Value>): ReadonlyMap<number, Value> =>
  new Map([...names].filter(([, value]) => isLiteral(value)));

/** The frame with the names of a pass that stand for objects. */
function boundIn(program: Program, running: Running, names: ReadonlyMap<number, Value>): Running | undefined {
  const locals = withNames(
    program,
    running.frame.locals,
    new Map([...names].filter(([, value]) => !isLiteral(value))),
  );
  return locals && { ...running, frame: { ...running.frame, locals } };
}
