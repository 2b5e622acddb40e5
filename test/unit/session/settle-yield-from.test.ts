/** Steps through `yield from`: what the model believes gives way to what the lines and frames tell. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** What comes of a step that the model believes to lead to `wrong`, which leaves so many frames on the stack. */
async function step(program: Program, before: DebuggerState, wrong: DebuggerState, kept: number) {
  const script = [encodeDelta(program, before, wrong, kept)];
  const { delta } = await scriptedStep(program, before, 'step_into', script);
  const top = delta.state.frames.at(-1);
  const { event, value } = delta.state;
  return { event, line: top?.line, locals: Object.fromEntries(top?.locals ?? []), value, gots: top?.gots };
}

/** What comes of a step of which all is told: nothing is asked. */
async function told(program: Program, before: DebuggerState) {
  const { delta } = await scriptedStep(program, before, 'step_into', [], true);
  const top = delta.state.frames.at(-1);
  const { event, value } = delta.state;
  return { event, line: top?.line, locals: Object.fromEntries(top?.locals ?? []), value };
}

const walking = parseProgram(
  [
    'def walk(n, k=2):',
    '    if n:',
    '        got = yield from walk(n - 1)',
    '        yield n',
    '    return n * 2',
    'def main(n):',
    '    xs = list(walk(n))',
    '    return xs',
    '',
  ].join('\n'),
  'main(2)',
);
const main = frameAt(7, { n: '2' });
const outer = frameAt(3, { n: '2', k: '2' });

describe('a generator that gives on what another one gives', () => {
  it('enters it with what the line tells, at its beginning', async () => {
    const program = parseProgram(
      'def g(a, b=2):\n    yield a\n    c = 1\ndef f(x):\n    yield from g(x)\n',
      'list(f(1))',
    );
    const before = at('line', [frameAt(5, { x: "'p'" })]);
    const found = await told(program, before);
    expect(found).toEqual({ event: 'call', line: 1, locals: { a: "'p'", b: '2' }, value: undefined });
  });

  it('gives what that gives, and is what it was', async () => {
    const inner = frameAt(4, { n: '1', k: '2', got: '0' });
    const found = await told(walking, at('return', [main, outer, inner], '1'));
    expect(found).toEqual({ event: 'return', line: 3, locals: { n: '2', k: '2' }, value: '1' });
  });

  it('goes on once that has ended, with what it returned', async () => {
    const inner = frameAt(5, { n: '1', k: '2', got: '0' });
    const before = at('return', [main, { ...outer, gots: ['1'] }, inner], '2');
    const found = await told(walking, before);
    expect(found).toEqual({ event: 'line', line: 4, locals: { n: '2', k: '2', got: '2' }, value: undefined });
  });

  it('goes on or gives None behind one of which that is not told', async () => {
    const program = parseProgram(
      'def g(x):\n    yield x\ndef f(x):\n    yield from g(x)\n    yield 1\ndef main(x):\n    return list(f(x))\n',
      'main(None)',
    );
    const frames = [frameAt(7, { x: 'None' }), frameAt(4, { x: 'None' })];
    const before = at('return', [...frames, frameAt(2, { x: 'None' })], 'None');
    const given = at('return', frames, 'None');
    expect(await step(program, before, given, 2)).toMatchObject({ event: 'return', line: 4 });
    const over = at('line', [frames[0] as never, frameAt(5, { x: 'None' })]);
    expect(await step(program, before, over, 2)).toMatchObject({ event: 'line', line: 5 });
  });

  it('has it called again where it waits', async () => {
    const before = at('call', [main, { ...outer, gots: ['1'] }]);
    const wrong = at('call', [main, outer, frameAt(4, { n: '1', k: '2', got: '0' })]);
    expect(await step(walking, before, wrong, 2)).toMatchObject({ event: 'call', line: 4 });
  });
});

describe('what takes all that a generator gives', () => {
  it('calls it again as it was', async () => {
    const top = { ...frameAt(3, { n: '2', k: '2' }), gots: ['1'] };
    const wrong = at('call', [main, frameAt(3, { n: '7', k: '1', got: '3' })]);
    const found = await step(walking, at('return', [main, top], '1'), wrong, 1);
    expect(found).toMatchObject({ event: 'call', line: 3, locals: { n: '2', k: '2' }, gots: ['1'] });
    const resumed = frameAt(4, { n: '2', k: '2', got: '2' });
    const next = await told(walking, at('call', [main, resumed]));
    expect(next).toMatchObject({ event: 'line', line: 5, locals: { n: '2', k: '2', got: '2' } });
  });

  it('has it all at its end', async () => {
    const caller = { ...main, gots: ['1', '2'] };
    const before = at('return', [caller, frameAt(5, { n: '2', k: '2', got: '2' })], '4');
    const wrong = at('line', [frameAt(8, { n: '2', xs: '[3]' })]);
    const found = await step(walking, before, wrong, 1);
    expect(found).toMatchObject({ event: 'line', line: 8, locals: { n: '2', xs: '[1, 2]' } });
  });
});

describe('a generator that gives what is no generator', () => {
  const program = parseProgram(
    'def f(x):\n    yield from x\n    y = yield from ()\n    yield from [x]\n    yield y\ndef main(x):\n    return list(f(x))\n',
    "main('ab')",
  );
  const caller = frameAt(7, { x: "'ab'" });

  it('gives its first item', async () => {
    const found = await told(program, at('line', [caller, frameAt(2, { x: "'ab'" })]));
    expect(found).toEqual({ event: 'return', line: 2, locals: { x: "'ab'" }, value: "'a'" });
  });

  it('goes on behind what has none, and behind the only one', async () => {
    const found = await told(program, at('line', [caller, frameAt(3, { x: "'ab'" })]));
    expect(found).toMatchObject({ event: 'line', line: 4, locals: { x: "'ab'", y: 'None' } });
    const last = await told(program, at('call', [caller, frameAt(4, { x: "'ab'", y: 'None' })]));
    expect(last).toMatchObject({ event: 'line', line: 5, locals: { x: "'ab'", y: 'None' } });
  });
});
