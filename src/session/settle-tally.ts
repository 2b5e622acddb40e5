/** What is written of a `Counter`: the most common item first. Which of two counts is less is asked. */
import { greatestFirst, withEntry } from '../debugger/language/bisections.js';
import { brace, display, itemsOf } from '../debugger/language/displays.js';
import { areAlike } from '../debugger/language/item-changes.js';
import { itemsInOrder } from '../debugger/language/items.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { integerOf } from '../debugger/language/literal-values.js';
import type { Value } from '../debugger/language/plan.js';
import { changesLast, endingWith } from '../debugger/language/results.js';
import { charTokens } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { textOf } from '../debugger/language/told-values.js';
import { encodeValue } from '../debugger/language/values.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { Asking, asAsked } from './asking.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';

/** An item, and how often it comes. */
interface Entry {
  readonly item: Value;
  readonly by: Value;
}

const [plus, one] = charTokens('+1') as [number, number];
const written = /^Counter\(\{.*\}\)$/s;

/** The `Counter` of the items of a list, a tuple or a string: each is looked for among those before it, and counted. undefined where that is not told. */
export async function tallyOf(program: Program, list: Value, asking: Asking): Promise<string | undefined> {
  // A mapping has the counts itself.
  const items = list[0] === brace ? undefined : itemsInOrder(list);
  if (items === undefined || !areAlike(items)) return undefined;
  const entries = new Map<string, Entry>();
  for (const item of items) {
    const before = entries.get(item.join())?.by;
    entries.set(item.join(), { item, by: before ? await asking.valueOf([...before, plus, one]) : [one] });
  }
  return textOfTally(program, await greatestFirst([...entries.values()], (a, b) => asking.isLess(a, b)));
}

function textOfTally(program: Program, entries: readonly Entry[]): string {
  const texts = entries.map(({ item, by }) => [textOf(program, item), textOf(program, by)].join(': '));
  return texts.length === 0 ? 'Counter()' : `Counter({${texts.join(', ')}})`;
}

/**
 * What an assignment to an item of a `Counter` leaves; undefined for other statements, and where the item was there before and comes as often as another one now: which was
 * there first its text does not tell. worked: the code tokens of the statement, as far as they were worked out.
 * @throws ForetraceError as workOut
 */
export async function settledTally(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program } = step;
  const running = alone(step.program, steppingFrame(access, step));
  if (!running || ![...running.frame.locals.values()].some((text) => text.startsWith('Counter(')))
    return undefined;
  const code = [...(worked ?? statementTokens(program, running))];
  const line = lineParts(code);
  const [target, ...others] = line?.targets ?? [];
  const [base, key] = target?.kind === 'subscript' ? target.parts : [];
  if (!line || !base || !key || others.length > 0 || !changesLast(code, line)) return undefined;
  const name = base.kind === 'name' ? nameOfSlot(program, code[base.first] as number) : '';
  const text = running.scope.names.includes(name) ? running.frame.locals.get(name) : undefined;
  const told = new ToldLine(program, running, code, mayBeChanged(running));
  const [item, by] = [told.tokens(key), line.values[0] && told.tokens(line.values[0])];
  if (!text || !written.test(text) || !item || !by || integerOf(by) === undefined) return undefined;
  const before = entriesOf(encodeValue(program, text));
  const rest = before.filter((entry) => entry.item.join() !== item.join());
  const isTied = rest.some((entry) => entry.by.join() === by.join());
  if (!areAlike([...before.map((entry) => entry.item), item])) return undefined;
  if (isTied && rest.length < before.length) return undefined;
  return asAsked(new Asking(access, step, running), async (asking) => {
    const ordered = await withEntry(rest, { item, by }, (a, b) => asking.isLess(a, b));
    const results = { assigned: new Map([[name, textOfTally(program, ordered)]]) };
    return { ...asking.paid, results: endingWith(results, program, running, code) };
  });
}

function entriesOf(value: Value): Entry[] {
  const [first, end] = display(value, 0, value.length);
  const items = value[first] === brace ? (itemsOf(value, first, end) ?? []) : [];
  return items.map(({ first: begin, colon, end: until }) => ({
    item: value.slice(begin, colon),
    by: value.slice(colon + 1, until),
  }));
}
