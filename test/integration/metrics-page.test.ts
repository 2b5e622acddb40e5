/** The metrics of a running service and the table of docs/serving.md, held together. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, tinyModel } from '../support/command.js';
import { Served } from '../support/served.js';

const page = readFileSync(join(root, 'docs', 'serving.md'), 'utf8');
/** Rows "| `foretrace_pool_*` | `total_pages`, ... | meaning |". */
const documented = [...page.matchAll(/^\| `(foretrace_[a-z_]*)\*` \| (.+?) \|/gm)].flatMap(
  ([, prefix, names = '']) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${prefix}${name}`),
);

it('every metric of a running service is in docs/serving.md, and no other', async () => {
  const served = await Served.start('--model', tinyModel, '--threads', '1');
  const text = await (await fetch(`${served.url}/metrics`)).text();
  await served.kill();
  const exported = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string);
  const own = exported.filter((name) => !/^(process|nodejs)_/.test(name));
  expect(own.length).toBeGreaterThan(50);
  expect([...documented].sort()).toEqual(own.sort());
});
