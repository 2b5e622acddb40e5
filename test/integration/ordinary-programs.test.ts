/** What is told of the steps of ordinary programs is so in real runs of them: the true answer to each step is taken as it is. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ordinaryPrograms } from '../support/ordinary-programs.js';
import { takenOtherwise } from '../support/true-answers.js';

/** Of those with classes some that show no values which are too long for the bounds of this check. */
const withClasses = [
  'everyday-001',
  'everyday-006',
  'everyday-011',
  'everyday-013',
  'agent-001',
  'agent-002',
  'agent-003',
  'agent-010',
  'agent-012',
  'agent-014',
];
/** Of modules that are longer than what can be read. */
const ofLongModules = ['001a', '005b', '006a', '011a', '011b', '012b', '014b'];

const programsOf = (set: string, ids: readonly string[]) =>
  readFileSync(new URL(`../../bench/ordinary/${set}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { readonly id: string; readonly call: string; readonly source: string },
    )
    .filter(({ id }) => ids.includes(id))
    .map(({ id, call, source }) => [id, call, source] as const);

it.each([
  ...ordinaryPrograms,
  ...programsOf('classes', withClasses),
  ...programsOf('long', ofLongModules),
])('%s', async (_, call, source) => {
  expect(await takenOtherwise(source, call)).toEqual([]);
});
