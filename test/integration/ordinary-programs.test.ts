/** What is told of the steps of ordinary programs is so in real runs of them: the true answer to each step is taken as it is. */
import { expect, it } from 'vitest';
import { ordinaryPrograms } from '../support/ordinary-programs.js';
import { takenOtherwise } from '../support/true-answers.js';

it.each(ordinaryPrograms)('%s', async (_, call, source) => {
  expect(await takenOtherwise(source, call)).toEqual([]);
});
