/** What calls have given to a frame, in real runs: every step is told it, whatever the answer says. */
import { expect, it } from 'vitest';
import { tellsGots, withGots } from '../../src/debugger/gots.js';
import { DeltaDecoder } from '../../src/debugger/language/decode.js';
import { encodeDelta } from '../../src/debugger/language/encode.js';
import { nothingKnown } from '../../src/debugger/language/known-parts.js';
import { encodeValue } from '../../src/debugger/language/values.js';
import { parseProgram } from '../../src/debugger/program.js';
import { type DebuggerState, depth, goingFrame } from '../../src/debugger/state.js';
import { realRun } from '../support/real-run.js';

const source = `def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def bad(n):
    if n:
        raise ValueError(n)

def quiet(n):
    pass

def safe(n):
    try:
        quiet(n), fib(1), bad(n)
    except ValueError:
        quiet(0)
    return n

def twice(n):
    yield fib(n)
    yield n

def main(xs):
    a = [fib(x) for x in xs if safe(x)]
    b = sum(fib(x) for x in xs), sum(twice(2))
    c = max(xs, key=lambda x: fib(x) % 3)
    d = [quiet(i) for i in range(20)]
    return a, b, c, len(d), safe(fib(2))
`;
const call = 'main([1, 3, 2])';
const program = parseProgram(source, call);

/** The state with something else in place of what calls gave to its frames from this level on. */
const forgotten = (state: DebuggerState, level = 0): DebuggerState => ({
  ...state,
  frames: state.frames.map((frame, index) =>
    index < level ? frame : { ...frame, gots: ["'?'", ...frame.gots] },
  ),
});
const gotsOf = ({ frames }: DebuggerState) => frames.map(({ gots }) => gots);

it('tells them going on', async () => {
  const run = await realRun(source, call);
  const most = Math.max(...run.flatMap(({ after }) => gotsOf(after).map(({ length }) => length)));
  expect(most).toBe(16);
  for (const { action, before, after } of run) {
    const going = goingFrame(before, after, false);
    const found = withGots(program, before, action, forgotten(after, going?.level));
    // A generator with a body of its own that goes on has what it had, which no state tells.
    const isResumed = after.event === 'call' && [19, 20].includes(after.frames.at(-1)?.line ?? 0);
    const [known, truth] = [found, after].map(gotsOf).map((gots) => (isResumed ? gots.slice(0, -1) : gots));
    expect.soft({ before, gots: known }).toEqual({ before, gots: truth });
  }
});

it('tells those of the frame that a step back comes from, unless it has begun a line', async () => {
  const run = await realRun(source, call, true);
  let told = 0;
  for (const { action, before, after } of run) {
    const going = goingFrame(before, after, true);
    const isFull = before.frames.some(({ gots }) => gots.length === 16);
    if (going === undefined || !tellsGots(before, action) || isFull) continue;
    const found = withGots(program, before, action, forgotten(after));
    expect.soft({ before, gots: gotsOf(found)[going.level] }).toEqual({ before, gots: going.frame.gots });
    told += 1;
  }
  expect(told).toBeGreaterThan(run.length / 2);
});

it('counts no token of them against an answer', async () => {
  const run = await realRun(source, call);
  const passedOver = (before: DebuggerState, after: DebuggerState, tells: boolean): number => {
    const common = depth(before) - Number(before.event === 'return');
    const decoder = new DeltaDecoder(program, before, { ...nothingKnown, tellsGots: tells });
    for (const token of encodeDelta(program, before, after, common)) decoder.push(token, -1);
    return Math.abs(decoder.passedOver);
  };
  for (const { before, after } of run) {
    const gots = goingFrame(before, after, false)?.frame.gots ?? [];
    const tokens = gots.map((text) => 1 + encodeValue(program, text).length);
    const andBehind = tokens.length > 0 ? 1 : 0;
    expect.soft(passedOver(before, after, true)).toBe(tokens.reduce((sum, count) => sum + count, andBehind));
    expect.soft(passedOver(before, after, false)).toBe(0);
  }
});
