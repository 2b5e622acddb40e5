/** What is told of the steps of ordinary programs is so in real runs of them: the true answer to each step is taken as it is. */
import { expect, it } from 'vitest';
import { parseProgram } from '../../src/debugger/program.js';
import { ordinaryPrograms } from '../support/ordinary-programs.js';
import { realRun } from '../support/real-run.js';
import { withTrueAnswer } from '../support/true-answers.js';

it.each(ordinaryPrograms)('%s', async (_, call, source) => {
  const program = parseProgram(source, call);
  const otherwise: string[] = [];
  for (const step of await realRun(source, call)) {
    const found = await withTrueAnswer(program, step);
    const { event, frames } = step.before;
    if (found !== 'taken') otherwise.push(`${found}: ${event} on line ${frames.at(-1)?.line}`);
  }
  expect(otherwise).toEqual([]);
});
