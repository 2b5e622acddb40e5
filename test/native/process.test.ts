/** What needs a process or a worker of its own: worker threads, termination, exit during a step. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { engineDefaults } from '../../src/native/engine.js';
import { addonCandidates } from '../../src/native/load.js';
import { writeTinyModel } from './tiny-engine.js';

const run = promisify(execFile);
const addonPath = JSON.stringify(addonCandidates()[0]);
const options = JSON.stringify({
  ...engineDefaults,
  modelDir: writeTinyModel(),
  device: 'cpu',
  threads: 2,
  pages: 64,
  pageTokens: 4,
  maxRows: 64,
  maxSequences: 8,
  drafts: 'off',
  randomWeightsSeed: 1,
});

/** Plain JavaScript, so that it runs without a loader: an engine with a long step in flight. */
const prelude = `
const addon = require(${addonPath});
const options = ${options};
async function begin() {
  const engine = await addon.loadEngine(options);
  const request = new Int32Array(8);
  const response = new Int32Array(1024);
  engine.attach(request, response, new Float32Array(512));
  const { sequence } = engine.open(Int32Array.of(1, 2, 3), 0);
  engine.generate(sequence, { grammar: -1, state: 0, frames: new Int32Array(), temperature: 0, topP: 1, seed: 0,
    maxNewTokens: 240, stopToken: -1 });
  request.set([sequence, 3, 1]);
  const step = engine.step({ words: 3, maxIterations: 1000, deadlineMicros: 0, returnOnFinish: false });
  return { engine, response, step };
}
`;

async function runScript(body: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['-e', prelude + body]);
  return stdout;
}

function messageOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

describe('processes', () => {
  it('exit cleanly during a step', async () => {
    expect(await runScript(`begin().then(() => { console.log('in flight'); process.exit(0); });`)).toBe(
      'in flight\n',
    );
  });

  it('stay alive until a step has ended, and end by themselves after it', async () => {
    expect(await runScript(`begin().then(async ({ step }) => { await step; console.log('done'); });`)).toBe(
      'done\n',
    );
  });

  it('end by themselves with an engine that was never disposed and is idle', async () => {
    expect(await runScript(`addon.loadEngine(options).then(() => console.log('idle'));`)).toBe('idle\n');
  });

  it('do not end when a caller breaks a promise chain in a step', async () => {
    const script = `begin().then(({ engine, step }) => { engine.dispose(); return step; }).then((s) => console.log(s.words > 0));`;
    expect(await runScript(script)).toBe('true\n');
  });
});

describe('worker threads', () => {
  const body = `${prelude}
const { parentPort } = require('node:worker_threads');
begin().then(async ({ engine, response, step }) => {
  await step;
  parentPort.postMessage([response[1], response[2], response[5]]);
  await engine.dispose();
});`;

  it('load the addon several times and at once', async () => {
    for (let round = 0; round < 3; round++) {
      const workers = [new Worker(body, { eval: true }), new Worker(body, { eval: true })];
      const answers = await Promise.all(workers.map(messageOf));
      for (const answer of answers) expect(answer).toEqual([2, 3 + 239, 240]);
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  });

  it('may be terminated during a step', async () => {
    const inFlight = `${prelude}
const { parentPort } = require('node:worker_threads');
begin().then(() => parentPort.postMessage('in flight'));`;
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(inFlight, { eval: true });
      expect(await messageOf(worker)).toBe('in flight');
      await worker.terminate();
    }
  });
});
