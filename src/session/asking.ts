/** Questions that are asked one after the other before a step, where each depends on the answers before it. */
import { isSequence, itemsIn } from '../debugger/language/displays.js';
import type { Value } from '../debugger/language/plan.js';
import { charToken } from '../debugger/language/tokens.js';
import type { Running } from '../debugger/running.js';
import { sumOf, unasked } from './cost.js';
import type { AskedStep, Settled } from './settle.js';
import type { ModelAccess } from './submit-question.js';
import { whetherHolds, workedValue } from './worked-value.js';

type Paid = Pick<Settled, 'logProbability' | 'cost'>;

const less = charToken('<') as number;
/** Most comparisons for one step. */
const mostComparisons = 64;

/** A question that has no answer of use. */
class Untold extends Error {}

/** What comes of such questions; undefined where one of them has no answer of use. */
export async function asAsked<Found>(
  asking: Asking,
  find: (asking: Asking) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  try {
    return await find(asking);
  } catch (error) {
    if (error instanceof Untold) return undefined;
    throw error;
  }
}

/** Asks them, for `asAsked`. */
export class Asking {
  paid: Paid = unasked;
  private left = mostComparisons;

  constructor(
    private readonly access: ModelAccess,
    private readonly step: AskedStep,
    private readonly running: Running,
  ) {}

  /** Which of two items is less: of tuples and lists their first items that differ are compared. What is written alike is equal. */
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
    const { holds, ...paid } = await whetherHolds(this.access, this.step, this.running, [...a, less, ...b]);
    return this.told(holds, paid);
  }

  /** What an expression comes to. */
  async valueOf(code: readonly number[]): Promise<Value> {
    const { value, ...paid } = await workedValue(this.access, this.step, this.running, code);
    return this.told(value, paid);
  }

  private told<Answer>(answer: Answer | undefined, paid: Paid): Answer {
    this.paid = {
      logProbability: this.paid.logProbability + paid.logProbability,
      cost: sumOf(this.paid.cost, paid.cost),
    };
    if (answer === undefined) throw new Untold();
    return answer;
  }
}
