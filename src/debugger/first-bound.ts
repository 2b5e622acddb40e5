/** Names that nothing can have bound yet where a frame was a step ago: going back over the first assignment of a name unbinds it. */
import type { FunctionFlow } from './language/flow.js';
import { loopsOf, type Program } from './program.js';
import type { Running } from './running.js';

/**
 * Those of the names that were unbound when the frame, which has since gone on from `line` to where it stands, came to `line`. `loop`: line of a loop of which the same is
 * asked before its first pass.
 */
export function firstBound(
  program: Program,
  running: Running,
  line: number,
  names: readonly string[],
  loop?: number,
): readonly string[] {
  const { flow, lines, names: own, namesAtCall } = running.scope;
  const isOwn = (name: string): boolean =>
    own.includes(name) && !namesAtCall.includes(name) && !program.reboundNames.has(name);
  const candidates = names.filter(isOwn);
  // Lines of which nothing is known may lead here and bind anything.
  if (candidates.length === 0 || !flow || !lines.every((other) => flow.lines.has(other))) return [];
  const passed = [...linesPassed(running, flow, line, loopsBegun(running, flow, loop))];
  return candidates.filter((name) => !passed.some((other) => flow.lines.get(other)?.effects.binds.has(name)));
}

/** Lines on which the frame can have been before it came to `line`. `begun`: loops that go through their first pass and were not come to before. */
function linesPassed(
  { scope }: Running,
  flow: FunctionFlow,
  line: number,
  begun: ReadonlySet<number>,
): Set<number> {
  const isBack = (from: number, to: number): boolean => begun.has(to) && loopsOf(scope, from).includes(to);
  const passed = new Set<number>();
  const open = [line];
  for (let to = open.pop(); to !== undefined; to = open.pop()) {
    for (const [from, { next }] of flow.lines) {
      if (passed.has(from) || !next.has(to) || isBack(from, to)) continue;
      passed.add(from);
      open.push(from);
    }
  }
  return passed;
}

/** Of the loops around the frame, outermost first, and `loop`: those that are in the first pass of their only run, or were a line ago. */
function loopsBegun(running: Running, flow: FunctionFlow, loop: number | undefined): ReadonlySet<number> {
  const { frame, scope } = running;
  const loops = loopsOf(scope, frame.line);
  const found = new Set<number>();
  for (const head of [...loops, ...(loop === undefined || loops.includes(loop) ? [] : [loop])]) {
    const passes = frame.its[loops.indexOf(head)] ?? 0;
    const isFirst = head === loop || passes <= Number(head === frame.line);
    const isOnly = isFirst && !linesPassed(running, flow, head, new Set([...found, head])).has(head);
    if (!isOnly) break;
    found.add(head);
  }
  return found;
}
