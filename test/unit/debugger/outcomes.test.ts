/** What a condition came to: where an answer may say so, what follows from it, and how it is read. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { outcomeOf } from '../../../src/debugger/language/conditions.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { eventToken, special } from '../../../src/debugger/language/tokens.js';
import { lineTokenOf, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, EventKind } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';

const program = parseProgram(
  [
    'def f(n):',
    '    if n > 1:',
    '        n = 0',
    '    elif n: n = 1',
    '    while n < 3:',
    '        n += 1',
    '    try:',
    '        pass',
    '    finally:',
    '        if n:',
    '            n = 2',
    '    for x in [n]:',
    '        n = x',
    '',
  ].join('\n'),
  'f(3)',
);
const at = (line: number, event: EventKind = 'line'): DebuggerState => ({
  event,
  frames: [{ line, locals: new Map([['n', '3']]), its: line === 12 ? [0] : [], gots: [] }],
  hiddenFrames: 0,
});

/** Whether an answer from `state` may begin with the tokens. */
function allows(
  state: DebuggerState,
  tokens: readonly number[],
  kind: ActionKind = 'step_into',
  of = program,
): boolean {
  const { data, start } = compileGrammar(of).forQuestion(state, { kind, lines: [] });
  const walker = new GrammarWalker(data, start.state, start.frames, 100);
  return tokens.every((token) => walker.accept(token));
}
const { holds, fails } = special;
const to = (line: number): number[] => [eventToken('line'), lineTokenOf(program, line)];
const end = [eventToken('return')];

describe('the line that follows is that of the outcome', () => {
  it.each([
    [2, 3, 4],
    [5, 6, 7],
  ])('on line %i', (line, inside, outside) => {
    for (const kind of ['step_into', 'step_over'] as const) {
      expect(allows(at(line), [holds, ...to(inside)], kind)).toBe(true);
      expect(allows(at(line), [fails, ...to(outside)], kind)).toBe(true);
      expect(allows(at(line), [holds, ...to(outside)], kind)).toBe(false);
      expect(allows(at(line), [fails, ...to(inside)], kind)).toBe(false);
      expect(allows(at(line), [holds, eventToken('exception')], kind)).toBe(false);
      expect(allows(at(line), to(inside), kind)).toBe(true);
    }
  });

  it('or the end of the function', () => {
    expect(allows(at(12), [fails, ...end])).toBe(true);
    expect(allows(at(12), [holds, ...end])).toBe(false);
    expect(allows(at(12), [holds, ...to(13)])).toBe(true);
  });

  it('where the control flow is not known, any', () => {
    expect(allows(at(10), [holds, ...to(11)])).toBe(true);
    expect(allows(at(10), [fails, ...to(11)])).toBe(true);
  });
});

it('is not said on other lines, of other events, of other actions, or twice', () => {
  expect(allows(at(3), [holds])).toBe(false);
  expect(allows(at(4), [holds])).toBe(false); // its body is on the same line
  expect(allows(at(2, 'call'), [holds])).toBe(false);
  expect(allows(at(2), [holds], 'step_return')).toBe(false);
  expect(allows(at(2), [holds], 'continue')).toBe(false);
  expect(allows(at(2), [holds], 'inv_step_over')).toBe(false);
  expect(allows(at(2), [holds, holds])).toBe(false);
});

it.each([
  'y: int',
  '(y): int',
  'global z',
  'del (), []',
  'global z; y: int',
])('is not said where the body leaves no code: %s', (body) => {
  const { scopes } = parseProgram(`def f(n):\n    if n:\n        ${body}\n    return n\n`, 'f(1)');
  expect(scopes[0]?.flow?.conditions.size).toBe(0);
});

it.each([
  'y: int = 1',
  'n.y: int',
  'n[0]: int',
  'del n',
  '1',
  'y: int; 1',
])('is said where the body leaves some: %s', (body) => {
  const { scopes } = parseProgram(`def f(n):\n    if n:\n        ${body}\n    return n\n`, 'f(1)');
  expect(scopes[0]?.flow?.conditions.size).toBe(1);
});

it.each(['True', '(True)', '((0))', "('a')"])('is not said of a constant: %s', (constant) => {
  const { scopes } = parseProgram(
    `def f(n):\n    while ${constant}:\n        n += 1\n    return n\n`,
    'f(1)',
  );
  expect(scopes[0]?.flow?.conditions.size).toBe(0);
});

describe('in an async function', () => {
  const waiting = parseProgram(
    [
      'async def f(n):',
      '    if n:',
      '        n = await n',
      '    async for x in n:',
      '        n = x',
      '    while await n:',
      '        n = 0',
      '',
    ].join('\n'),
    'f(3)',
  );
  const says = (line: number, its: readonly number[] = []): boolean => {
    const state = { ...at(line), frames: [{ line, locals: new Map([['n', '3']]), its, gots: [] }] };
    return allows(state, [holds], 'step_into', waiting);
  };

  it('it is said, and any line may follow', () => {
    const next = (line: number) => [eventToken('line'), lineTokenOf(waiting, line)];
    expect(says(2)).toBe(true);
    for (const line of [3, 4, 7])
      expect(allows(at(2), [holds, ...next(line)], 'step_into', waiting)).toBe(true);
  });

  it('but not of an async for, nor where the condition waits', () => {
    expect(says(4, [0])).toBe(false);
    expect(says(6)).toBe(false);
  });
});

describe('a reader', () => {
  const read = (tokens: readonly number[]) => {
    const decoder = new DeltaDecoder(program, at(2));
    for (const token of tokens) decoder.push(token, Math.log(0.5));
    return decoder.finish();
  };

  it('passes over it, and its doubt is that of the line', () => {
    const [said, unsaid] = [read([holds, ...to(3), special.end]), read([...to(3), special.end])];
    if (isDecodeProblem(said) || isDecodeProblem(unsaid)) throw new Error('not read');
    expect(said.state).toEqual(unsaid.state);
    expect(said.probability.event).toBeCloseTo(0.5);
    expect(said.probability.line).toBeCloseTo(0.25);
    expect(unsaid.probability.line).toBeCloseTo(0.5);
  });

  it('takes it at the very beginning only', () => {
    expect(read([holds, fails, ...to(3), special.end])).toMatchObject({ code: 'bad_delta', position: 1 });
    expect(read([special.pop, holds, ...to(3), special.end])).toMatchObject({
      code: 'bad_delta',
      position: 1,
    });
  });
});

describe('what a condition came to', () => {
  const shared = parseProgram(
    'def f(v):\n    if (lambda x: x)(v) and all(y for y in [v]):\n        v = 0\n    return v\n',
    'f(1)',
  );
  const frame = (line: number, locals: Record<string, string>) => ({
    line,
    locals: new Map(Object.entries(locals)),
    its: [],
    gots: [],
  });
  const state = (event: EventKind, ...frames: ReturnType<typeof frame>[]): DebuggerState => ({
    event,
    frames,
    hiddenFrames: 0,
  });
  const waiting = frame(2, { v: '1' });

  it('is told by the function it belongs to', () => {
    expect(outcomeOf(shared, state('line', waiting), state('line', frame(3, { v: '1' })))).toBe(true);
    expect(outcomeOf(shared, state('line', waiting), state('line', frame(4, { v: '1' })))).toBe(false);
  });

  it.each([
    ['lambda', frame(2, { x: '1' })],
    ['generator expression', frame(2, {})],
    ['generator expression that goes on', frame(2, { y: '1' })],
  ])('is not told by a %s on its line', (_what, inner) => {
    expect(outcomeOf(shared, state('line', waiting, inner), state('return', waiting, inner))).toBe(undefined);
  });

  it('is told by a function that has no names yet and shares its line', () => {
    const bare = parseProgram(
      'def f():\n    if any(y for y in [1]):\n        return 1\n    return 2\n',
      'f()',
    );
    expect(outcomeOf(bare, state('line', frame(2, {})), state('line', frame(4, {})))).toBe(false);
  });
});
