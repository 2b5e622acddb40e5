/** What a statement leaves that calls `heapq`: the list in its order, which is told by comparisons that are asked one after the other. */
import { isReverse, singleSteps } from '../debugger/action.js';
import { isSequence, itemsIn } from '../debugger/language/displays.js';
import { type HeapCall, heapCall, heapChangedBy, withGiven } from '../debugger/language/heaps.js';
import { listOf } from '../debugger/language/item-changes.js';
import { lineParts } from '../debugger/language/line-parts.js';
import type { Value } from '../debugger/language/plan.js';
import { changesLast, endingWith, noResults, resultsOf } from '../debugger/language/results.js';
import { charTokens, isSlotToken, wordToken } from '../debugger/language/tokens.js';
import { ToldLine, textOf } from '../debugger/language/told-line.js';
import { wholeWorkings } from '../debugger/language/workings.js';
import { nameOfSlot } from '../debugger/program.js';
import { type Running, runningFrame } from '../debugger/running.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { sumOf, unasked } from './cost.js';
import { type AskedStep, decidedAs, type Settled } from './settle.js';
import type { ModelAccess } from './submit-question.js';
import { whetherHolds } from './whether.js';
import { workOut } from './work-out.js';

type Paid = Pick<Settled, 'logProbability' | 'cost'>;

const [square, less] = charTokens('[<');
const forWord = wordToken('for');
/** Most comparisons of one call. */
const mostComparisons = 64;

/** A comparison that has no answer of use. */
class Untold extends Error {}

/**
 * undefined where a statement has no call of `heapq`, or where its arguments are not told, or a comparison is not. worked: its code tokens, as far as they were worked
 * out.
 * @throws ForetraceError as workOut
 */
export async function settledHeap(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program, state, action } = step;
  const isStep = singleSteps.has(action.kind) && !isReverse(action.kind) && state?.event === 'line';
  const running = isStep && access.showsWorkings ? alone(runningFrame(program, state)) : undefined;
  const code = running && [...(worked ?? statementTokens(program, running))];
  const line = code && lineParts(code);
  const call = line && heapCall(program, code, [...line.values, ...line.inner]);
  if (!running || !code || !call || !isAlone(code, call)) return undefined;
  const isStale = running.scope.flow?.cleansUp !== false;
  const told = new ToldLine(program, running, code, isStale);
  const [list, item] = [told.tokens(call.heap), call.item && told.tokens(call.item)];
  const isTold = list?.[0] === square && (call.item === undefined) === (item === undefined);
  if (list === undefined || !isTold) return undefined;
  const comparing = new Comparing(access, step, running);
  try {
    const changed = await heapChangedBy(call.operation, itemsIn(list), item, (a, b) =>
      comparing.isLess(a, b),
    );
    const text = changed && textOf(program, listOf(changed.left));
    if (changed === undefined)
      return { ...comparing.paid, results: { ...noResults, raised: "IndexError('index out of range')" } };
    if (text === undefined) return undefined;
    const left = nameOfSlot(program, code[call.heap.first] as number);
    return await restOf(
      access,
      step,
      running,
      withGiven(code, call, changed.given),
      [left, text],
      comparing.paid,
    );
  } catch (error) {
    if (error instanceof Untold) return undefined;
    throw error;
  }
}

/** Whether nothing else in the line reads or changes the list, or may change anything. */
function isAlone(code: readonly number[], call: HeapCall): boolean {
  const slot = code[call.heap.first] as number;
  const uses = code.filter((token) => token === slot).length;
  const others = withGiven(code, call, undefined);
  const line = lineParts(others);
  return code[0] !== forWord && isSlotToken(slot) && uses === 1 && !!line && changesLast(others, line);
}

/** What the statement leaves besides, with what the call gives in its place. */
async function restOf(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  code: readonly number[],
  left: readonly [name: string, text: string],
  paid: Paid,
): Promise<Settled> {
  const { program } = step;
  const workings = wholeWorkings(program, running.frame, code);
  const worked = workings ? await workOut(access, step, workings) : { ...unasked, code };
  const parts = lineParts(worked.code);
  const isStale = running.scope.flow?.cleansUp !== false;
  const found = parts ? resultsOf(program, running, worked.code, parts, isStale) : noResults;
  const results = endingWith(
    { ...found, assigned: new Map([...found.assigned, left]) },
    program,
    running,
    code,
  );
  return {
    results,
    ended: found.holds === undefined ? undefined : decidedAs(running, found.holds),
    logProbability: paid.logProbability + worked.logProbability,
    cost: sumOf(paid.cost, worked.cost),
  };
}

/** Asks which of two items is less. */
class Comparing {
  paid: Paid = unasked;
  private left = mostComparisons;

  constructor(
    private readonly access: ModelAccess,
    private readonly step: AskedStep,
    private readonly running: Running,
  ) {}

  /** Of tuples and lists their first items that differ are compared. What is written alike is equal. */
  async isLess(a: Value, b: Value): Promise<boolean> {
    if (a.join() === b.join()) return false;
    if (isSequence(a) && a[0] === b[0]) {
      const [ofA, ofB] = [itemsIn(a), itemsIn(b)];
      const at = ofA.findIndex((item, index) => item.join() !== ofB[index]?.join());
      const [first, second] = [ofA[at], ofB[at]];
      return first && second ? this.isLess(first, second) : ofA.length < ofB.length;
    }
    this.left -= 1;
    if (this.left < 0) throw new Untold();
    const asked = await whetherHolds(this.access, this.step, this.running, [...a, less as number, ...b]);
    this.paid = {
      logProbability: this.paid.logProbability + asked.logProbability,
      cost: sumOf(this.paid.cost, asked.cost),
    };
    if (asked.holds === undefined) throw new Untold();
    return asked.holds;
  }
}
