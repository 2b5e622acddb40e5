/** The line protocol against child processes that answer as the test says. */
import { afterEach, expect, it } from 'vitest';
import { ReplayProcess } from '../../../src/eval/replay.js';
import type { ValidityQuestion } from '../../../src/eval/reverse.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt as state } from '../../support/states.js';

let running: ReplayProcess | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** A process that answers every line with what `answer`, a JavaScript expression over `question`, gives. */
function replay(answer: string): ReplayProcess {
  const script = `require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => { const question = JSON.parse(line); console.log(${answer}); })`;
  running = new ReplayProcess(process.execPath, ['-e', script]);
  return running;
}

const question = (index: number, count: number): ValidityQuestion => ({
  source: 'def f(x):\n    return x\n',
  call: 'f(1)',
  index,
  action: { kind: 'inv_breakpoint', lines: [2] },
  candidates: Array.from({ length: count }, () => state('return', 2, { x: '1' }, '1')),
});

it('answers come to the questions they belong to', async () => {
  const { check } = replay(
    'JSON.stringify({ valid: question.candidates.map((_, at) => at === question.index) })',
  );
  expect(await Promise.all([check(question(0, 2)), check(question(1, 3)), check(question(5, 1))])).toEqual([
    [true, false],
    [false, true, false],
    [false],
  ]);
});

it('a question holds program, action and whole states', async () => {
  const expected = {
    source: 'def f(x):\n    return x\n',
    call: 'f(1)',
    index: 3,
    action: 'inv_breakpoint',
    lines: [2],
    candidates: [{ event: 'return', line: 2, locals: { x: '1' }, value: '1' }],
  };
  const literal = JSON.stringify(JSON.stringify(expected));
  const { check } = replay(
    `JSON.stringify({ valid: [require('node:util').isDeepStrictEqual(question, JSON.parse(${literal}))] })`,
  );
  expect(await check(question(3, 1))).toEqual([true]);
});

it('what cannot be decided is null, and nothing is asked about no candidates', async () => {
  const { check } = replay('JSON.stringify({ valid: [null] })');
  expect(await check(question(0, 1))).toEqual([null]);
  expect(await check(question(0, 0))).toEqual([]);
});

it('a program that cannot be run leaves all undecided', async () => {
  const { check } = replay(`JSON.stringify({ error: { code: 'time_limit', message: 'too slow' } })`);
  expect(await check(question(0, 2))).toEqual([null, null]);
});

it.each([
  ['a refused question', `JSON.stringify({ error: { code: 'bad_request' } })`],
  ['something else than JSON', `'Traceback'`],
  ['too few answers', `JSON.stringify({ valid: [] })`],
  ['something else than answers', `JSON.stringify({ valid: ['yes'] })`],
])('%s is an error, then and later', async (_name, answer) => {
  const { check } = replay(answer);
  expect(await Promise.all([codeOf(check(question(0, 1))), codeOf(check(question(0, 1)))])).toEqual([
    'internal',
    'internal',
  ]);
  expect(await codeOf(check(question(0, 1)))).toBe('internal');
});

it('a process that ends fails the open questions with its complaint', async () => {
  running = new ReplayProcess(process.execPath, [
    '-e',
    `process.stdin.once('data', () => { console.error('no such command'); process.exit(2); })`,
  ]);
  await expect(running.check(question(0, 1))).rejects.toMatchObject({
    code: 'internal',
    details: { actual: 'no such command' },
  });
});

it('a process that cannot be started is an error', async () => {
  running = new ReplayProcess('/nowhere/python');
  expect(await codeOf(running.check(question(0, 1)))).toBe('internal');
});

it('closing does not wait for questions that are still open', async () => {
  running = new ReplayProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const answer = codeOf(running.check(question(0, 1)));
  await running.close();
  expect(await answer).toBe('internal');
});
