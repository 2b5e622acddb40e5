/**
 * What a statement leaves that looks up a key in a `defaultdict` which is not there: the dict has it from then on, with what its factory makes. And what one leaves
 * that reckons with an item of a `defaultdict`, be it there or not: `counts[key] += 1`.
 */
import { asAssignment } from '../debugger/language/augmented.js';
import { defaultDicts } from '../debugger/language/default-dicts.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { itemIn, lacks, withItemIn } from '../debugger/language/nested-items.js';
import { isUndecided, type Part } from '../debugger/language/parts.js';
import { servedAs } from '../debugger/language/read-as.js';
import { changesLast, endingWith, noResults, resultsOf } from '../debugger/language/results.js';
import { wordToken } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { wholeWorkings } from '../debugger/language/workings.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { type Frame, withFrame } from '../debugger/state.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { decidedAs } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workOut } from './work-out.js';

const kind = 'defaultdict(';
const forWord = wordToken('for');
/** Most keys that one statement adds so. */
const mostKeys = 8;

/**
 * undefined for other statements, and where one may change something else before. worked: its code tokens, as far as they were worked out.
 * @throws ForetraceError as workOut
 */
export async function settledMissing(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program, state } = step;
  const running = alone(step.program, steppingFrame(access, step));
  if (!running || !state || mayBeChanged(running)) return undefined;
  if (![...running.frame.locals.values()].some((text) => text.startsWith(kind))) return undefined;
  const code = worked ?? statementTokens(program, running);
  const stored = asStored(program, running.frame, code);
  const filled = withMissing(program, running, stored);
  if (filled === running && stored === code) return undefined;
  const { frame } = filled;
  const written = asStored(program, frame, servedAs(program, frame, statementTokens(program, filled)));
  const workings = wholeWorkings(program, frame, written);
  if (workings === undefined) return undefined;
  const { code: found, ...paid } = await workOut(
    access,
    { ...step, state: withFrame(state, running.frame, frame) },
    workings,
  );
  const line = lineParts(found);
  if (line === undefined || !changesLast(found, line)) return undefined;
  const results = resultsOf(program, filled, found, line, false);
  // What it makes of what is there is not told.
  if (stored !== code && results.assigned.size === 0) return undefined;
  const added = [...frame.locals].filter(([name, text]) => running.frame.locals.get(name) !== text);
  const assigned = new Map([...added, ...results.assigned]);
  return {
    ...paid,
    results: endingWith({ ...noResults, ...results, assigned }, program, running, found),
    ended: decidedAs(running, results.holds),
  };
}

/** `counts[key] += 1` as the assignment that it stands for; other statements as they are. */
function asStored(program: Program, frame: Frame, code: readonly number[]): readonly number[] {
  const value = defaultDicts(program, frame).get(code[0] as number);
  return asAssignment(code, { value, end: 1 });
}

/** The frame with what its `defaultdict`s have once the line has looked up what is missing in them. */
function withMissing(program: Program, running: Running, code: readonly number[]): Running {
  let filled = running;
  for (let added = 0; added < mostKeys; added += 1) {
    const next = withFirstMissing(program, filled, code);
    if (next === undefined) return filled;
    filled = next;
  }
  return filled;
}

function withFirstMissing(program: Program, running: Running, code: readonly number[]): Running | undefined {
  const line = lineParts(code);
  if (line === undefined || code[0] === forWord) return undefined;
  const told = new ToldLine(program, running, code, false);
  const { frame, scope } = running;
  for (const { parts } of lookupsIn([...line.values, ...line.inner])) {
    const [base, index] = parts as [Part, Part];
    const name = base.kind === 'name' ? nameOfSlot(program, code[base.first] as number) : '';
    const text = scope.names.includes(name) ? frame.locals.get(name) : undefined;
    const [key, value] = [
      told.tokens(index),
      text?.startsWith(kind) ? encodeValue(program, text) : undefined,
    ];
    if (!key || !value || !lacks(program, value, key)) continue;
    const item = itemIn(program, value, [key]);
    const left = item && withItemIn(program, value, [key], item);
    const now = left && textOf(program, left);
    if (now !== undefined)
      return { ...running, frame: { ...frame, locals: new Map([...frame.locals, [name, now]]) } };
  }
  return undefined;
}

/** Subscripts that surely are looked up, in the order in which they are. */
function lookupsIn(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) =>
    isUndecided(part) ? [] : [...lookupsIn(part.parts), ...(part.kind === 'subscript' ? [part] : [])],
  );
}
