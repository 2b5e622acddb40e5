/** Exceptions on their way through a frame, and what they tell of the steps that follow. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { caughtAs } from '../../../src/debugger/caught.js';
import { withHiddenParts } from '../../../src/debugger/hidden-parts.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { leftByException } from '../../../src/debugger/raised.js';
import { runningFrame } from '../../../src/debugger/running.js';
import type { DebuggerState, EventKind, InFlight } from '../../../src/debugger/state.js';
import { believedStep } from '../../support/believed-step.js';
import { stateOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

type Stop = readonly [event: EventKind, line: number, value?: string];

const lines = [
  'def f(x):', // 1
  '    try:', // 2
  '        try:', // 3
  '            x = g(x)', // 4
  '        except ValueError as e:', // 5
  '            x = str(e)', // 6
  '            raise', // 7
  '        except KeyError:', // 8
  '            x = 8', // 9
  '        finally:', // 10
  '            x = 11', // 11
  '    except (LookupError, OwnError) as e:', // 12
  '        x = 13', // 13
  '    return x', // 14
  'def g(x):', // 15
  '    return x', // 16
  'class OwnError(ValueError):', // 17
  '    pass', // 18
];
const program = parseProgram(`${lines.join('\n')}\n`, 'f(1)');

const stateAt = ([event, line, value]: Stop, extra: object = {}): DebuggerState =>
  stateOf(event, [{ ...frameAt(line, { x: '1' }), ...extra }], value);

/** The last of the states that a frame goes through, an event after the other. */
function reached(stops: readonly Stop[], kind: ActionKind = 'step_into'): DebuggerState {
  const [first, ...others] = stops as [Stop, ...Stop[]];
  const action = { kind, lines: [] };
  return others.reduce((at, stop) => withHiddenParts(program, at, action, stateAt(stop)), stateAt(first));
}

const inFlight = (...stops: Stop[]): InFlight | undefined => reached(stops).frames.at(-1)?.inFlight;
const raised: Stop = ['exception', 4, "ValueError('no')"];
const foreign: Stop = ['exception', 4, 'TypeError()'];

describe('what was raised in a frame', () => {
  it('is on its way where it is looked at, and handled under the clause that took it', () => {
    expect(inFlight(raised, ['line', 5])).toEqual({ value: "ValueError('no')", line: 4, isHandled: false });
    expect(inFlight(raised, ['line', 5], ['line', 6])).toMatchObject({ isHandled: true });
    expect(inFlight(raised, ['line', 5], ['line', 8])).toMatchObject({ isHandled: false });
    expect(inFlight(foreign, ['line', 5], ['line', 8], ['line', 11], ['line', 12])).toMatchObject({
      value: 'TypeError()',
    });
  });

  it('is over elsewhere, and where the way to a state is not known', () => {
    expect(inFlight(raised, ['line', 5], ['line', 6], ['line', 11], ['line', 14])).toBeUndefined();
    expect(inFlight(raised, ['line', 14])).toBeUndefined();
    expect(reached([raised, ['line', 5]], 'breakpoint').frames[0]?.inFlight).toBeUndefined();
    expect(reached([raised, ['line', 5]], 'inv_step_over').frames[0]?.inFlight).toBeUndefined();
  });

  it('gives way to what is raised under a clause', () => {
    expect(inFlight(raised, ['line', 5], ['line', 6], ['exception', 6, 'KeyError(6)'])).toBeUndefined();
    expect(inFlight(raised, ['line', 5], ['line', 6], ['exception', 6, 'KeyError(6)'], ['line', 11])).toEqual(
      {
        value: 'KeyError(6)',
        line: 6,
        isHandled: false,
      },
    );
  });

  it('stays with a frame that calls a function meanwhile', () => {
    const caller = reached([raised, ['line', 5], ['line', 6]]);
    const entered = stateOf('call', [frameAt(6, { x: '1' }), frameAt(15, { x: '1' })]);
    const inside = withHiddenParts(program, caller, { kind: 'step_into', lines: [] }, entered);
    expect(inside.frames.map((frame) => frame.inFlight?.value)).toEqual(["ValueError('no')", undefined]);
  });

  it('is what a frame was left by, where it surely was', () => {
    const leaves = (...stops: Stop[]) => inFlight(...stops)?.value;
    const end = (line: number): Stop => ['return', line, 'None'];
    expect(leaves(['exception', 16, 'KeyError(16)'], end(16))).toBe('KeyError(16)');
    expect(leaves(['exception', 16, 'KeyError(16)'], ['return', 16, '16'])).toBeUndefined();
    expect(leaves(foreign, ['line', 5], ['line', 8], ['line', 11], ['line', 12], end(12))).toBe(
      'TypeError()',
    );
    expect(leaves(foreign, ['line', 5], ['line', 8], ['line', 11], end(11))).toBe('TypeError()');
    // Handled, and what ends the frame is another thing or not known.
    expect(leaves(raised, ['line', 5], ['line', 6], ['line', 11], end(11))).toBeUndefined();
    expect(leaves(raised, ['line', 5], ['line', 6], end(6))).toBeUndefined();
    expect(leaves(raised, ['line', 5], ['line', 6], ['line', 7], end(7))).toBe("ValueError('no')");
  });
});

/** What is on its way through a function of these lines (its head is the first) that goes through these events. */
function within(text: readonly string[], ...stops: Stop[]): string | undefined {
  const other = parseProgram(`${['def f(x):', ...text.map((line) => `    ${line}`)].join('\n')}\n`, 'f(1)');
  const [first, ...others] = stops as [Stop, ...Stop[]];
  const action = { kind: 'step_into', lines: [] } as const;
  const last = others.reduce((at, stop) => withHiddenParts(other, at, action, stateAt(stop)), stateAt(first));
  return last.frames.at(-1)?.inFlight?.value;
}

describe('nothing is claimed', () => {
  const cleanup = (jump: string) => [
    'for _ in x:',
    '    try:',
    '        g()',
    '    finally:',
    `        ${jump}`,
  ];
  const stop: Stop = ['exception', 2, 'StopIteration()'];
  it.each<[string, string | undefined]>([
    ['of a loop whose iterator ends', within(['for y in x:', '    x = y'], stop, ['return', 2, 'None'])],
    ['of an iterator in a comprehension', within(['x = [y for y in x]'], stop, ['return', 2, 'None'])],
    [
      'of a manager on one line',
      within(['with x: g()'], ['exception', 2, 'KeyError(1)'], ['return', 2, 'None']),
    ],
    ...['break', 'continue', 'return', 'if x: return'].map((jump): [string, string | undefined] => [
      `where ${jump} leaves a cleanup`,
      within(cleanup(jump), ['exception', 4, 'KeyError(1)'], ['line', 6], ['return', 6, 'None']),
    ]),
    [
      'of what may be written otherwise later',
      within(['try:', '    g()', 'finally:', '    x = 1'], ['exception', 3, 'KeyError([1])'], ['line', 5]),
    ],
    [
      'under a clause without code',
      within(
        ['try:', '    g()', 'except KeyError as e:', '    global q'],
        ['exception', 3, 'KeyError(1)'],
        ['line', 4],
      ),
    ],
  ])('%s', (_what, found) => expect(found).toBeUndefined());

  it('but where all of that is otherwise', () => {
    const text = ['try:', '    g()', 'finally:', '    x = 1'];
    expect(within(text, ['exception', 3, 'KeyError(1)'], ['line', 5], ['return', 5, 'None'])).toBe(
      'KeyError(1)',
    );
  });
});

describe('what comes of it', () => {
  it.each([
    ["ValueError('no')", 5, ['e', "ValueError('no')"]],
    ['UnicodeError()', 5, ['e', 'UnicodeError()']],
    ["OwnError('x')", 5, ['e', "OwnError('x')"]],
    ['KeyError(1)', 5, undefined],
    ['KeyError(1)', 12, ['e', 'KeyError(1)']],
    ['OwnError()', 12, ['e', 'OwnError()']],
    ['ValueError()', 12, undefined],
    ['<odd>', 5, undefined],
    ['KeyError(1)', 8, undefined],
  ])('%s, at the clause on line %d, binds %j', (value, line, expected) => {
    const state = reached([
      ['exception', 4, value],
      ['line', line],
    ]);
    const running = runningFrame(program, state);
    expect(running && caughtAs(program, running)).toEqual(expected);
  });

  it('is bound to nothing where a class may have the name of another one', () => {
    const misled = parseProgram(`${lines.join('\n')}\nOdd = type('ValueError', (KeyError,), {})\n`, 'f(1)');
    const state = reached([raised, ['line', 5]]);
    const running = runningFrame(misled, state);
    expect(running && caughtAs(misled, running)).toBeUndefined();
  });

  it('is told to the model: the name of the clause, and what the caller meets', async () => {
    const clause = reached([raised, ['line', 5]]);
    const wrong = stateAt(['line', 6], {
      locals: new Map([
        ['x', '1'],
        ['e', 'KeyError()'],
      ]),
    });
    expect((await believedStep(program, clause, wrong)).locals).toEqual({ x: '1', e: "ValueError('no')" });
    const left = reached([
      ['exception', 16, 'KeyError(3)'],
      ['return', 16, 'None'],
    ]);
    const leaving = { ...left, frames: [frameAt(4, { x: '1' }), ...left.frames] };
    expect(leftByException(program, leaving)).toBe(true);
    const other = stateOf('exception', [frameAt(4, { x: '1' })], 'TypeError()');
    const met = await believedStep(program, leaving, other);
    expect(met.accepts(other)).toBe(true);
    expect(met.accepts(stateOf('line', [frameAt(11, { x: '1' })]))).toBe(false);
    expect(met.value).toBe('KeyError(3)');
  });
});
