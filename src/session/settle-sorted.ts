/**
 * Statements and loops with `sorted(xs, key=lambda x: ..)`, `max` or `min`, once the lambda is not entered any more, or stepped over: the keys are worked out item by item,
 * and the items put in order by them.
 */
import { toldIn } from '../debugger/language/frame-literals.js';
import { substituted, withPartAs } from '../debugger/language/items.js';
import { iterated } from '../debugger/language/iterated.js';
import { mayCall } from '../debugger/language/known-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { isUndecided, type Part } from '../debugger/language/parts.js';
import type { Value } from '../debugger/language/plan.js';
import { endingWith } from '../debugger/language/results.js';
import { charToken, isSlotToken, wordToken, wordTokens } from '../debugger/language/tokens.js';
import type { Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { Asking, asAsked } from './asking.js';
import { sumOfPaid } from './cost.js';
import { madeByRound } from './made-by-round.js';
import { endedMade, settledPass } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedResults } from './worked-value.js';

const [forWord, keyWord] = wordTokens('for key') as [number, number];
const ordering = new Set(wordTokens('sorted max min'));
const lambdaWord = wordToken('lambda') as number;
const colon = charToken(':');
/** Most items that are put in order. */
const mostItems = 64;

/**
 * undefined where a line has no such call, and where it is not told. worked: its code tokens, as far as they were worked out.
 * @throws ForetraceError as workOut
 */
export async function settledSorted(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program, action } = step;
  const running = alone(program, steppingFrame(access, step));
  const code = running && (worked ?? statementTokens(program, running));
  if (running === undefined || code === undefined || !code.includes(lambdaWord)) return undefined;
  const isLoop = code[0] === forWord;
  // Otherwise the lambda is entered first.
  const isPassed = action.kind === 'step_over' || (isLoop && (running.frame.its.at(-1) ?? 0) > 0);
  const call = isPassed ? orderingCall(code) : undefined;
  if (call === undefined) return undefined;
  return asAsked(new Asking(access, step, running), async (asking) => {
    const made = await inOrder(asking, program, running, code, call);
    if (made === undefined) return undefined;
    const written = withPartAs(code, call.part, made);
    if (isLoop) {
      const pass = settledPass(program, running, written);
      return pass && { ...asking.paid, ...pass };
    }
    const { results, ...paid } = await workedResults(access, step, running, written);
    return {
      ...sumOfPaid(asking.paid, paid),
      results: endingWith(results, program, running, written),
      ended: endedMade(program, running, written, results),
    };
  });
}

/** A call that puts items in order by what a lambda makes of each. */
interface OrderingCall {
  readonly part: Part;
  readonly items: Part;
  readonly parameter: number;
  readonly body: Part;
}

/** The only one of a line, if nothing in it may change anything. */
function orderingCall(code: readonly number[]): OrderingCall | undefined {
  const line = lineParts(code);
  const parts = line && [...line.values, ...line.inner];
  if (parts === undefined || parts.some((part) => mayCall(code, part))) return undefined;
  const find = (part: Part): OrderingCall[] => {
    const own = callAt(code, part);
    return own ? [own] : isUndecided(part) ? [] : part.parts.flatMap(find);
  };
  const [only, ...others] = parts.flatMap(find);
  return others.length === 0 ? only : undefined;
}

function callAt(code: readonly number[], part: Part): OrderingCall | undefined {
  const [callee, items, ...others] = part.kind === 'call' ? part.parts : [];
  if (callee?.kind !== 'name' || !ordering.has(code[callee.first] as number)) return undefined;
  const key = others.find(({ kind, first }) => kind === 'keyword' && code[first] === keyWord)?.parts[0];
  const [body] = key?.kind === 'lambda' ? key.parts : [];
  const parameter = key && code[key.first + 1];
  const isOne = key && code[key.first + 2] === colon && isSlotToken(parameter as number);
  const isPlain = others.every(({ kind }) => kind === 'keyword');
  return items && body && isOne && isPlain
    ? { part, items, parameter: parameter as number, body }
    : undefined;
}

async function inOrder(
  asking: Asking,
  program: Program,
  { frame }: Running,
  code: readonly number[],
  { part, items, parameter, body }: OrderingCall,
): Promise<Value | undefined> {
  const told = (inner: Part): Value | undefined => toldIn(program, frame, code, inner);
  const found = iterated(code, items, told, mostItems);
  if (found === undefined) return undefined;
  const keys: Value[] = [];
  for (const item of found)
    keys.push(
      await asking.valueOf(substituted(code.slice(body.begin, body.until), new Map([[parameter, item]]))),
    );
  const round = { kind: 'key', part, given: found.map((item) => [item]) } as const;
  return madeByRound(code, round, keys, asking);
}
