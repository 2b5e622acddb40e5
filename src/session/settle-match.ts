/** What is known of a step within a `match` statement: which clause takes its subject, what the pattern binds, where the guard leads. */
import { isImmutable } from '../debugger/frozen.js';
import { derivesFromBuiltins } from '../debugger/language/derived-builtins.js';
import { expressionParts } from '../debugger/language/expression-parts.js';
import type { Follow, LineFlow, Trial } from '../debugger/language/flow.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { matched } from '../debugger/language/pattern-match.js';
import { patternIn } from '../debugger/language/patterns.js';
import type { Value } from '../debugger/language/plan.js';
import { servedAs } from '../debugger/language/read-as.js';
import { noResults } from '../debugger/language/results.js';
import { mayPass } from '../debugger/language/step-constraints.js';
import { charTokens, isSlotToken, wordTokens } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { lineTokens, nameOfSlot } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { withFrame } from '../debugger/state.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { whetherHolds, workedValue } from './worked-value.js';

const [matchWord, caseWord, ifWord] = wordTokens('match case if');
const colon = charTokens(':')[0];
/** Where it does not matter what the subject is. */
const anySubject: Paid & { readonly value?: Value } = { ...unasked, value: [] };
/** What stands between names that are tried as they are. */
const between = new Set(charTokens('(,)[]'));

/**
 * undefined for other lines, and where it is not told.
 * @throws ForetraceError as workOut
 */
export async function settledMatch(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { program } = step;
  const running = steppingFrame(access, step);
  const flow = running?.scope.flow?.lines.get(running.frame.line);
  if (running === undefined || flow === undefined || derivesFromBuiltins(program)) return undefined;
  if (mayBeChanged(running)) return undefined;
  const code = [...lineTokens(program, running.frame.line)];
  if (code.at(-1) !== colon) return undefined;
  if (flow.trial && code[0] === caseWord) return settledCase(access, step, running, flow, flow.trial, code);
  return code[0] === matchWord ? settledSubject(step, running, flow, code) : undefined;
}

/** The line of the `match` itself, which raises nothing where its subject is told. */
function settledSubject(
  { program }: AskedStep,
  running: Running,
  { next }: LineFlow,
  code: readonly number[],
): Settled | undefined {
  const { frame, scope } = running;
  const isMatch = [...next].every((line) => lineTokens(program, line)[0] === caseWord);
  if (!isMatch || !mayPass(scope, frame.line)) return undefined;
  const written = servedAs(program, frame, code.slice(1, -1));
  const part = expressionParts(written);
  const isTold = part && new ToldLine(program, running, written, false).text(part) !== undefined;
  return isTold ? { ...unasked, results: noResults, ended: 'passes' } : undefined;
}

async function settledCase(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  flow: LineFlow,
  trial: Trial,
  code: readonly number[],
): Promise<Settled | undefined> {
  const { program } = step;
  const { scope } = running;
  const read = patternIn(program, code.slice(1));
  if (read === undefined) return undefined;
  const isWildcard = read.pattern.kind === 'any' && read.pattern.slot === undefined;
  const { value, ...paid } = isWildcard ? anySubject : await subjectOf(access, step, running, trial);
  const found = value && matched(program, read.pattern, value);
  if (found === undefined) return undefined;
  const guard = code.slice(read.end + 1, -1);
  const bound = [...(found || [])].map(
    ([slot, held]) => [nameOfSlot(program, slot), textOf(program, held)] as const,
  );
  const isOwn = bound.every(([name]) => scope.names.includes(name) && !program.reboundNames.has(name));
  const assigned = new Map(bound.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
  if (!isOwn || assigned.size < bound.length || (guard.length > 0 && guard[0] !== ifWord)) return undefined;
  if (found === false || guard.length === 0) {
    const others = scope.names.filter((name) => !assigned.has(name));
    const next = onlyLine(found ? trial.holds : trial.fails);
    return {
      ...paid,
      results: { assigned },
      next,
      // What binds nothing is told as a condition is that fails.
      ended: next !== undefined && !found ? 'fails' : undefined,
      frozen: program.hidesArguments ? undefined : new Set(others),
    };
  }
  return guarded(access, step, running, flow, trial, guard.slice(1), assigned, paid);
}

/** What a clause leaves whose pattern matches, by what its guard comes to once the names are bound. */
async function guarded(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  { effects }: LineFlow,
  { holds, fails }: Trial,
  guard: readonly number[],
  assigned: ReadonlyMap<string, string>,
  paid: Paid,
): Promise<Settled> {
  const { program, state, action } = step;
  const frame = { ...running.frame, locals: new Map([...running.frame.locals, ...assigned]) };
  const begun = { ...step, state: state && withFrame(state, running.frame, frame) };
  const condition = servedAs(program, frame, [ifWord as number, ...guard, colon]).slice(1, -1);
  const isInto = action.kind === 'step_into';
  const found = await whetherHolds(access, begun, { ...running, frame }, condition, isInto);
  const lasting = [...assigned].filter(([, text]) => effects.quiet || isImmutable(text));
  const results = { assigned: new Map(lasting) };
  if (found.holds === undefined) return { ...paid, results };
  return { ...sumOfPaid(paid, found), results, next: onlyLine(found.holds ? holds : fails) };
}

/** What the subject of the statement is, as the names that it is made of still tell. */
async function subjectOf(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  { match, isUntouched }: Trial,
): Promise<Paid & { readonly value?: Value | undefined }> {
  const { program } = step;
  const written = [...lineTokens(program, match)].slice(1, -1);
  const isNamed = (token: number): boolean =>
    isSlotToken(token) && !program.reboundNames.has(nameOfSlot(program, token));
  if (!isUntouched && !written.every((token) => between.has(token) || isNamed(token))) return unasked;
  const code = servedAs(program, running.frame, written);
  const part = expressionParts(code);
  if (part === undefined || mayCall(code, part)) return unasked;
  const told = new ToldLine(program, running, code, false).text(part);
  if (told !== undefined) return { ...unasked, value: encodeValue(program, told) };
  return workedValue(access, step, running, code);
}

/** The line on which a frame goes on, if it is one. */
function onlyLine({ lines, ends }: Follow): number | undefined {
  const [line, ...others] = lines;
  return ends || others.length > 0 ? undefined : line;
}
