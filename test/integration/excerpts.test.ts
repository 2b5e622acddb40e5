/** What a call reaches of a module runs as the whole module does: the same events on the same lines, with the same values. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { excerptFor } from '../../src/debugger/excerpts/excerpt.js';
import { lex } from '../../src/debugger/language/lexer.js';
import { realTraces } from '../support/real-traces.js';

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Programs in which something has a part that nothing names; the first line of each holds the call. */
const hidden = readdirSync(new URL('../golden/excerpts', import.meta.url))
  .filter((name) => name.endsWith('.py'))
  .map((name) => {
    const source = file(`test/golden/excerpts/${name}`);
    return [basename(name, '.py'), source.slice(2, source.indexOf('\n')), source] as const;
  });
/** Programs that reach anything by a text, which are left as they are. */
const whole = [
  'annotations_read',
  'asked_for_by_builtins',
  'class_bodies',
  'copied_and_pickled',
  'descriptors',
  'evaluated_text',
  'globals_rebound',
  'kept_alive',
  'monkeypatching',
  'redefinitions',
  'state_of_the_process',
  'subclasses_told',
];

const cases = (path: string) =>
  file(path)
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { readonly id: string; readonly call: string; readonly source: string },
    )
    .map(({ id, call, source }) => [id, call, source] as const);
/** Modules of the length that they have in use. */
const long = cases('bench/ordinary/long.jsonl');
/** Small ones, each of which a rule was once wrong about. */
const small = cases('test/golden/excerpts/rules.jsonl');

/** Each with what its call reaches, and what both do. */
const compared = [...hidden, ...long, ...small].map(([name, call, source]) => {
  return { name, call, source, excerpt: excerptFor(source, lex(call)) };
});
const runs = realTraces(
  compared.flatMap(({ source, excerpt = source, call }) =>
    [source, excerpt].map((text) => [text, call] as const),
  ),
);

it.each(
  compared.map(({ name, source, excerpt }, at) => [name, source, excerpt, at] as const),
)('%s', (name, source, excerpt, at) => {
  if (at < hidden.length) expect(excerpt === undefined).toBe(whole.includes(name));
  if (at < hidden.length + long.length) expect(excerpt).not.toBe(source);
  expect(runs[2 * at]?.length).toBeGreaterThan(1);
  expect(runs[2 * at + 1]).toEqual(runs[2 * at]);
});
