/** What is told of programs with code that runs unseen is so in real runs of them: the true answer to each step is taken as it is. */
import { expect, it } from 'vitest';
import { hiddenCodePrograms } from '../support/hidden-code-programs.js';
import { takenOtherwise } from '../support/true-answers.js';

it.each(hiddenCodePrograms)('%s', async (_, call, source) => {
  expect(await takenOtherwise(source, call)).toEqual([]);
});
