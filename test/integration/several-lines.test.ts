/** Statements on several lines in real runs: every step is allowed, and the line before is what the run says. */
import { beforeAll, expect, it } from 'vitest';
import { callWithin } from '../../src/debugger/calls-within.js';
import { encodeDelta } from '../../src/debugger/language/encode.js';
import { compileGrammar } from '../../src/debugger/language/grammar.js';
import { withLine, withLineBefore } from '../../src/debugger/line-before.js';
import { parseProgram } from '../../src/debugger/program.js';
import { leftByException } from '../../src/debugger/raised.js';
import { runningFrame } from '../../src/debugger/running.js';
import { depth } from '../../src/debugger/state.js';
import { flowAt } from '../../src/debugger/whole-statement.js';
import type { Transition } from '../../src/eval/cases.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import { realRun } from '../support/real-run.js';

const source = `class Point:
    def __init__(
        self,
        x, y):
        self.x, self.y = (
            x,
            y)

def area(a, b):
    if (a < 0 or
            b < 0):
        raise ValueError(
            'negative: '
            + str(a))
    return max(
        a *
        b,
        0)

def main(xs):
    grid = [
        [x, x * 2]
        for x in xs
    ]
    total: int = (
        len(xs)
        + sum(
            x for x in xs
            if x > 1))
    for i in range(-1, 2):
        for j in range(-1, 2):
            if not (0 <= i < len(grid) and
                    0 <= j < len(grid[0]) and
                    grid[i][j]):
                continue
            total += area(
                grid[i][j],
                j if i
                else j + 1)
    while (total > 5 and
           total % 2 == 0 or
           total > 40):
        total -= 3 if total > 10 \\
            else 1
    try:
        total = area(
            -1,
            area(2,
                 3))
    except ValueError as error:
        found = (str(error)
                 .upper()
                 .split())
    p = Point(
        total,
        y=len(
            found))
    ok = any(
        0 < x
        for x in xs) and {
        'a': p.x,
        'b': p.y,
    }
    assert ok, (
        'nothing')
    return [
        ok['a'],
        lambda v: (
            v),
        ok,
    ][
        0]
`;
const call = 'main([1, 3, 0])';
let run: readonly Transition[];

beforeAll(async () => {
  run = await realRun(source, call);
  expect(run.length).toBeGreaterThan(150);
});

it('allows every step that the run takes', () => {
  const program = parseProgram(source, call);
  const grammar = compileGrammar(program);
  for (const { action, before, after } of run) {
    const delta = encodeDelta(program, before, after, depth(before) - Number(before.event === 'return'));
    const { data, start } = grammar.forQuestion(before, action);
    const walker = new GrammarWalker(data, start.state, start.frames, delta.length + 200);
    const refused = delta.findIndex((token) => !walker.accept(token));
    expect.soft({ refused, before, after }).toMatchObject({ refused: -1 });
  }
});

it('tells the line before of every step, whatever was said of it', () => {
  const program = parseProgram(source, call);
  for (const { action, before, after } of run) {
    const frames = after.frames.map((frame, at) =>
      at < before.frames.length - 1 ? frame : withLine(frame, undefined),
    );
    const found = withLineBefore(program, before, action, { ...after, frames });
    expect.soft({ before, found }).toMatchObject({ before, found: after });
    expect
      .soft(found.frames.map(({ lineBefore }) => lineBefore))
      .toEqual(after.frames.map(({ lineBefore }) => lineBefore));
  }
});

it('knows what comes next on more lines with the line before than without', () => {
  const program = parseProgram(source, call);
  let [known, alone] = [0, 0];
  for (const { before, after } of run) {
    const running = before.event === 'line' ? runningFrame(program, before) : undefined;
    const flow = running?.scope.flow?.lines.get(running.frame.line);
    if (!running || !flow || flow.own.size < 2 || depth(after) !== depth(before) || after.event !== 'line')
      continue;
    const with_ = flowAt(running)?.next ?? new Set();
    expect.soft([...with_]).toContain(after.frames.at(-1)?.line);
    known += Number(with_.size === 1);
    alone += Number(flow.next.size === 1);
  }
  expect(known).toBeGreaterThan(alone * 1.2);
});

it('tells what is called on each line, and that nothing is', () => {
  const program = parseProgram(source, call);
  let [told, nothing] = [0, 0];
  for (const { before, after } of run) {
    const isBehind = before.event === 'return' && !leftByException(program, before);
    const running = isBehind || before.event === 'line' ? runningFrame(program, before) : undefined;
    if (running === undefined) continue;
    const next = callWithin(program, running, isBehind ? running.frame.gots.length + 1 : 0);
    if (next === undefined) continue;
    const enters = after.event === 'call' ? program.scopeOf(after)?.qualifiedName : null;
    expect.soft({ before, enters: next?.callee.qualifiedName ?? null }).toEqual({ before, enters });
    told += Number(next !== null);
    nothing += Number(next === null);
  }
  expect(told).toBeGreaterThan(7);
  expect(nothing).toBeGreaterThan(40);
});
