/** How a frame goes on behind each line of a statement on several lines, as the order of its lines tells. */
import type { Deciding, Follow, LineFlow, Onward } from './flow.js';
import type { Truth } from './line-order.js';
import type { Behind, LineOrder } from './line-places.js';
import type { Span } from './logic.js';

/** What comes after a statement: a condition that holds, and one that fails. */
export interface Ways {
  readonly holds: Follow;
  readonly fails: Follow;
}

/** How a frame goes on behind a line of which that much is known. */
const goingOn =
  (ways: Ways, { returns }: Pick<LineFlow, 'returns'>) =>
  ({ next, holds, fails }: Omit<Behind, 'tests' | 'calls'>): Onward => ({
    next: new Set([...next, ...(holds ? ways.holds.lines : []), ...(fails ? ways.fails.lines : [])]),
    returns: returns && ((holds && ways.holds.ends) || (fails && ways.fails.ends)),
  });

/** What comes after a line of a statement whose lines have an order. */
export function passed(
  order: LineOrder,
  line: number,
  ways: Ways,
  flow: Pick<LineFlow, 'returns' | 'comesAgain'>,
): Pick<LineFlow, 'next' | 'returns' | 'behind'> {
  const onward = goingOn(ways, flow);
  const inside = [...(order.next.get(line) ?? [])].filter((other) => other !== line);
  const isLast = order.last.has(line);
  const any = onward({ next: new Set(inside), holds: isLast, fails: isLast });
  const befores = flow.comesAgain ? [] : [...(order.behind.get(line) ?? [])];
  const less = befores
    .map(([from, behind]) => [from, onward(behind)] as const)
    .filter(([, way]) => way.next.size < any.next.size || way.returns !== any.returns);
  return { ...any, behind: less.length > 0 ? new Map(less) : undefined };
}

/** How a frame goes on in a statement with such an order, once it is known what its tests come to. */
export function deciding(
  ordered: (truth: Truth) => LineOrder | undefined,
  text: (test: Span) => string,
  ways: Ways,
  flow: Pick<LineFlow, 'returns'>,
): Deciding {
  const onward = goingOn(ways, flow);
  return (line, lineBefore, truths) => {
    const order = ordered((test) => truths.get(text(test)));
    const behind = order?.behind.get(line)?.get(lineBefore);
    if (order === undefined || behind === undefined) return undefined;
    const tests = new Set([...behind.tests, ...testsOf(order)].map(text));
    return { ...onward(behind), open: [...tests].filter((test) => !truths.has(test)) };
  };
}

/** What a statement in which these calls are written calls on a line. */
export function madeOn(order: LineOrder, line: number, written: readonly Span[]): LineFlow['made'] {
  const numberOf = (call: Span): number =>
    written.findIndex(({ from, to }) => from === call.from && to === call.to);
  const known = [...(order.behind.get(line) ?? [])].flatMap(([from, { calls }]) =>
    calls ? [[from, new Set(calls.map(numberOf))] as const] : [],
  );
  return known.length > 0 ? { written: written.length, behind: new Map(known) } : undefined;
}

/** What decides on which of its lines a statement goes on. */
export const testsOf = ({ behind }: LineOrder): Span[] =>
  [...behind.values()].flatMap((ways) => [...ways.values()].flatMap(({ tests }) => tests));
