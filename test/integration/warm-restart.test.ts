/** `foretrace serve --store FILE`: a service that is started again, or was killed, knows what it knew, and another model knows nothing of it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { actionNumbers, modeNumbers, originNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { tinyModel } from '../support/command.js';
import { Served } from '../support/served.js';
import { call, source } from '../support/service-world.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-warm-'));
afterAll(() => rmSync(folder, { recursive: true }));

const serve = (model = tinyModel): Promise<Served> =>
  Served.start('--model', model, '--threads', '1', '--no-ahead', '--store', join(folder, 'store.sqlite'));

const bits = ({ state, probability }: WireAnswer) => ({ state, probability });

async function ask(served: Served): Promise<{ answers: WireAnswer[]; derived: WireAnswer }> {
  const client = await ForetraceClient.connect(served.socketUrl);
  const { session } = await client.open({ source, call });
  const answers = [];
  for (const kind of ['step_into', 'step_over', 'continue'] as const) {
    const action = { kind: actionNumbers[kind], lines: [] };
    answers.push(await client.act({ session, from: 1, action, mode: modeNumbers.jump }));
  }
  const back = { kind: actionNumbers.inv_step_into, lines: [] };
  const derived = await client.act({ session, from: 2, action: back, mode: modeNumbers.auto });
  await client.close();
  return { answers, derived };
}

/** Of the three answers without a store: the single steps are told by the program. */
const computed = [originNumbers.derived, originNumbers.derived, originNumbers.model];

const originsOf = (answers: readonly WireAnswer[]): number[] => answers.map(({ origin }) => origin);

describe('a service with a file', () => {
  it('is warm after it was stopped, and after it was killed', async () => {
    const first = await serve();
    // What was measured at the start is nobody's doing.
    expect(await first.figure('pool_evictions_total')).toBe(0);
    const cold = await ask(first);
    expect(originsOf(cold.answers)).toEqual(computed);
    expect(await first.kill('SIGTERM')).toBe(0);
    const second = await serve();
    const warm = await ask(second);
    expect(originsOf(warm.answers)).toEqual(Array(3).fill(originNumbers.cache));
    expect(warm.answers.map(bits)).toEqual(cold.answers.map(bits));
    expect(warm.derived.origin).toBe(originNumbers.derived);
    expect(bits(warm.derived)).toEqual(bits(cold.derived));
    expect(await second.figure('scheduler_submitted_total')).toBe(0);
    await second.kill('SIGKILL');
    const third = await serve();
    expect(originsOf((await ask(third)).answers)).toEqual(Array(3).fill(originNumbers.cache));
    await third.kill('SIGTERM');
  });

  it('takes no row that does not fit the program, whatever is in the file', async () => {
    const cold = await serve();
    const right = await ask(cold);
    await cold.kill('SIGTERM');
    const change = (what: string, to: string): void => {
      const database = new sqlite.Database(join(folder, 'store.sqlite'));
      database.exec(`UPDATE transition SET content = json_replace(content, '${what}', ${to})`);
      database.close();
    };
    for (const [what, to] of [
      ['$[2][1][0][0]', '999'],
      ['$[2][1][0][1]', `json('[["nope", "1"]]')`],
    ] as const) {
      change(what, to);
      const served = await serve();
      const answers = await ask(served);
      expect(originsOf(answers.answers)).toEqual(computed);
      expect(answers.answers.map(bits)).toEqual(right.answers.map(bits));
      expect(bits(answers.derived)).toEqual(bits(right.derived));
      await served.kill('SIGTERM');
    }
    rmSync(join(folder, 'store.sqlite'));
  });

  it('is cold for other weights', async () => {
    const other = join(folder, 'model');
    cpSync(tinyModel, other, { recursive: true });
    const weights = readFileSync(join(other, 'model.safetensors'));
    // The last weight, a bit of it.
    weights[weights.length - 2] = (weights[weights.length - 2] as number) ^ 1;
    writeFileSync(join(other, 'model.safetensors'), weights);
    const served = await serve(other);
    expect(originsOf((await ask(served)).answers)).toEqual(computed);
    await served.kill('SIGTERM');
  });
});
