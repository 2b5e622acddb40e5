/** Steps within `match` statements: the clause that takes the subject is told, and what its pattern binds. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
const own = { x: '3', y: "'ab'", n: '0' };

/** A step of a function of three names from a line of a match statement: how often the model is asked, to which lines it may go, and what names are then. */
async function step(
  heads: readonly [subject: string, ...cases: string[]],
  line: number,
  locals: Locals = own,
  { answers = [] as readonly string[], before = [] as readonly string[], isTold = false } = {},
) {
  const [subject, ...cases] = heads;
  const lines = [`match ${subject}:`, ...cases.flatMap((head) => [`    case ${head}:`, '        n = 1'])];
  const source = [...before, 'def f(x, y, n):', ...lines.map((text) => `    ${text}`), '    return n', ''];
  const program = parseProgram(source.join('\n'), 'f(1, 2, 3)');
  const now = before.length + line;
  const state = at('line', [frameAt(now, locals)]);
  const deltaTo = (to: number) => encodeDelta(program, state, at('line', [frameAt(to, locals)]), 1);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const script = isTold ? replies : [...replies, deltaTo(now)];
  const { asked, constraint, delta } = await scriptedStep(program, state, 'step_into', script, isTold);
  const after = delta.state.frames.at(-1);
  const left = [...(after?.locals ?? [])].filter(([name, text]) => locals[name] !== text);
  const mayGoTo = (to: number): boolean => {
    if (constraint === undefined) return after?.line === to;
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, 200);
    return deltaTo(to).every((token) => walker.accept(token));
  };
  const to = program.scopes
    .at(-1)
    ?.lines.filter(mayGoTo)
    .map((found) => found - before.length);
  return { asked, to, left: Object.fromEntries(left) };
}

/** The same without a question; undefined where the model would be asked. */
async function told(...given: Parameters<typeof step>) {
  const [heads, line, locals, more] = given;
  try {
    const { to, left } = await step(heads, line, locals, { ...more, isTold: true });
    return [to?.[0], left];
  } catch {
    return undefined;
  }
}

describe('a match statement', () => {
  it('tries its first case once its subject is told', async () => {
    expect(await told(['x', '1', '_'], 2)).toEqual([3, {}]);
    expect(await told(['x, y[:1]', '1', '_'], 2)).toEqual([3, {}]);
    expect((await step(['x + 1', '1', '_'], 2)).to).toEqual([3]);
    expect(await told(['x + 1', '1', '_'], 2)).toBeUndefined();
    expect(await told(['z', '1', '_'], 2)).toBeUndefined();
  });

  it.each<[string, string, number, Locals, string[]?]>([
    ['x', '3', 4, {}],
    ['x', '4', 5, {}],
    ['x', 'n', 4, { n: '3' }],
    ['x', 'int(n)', 4, { n: '3' }],
    ['y', '[x, *n]', 5, {}],
    ['x, y', '3, n', 4, { n: "'ab'" }],
    ['[x, y]', '[*n]', 4, { n: "[3, 'ab']" }],
    ['y[:1], y[-1:]', '"a", "b"', 4, {}],
    ['y[:1], y[-1:]', '"a", "c"', 5, {}],
    ['{"k": x}', '{"k": n}', 4, { n: '3' }],
    ['x', '_ if x == 3', 4, {}, ['True']],
    ['x', '_ if not y', 5, {}, ['False']],
    ['x', 'n if n', 4, { n: '3' }],
    ['y', '[n, *_] if n', 5, {}],
    ['y.upper()', '"AB"', 4, {}, []],
  ])('on %s goes where %s leads', async (subject, head, to, left, answers = []) => {
    const next = await step([subject, head, '7', '8'], 3, own, { answers });
    expect(next).toMatchObject({ to: [to], left, asked: answers.length + 1 });
  });

  it('is told where the guard needs nothing', async () => {
    expect(await told(['x', '4', 'n'], 3)).toEqual([5, {}]);
    expect(await told(['x', 'n if n'], 3)).toEqual([4, { n: '3' }]);
    expect(await told(['y', '"ab" if x'], 3)).toEqual([4, {}]);
  });

  it('works out a guard with what the pattern has bound', async () => {
    const heads: [string, ...string[]] = ['x', 'n if n * 7 == 21', '_'];
    expect(await step(heads, 3, own, { answers: ['21', 'True'] })).toMatchObject({
      to: [4],
      left: { n: '3' },
    });
    expect(await step(heads, 3, own, { answers: ['21', 'False'] })).toMatchObject({
      to: [5],
      left: { n: '3' },
    });
  });

  it('goes behind the statement where the last case fails', async () => {
    expect(await told(['x', '4'], 3)).toEqual([5, {}]);
    expect(await told(['x', '4', '_'], 5)).toEqual([6, {}]);
  });

  const opens: [string, [string, string], Locals][] = [
    ['an attribute is compared', ['x', 'C.a'], own],
    ['the subject is no builtin', ['x', '3'], { ...own, x: '<C object {a: 3}>' }],
    ['the subject calls what may change something', ['y.pop()', '3'], { ...own, y: '[3]' }],
    ['a guard calls a function', ['x', '_ if g(x)'], own],
  ];
  it.each(opens)('is left to the model where %s', async (_, heads, locals) => {
    const before = ['def g(v):', '    return v'];
    expect((await step(heads, 3, locals, { before })).to).toEqual([4, 5]);
  });

  it('is left to the model where an earlier case may have changed the subject', async () => {
    expect((await step(['x', 'x if y', '3', '_'], 5)).to).toEqual([6, 7]);
    expect((await step(['x', 'int() if (x := 4) > 9', '3', '_'], 5)).to).toEqual([6, 7]);
    const before = ['def g(v):', '    return v.clear()'];
    const lists = { ...own, y: '[3]' };
    expect((await step(['y[0]', '_ if g(y)', '3', '_'], 5, lists, { before })).to).toEqual([6, 7]);
    expect((await step(['y', '_ if g(y)', '[3]', '_'], 5, lists, { before })).to).toEqual([6]);
  });

  it('is left to the model where objects may look like literals', async () => {
    expect((await step(['x', '3', '_'], 3, own, { before: ['class C(int):', '    pass'] })).to).toEqual([
      4, 5,
    ]);
  });
});
