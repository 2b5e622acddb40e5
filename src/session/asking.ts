/** Questions that are asked one after the other before a step, where each depends on the answers before it. */
import { decidingItems } from '../debugger/language/lesser.js';
import type { Value } from '../debugger/language/plan.js';
import { charToken } from '../debugger/language/tokens.js';
import type { Running } from '../debugger/running.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import type { AskedStep } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { whetherHolds, workedItems, workedValue } from './worked-value.js';

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

  /** Whether one item is less than the other. */
  async isLess(a: Value, b: Value): Promise<boolean> {
    const deciding = decidingItems(a, b);
    if (typeof deciding === 'boolean') return deciding;
    this.left -= 1;
    if (this.left < 0) throw new Untold();
    const [first, second] = deciding;
    const condition = [...first, less, ...second];
    const { holds, ...paid } = await whetherHolds(this.access, this.step, this.running, condition);
    return this.told(holds, paid);
  }

  /** What an expression comes to. */
  async valueOf(code: readonly number[]): Promise<Value> {
    const { value, ...paid } = await workedValue(this.access, this.step, this.running, code);
    return this.told(value, paid);
  }

  /** What is gone through where code goes over an expression. */
  async itemsOf(code: readonly number[], most: number): Promise<readonly Value[]> {
    const { items, ...paid } = await workedItems(this.access, this.step, this.running, code, most);
    return this.told(items, paid);
  }

  private told<Answer>(answer: Answer | undefined, paid: Paid): Answer {
    this.paid = sumOfPaid(this.paid, paid);
    if (answer === undefined) throw new Untold();
    return answer;
  }
}
