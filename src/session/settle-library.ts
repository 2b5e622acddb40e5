/**
 * What a statement leaves that calls a function of the standard library which compares: `heapq`, `bisect`, `Counter`. The comparisons are asked one after the other, the
 * rest is told.
 */
import { placeFor } from '../debugger/language/bisections.js';
import { itemsIn } from '../debugger/language/displays.js';
import { type HeapOperation, heapChangedBy, heapOperations } from '../debugger/language/heaps.js';
import { listOf } from '../debugger/language/item-changes.js';
import {
  importsLibrary,
  type LibraryCall,
  libraryCall,
  withGiven,
} from '../debugger/language/library-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import type { Value } from '../debugger/language/plan.js';
import { changesLast, endingWith, noResults, type Results } from '../debugger/language/results.js';
import { charToken, isSlotToken, textTokens, wordTokens } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { textOf } from '../debugger/language/told-values.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { Asking, asAsked } from './asking.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import { decidedAs } from './settle.js';
import { tallyOf } from './settle-tally.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedResults } from './worked-value.js';

/** What a call leaves of its list, if it changes that, and gives; `written`: the canonical repr of what is no literal. */
interface CarriedOut {
  readonly left?: readonly Value[];
  readonly given?: Value | undefined;
  readonly written?: string | undefined;
  readonly raised?: string;
}

const square = charToken('[');
const [forWord, returnWord] = wordTokens('for return') as [number, number];

/**
 * undefined where a statement has no such call, or where its arguments are not told, or a comparison is not. worked: its code tokens, as far as they were worked out.
 * @throws ForetraceError as workOut
 */
export async function settledLibrary(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program } = step;
  const running = importsLibrary(program) ? alone(step.program, steppingFrame(access, step)) : undefined;
  const code = running && [...(worked ?? statementTokens(program, running))];
  const line = code && lineParts(code);
  const call = line && libraryCall(program, code, [...line.values, ...line.inner]);
  if (!running || !code || !call || !isAlone(code, call)) return undefined;
  const told = new ToldLine(program, running, code, mayBeChanged(running));
  const [list, item] = [told.tokens(call.list), call.item && told.tokens(call.item)];
  if (list === undefined || (call.item === undefined) !== (item === undefined)) return undefined;
  return asAsked(new Asking(access, step, running), async (asking) => {
    const carried = await carriedOut(program, call.name, list, item, asking);
    if (carried?.raised) return { ...asking.paid, results: { ...noResults, raised: carried.raised } };
    return carried && restOf(access, step, running, { code, call, carried }, asking.paid);
  });
}

/** Whether nothing else in the line reads or changes the list that the call changes, or may change anything. */
function isAlone(code: readonly number[], call: LibraryCall): boolean {
  const slot = code[call.list.first] as number;
  const uses = code.filter((token) => token === slot).length;
  const isOnlyUse = !call.changesList || (isSlotToken(slot) && uses === 1);
  const others = withGiven(code, call, undefined);
  const line = lineParts(others);
  return code[0] !== forWord && isOnlyUse && !!line && changesLast(others, line);
}

async function carriedOut(
  program: Program,
  name: string,
  list: Value,
  item: Value | undefined,
  asking: Asking,
): Promise<CarriedOut | undefined> {
  const isLess = (a: Value, b: Value): Promise<boolean> => asking.isLess(a, b);
  if (name === 'Counter') return { written: await tallyOf(program, list, asking) };
  if (list[0] !== square) return undefined;
  const items = itemsIn(list);
  const operation = heapOperations.find((other): other is HeapOperation => other === name);
  if (operation)
    return (
      (await heapChangedBy(operation, items, item, isLess)) ?? {
        raised: "IndexError('index out of range')",
      }
    );
  if (item === undefined) return undefined;
  const at = await placeFor(items, item, name.endsWith('_left'), isLess);
  return name.startsWith('insort')
    ? { left: [...items.slice(0, at), item, ...items.slice(at)] }
    : { given: textTokens(`${at}`) };
}

/** What the statement leaves besides, with what the call gives in its place. */
async function restOf(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  { code, call, carried }: { code: readonly number[]; call: LibraryCall; carried: CarriedOut },
  paid: Paid,
): Promise<Settled | undefined> {
  const { program } = step;
  const left = new Map<string, string>();
  if (carried.left) {
    const text = textOf(program, listOf(carried.left));
    if (text === undefined) return undefined;
    left.set(nameOfSlot(program, code[call.list.first] as number), text);
  }
  if ('written' in carried && carried.written === undefined) return undefined;
  const { results: found, ...more } = carried.written
    ? { ...unasked, results: withWritten(program, running, code, call, carried.written) }
    : await workedResults(access, step, running, withGiven(code, call, carried.given));
  if (found === undefined) return undefined;
  const results = { ...found, assigned: new Map([...found.assigned, ...left]) };
  return {
    ...sumOfPaid(paid, more),
    results: endingWith(results, program, running, code),
    ended: decidedAs(running, found.holds),
  };
}

/** What a statement leaves whose value is that of the call: it binds a name to it, or returns it. */
function withWritten(
  program: Program,
  { scope }: Running,
  code: readonly number[],
  { part }: LibraryCall,
  written: string,
): Results | undefined {
  const { values: [value, ...others] = [], targets: [target, ...more] = [] } = lineParts(code) ?? {};
  const isValue = value?.begin === part.begin && value.until === part.until && others.length === 0;
  if (!isValue || more.length > 0) return undefined;
  if (target === undefined) return code[0] === returnWord ? { ...noResults, returned: written } : undefined;
  const name = target.kind === 'name' ? nameOfSlot(program, code[target.first] as number) : '';
  return scope.names.includes(name) ? { assigned: new Map([[name, written]]) } : undefined;
}
