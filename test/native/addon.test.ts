import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrammarData, NativeEngine, SequenceId } from '../../src/native/addon-types.js';
import { StepStatus } from '../../src/native/addon-types.js';
import { loadEngine } from '../../src/native/engine.js';
import { features, loadAddonFrom } from '../../src/native/load.js';
import {
  greedyGeneration,
  openTiny,
  startGeneration,
  type TinyEngine,
  tinyOptions,
  tinyVocabulary,
  wholeStep,
  writeCorruptModel,
  writeTinyModel,
} from './tiny-engine.js';

const words = Math.ceil(tinyVocabulary / 32);

/** name (token 5 to 9), then the end (token 20): two tokens. */
function twoTokenGrammar(): GrammarData {
  const masks = new Uint32Array(words);
  masks[0] = 0b1111100000;
  return {
    vocabSize: tinyVocabulary,
    edgeStart: Int32Array.of(0, 1, 2, 2),
    edgeToken: Int32Array.of(-1, 20),
    edgeMask: Int32Array.of(0, 0),
    edgeNext: Int32Array.of(1, 2),
    edgeOperation: Uint8Array.of(0, 0),
    edgeReturn: Int32Array.of(0, 0),
    edgeLimit: Int32Array.of(0, 0),
    stateFlags: Uint8Array.of(0, 0, 2),
    stateClose: Int32Array.of(5, 20, -1),
    stateDistance: Int32Array.of(2, 1, 0),
    masks,
  };
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
  return 'nothing';
}

describe('the addon', () => {
  let tiny: TinyEngine;
  let engine: NativeEngine;
  beforeAll(async () => {
    tiny = await openTiny();
    engine = tiny.engine;
  });
  afterAll(() => engine.dispose());

  it('says what it is and what it has loaded', () => {
    expect(features().isas).toContain('portable');
    expect(engine.info).toMatchObject({ vocabSize: tinyVocabulary, layers: 2, pages: 64, pageTokens: 4 });
    expect(engine.info.modelDigest).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives the same answer synchronously, on its own thread, and from the cache', async () => {
    const prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const first = startGeneration(tiny, prompt);
    const summary = engine.stepSync(wholeStep);
    const wanted = Array.from(tiny.response.subarray(0, summary.words)).slice(5);
    const computed = tiny.response[2] as number;
    const probabilities = Array.from(tiny.logProbabilities.subarray(0, 8));
    expect(tiny.response[1]).toBe(StepStatus.length);
    expect(tiny.response[5]).toBe(8);
    expect(engine.tokens(first).length).toBe(17);
    engine.close(first);
    tiny.logProbabilities.fill(1);
    const second = startGeneration(tiny, prompt);
    const again = await engine.step(wholeStep);
    expect(Array.from(tiny.response.subarray(0, again.words)).slice(5)).toEqual(wanted);
    expect(Array.from(tiny.logProbabilities.subarray(0, 8))).toEqual(probabilities);
    expect(tiny.response[2]).toBeLessThan(computed);
    engine.close(second);
    engine.checkInvariants();
  });

  it('walks a grammar and marks forced tokens', () => {
    const grammar = engine.addGrammar(twoTokenGrammar());
    const sequence = startGeneration(tiny, [1, 2, 3], { grammar });
    engine.stepSync(wholeStep);
    expect(tiny.response[1]).toBe(StepStatus.finished);
    expect(tiny.response[5]).toBe(2);
    expect(tiny.response[6]).toBeGreaterThanOrEqual(5);
    expect(tiny.response[6]).toBeLessThanOrEqual(9);
    expect(Array.from(tiny.response.subarray(7, 10))).toEqual([0, 20, 1]);
    expect(tiny.logProbabilities[0]).toBeLessThan(0);
    expect(tiny.logProbabilities[1]).toBe(0);
    engine.close(sequence);
    engine.removeGrammar(grammar);
    expect(codeOf(() => engine.removeGrammar(grammar))).toBe('invalid_argument');
  });

  it('forks, appends, truncates and gives logits', () => {
    const { sequence } = engine.open(Int32Array.of(41, 42, 43, 44, 45, 46), 0);
    tiny.request.set([sequence, 6, 0]);
    engine.stepSync({ ...wholeStep, maxIterations: 1 });
    const child = engine.fork(sequence, 5, 4);
    engine.append(child, Int32Array.of(9, 9), 2);
    expect(Array.from(engine.tokens(child))).toEqual([41, 42, 43, 44, 45, 9, 9]);
    engine.truncate(child, 3);
    expect(Array.from(engine.tokens(child))).toEqual([41, 42, 43]);
    engine.close(child);
    engine.close(sequence);
    const logits = engine.logits(Int32Array.of(1, 2));
    expect(logits.length).toBe(2 * tinyVocabulary);
    expect(logits.every(Number.isFinite)).toBe(true);
    engine.clearCache();
    const stats = engine.stats();
    expect(stats.freePages).toBe(stats.totalPages);
  });

  it('refuses a model with a number that is none', async () => {
    for (const weight of [Number.NaN, Number.NEGATIVE_INFINITY])
      await expect(
        openTiny({ modelDir: writeCorruptModel(weight), randomWeightsSeed: undefined }),
      ).rejects.toMatchObject({
        code: 'invalid_model',
        message: expect.stringContaining('model.norm.weight'),
      });
  });

  it('fails a sequence of a model whose sums overflow and says why', async () => {
    const corrupt = await openTiny({ modelDir: writeCorruptModel(3e38), randomWeightsSeed: undefined });
    const sequence = startGeneration(corrupt, [1, 2, 3]);
    const summary = await corrupt.engine.step(wholeStep);
    expect(Array.from(corrupt.response.subarray(0, summary.words))).toEqual([
      sequence,
      StepStatus.failed,
      3,
      0,
      0,
      0,
    ]);
    expect(summary.failure).toBe('no legal token has a finite logit');
    corrupt.engine.checkInvariants();
    await corrupt.engine.dispose();
    const sound = startGeneration(tiny, [1, 2, 3]);
    expect(engine.stepSync(wholeStep)).not.toHaveProperty('failure');
    engine.close(sound);
  });

  it('refuses every kind of bad argument with a code and stays usable', () => {
    const none = -1 as SequenceId;
    const tokens = Int32Array.of(1, 2, 3);
    const anything = (value: unknown) => value as never;
    const detached = new Int32Array(4);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const calls: (() => unknown)[] = [
      () => engine.open(anything(undefined), 0),
      () => engine.open(anything([1, 2]), 0),
      () => engine.open(anything(new Float32Array(2)), 0),
      () => engine.open(anything(new Uint32Array(2)), 0),
      () => engine.open(detached, 0),
      () => engine.open(new Int32Array(0), 0),
      () => engine.open(Int32Array.of(tinyVocabulary), 0),
      () => engine.open(Int32Array.of(-1), 0),
      () => engine.open(tokens, -1),
      () => engine.open(tokens, Number.NaN),
      () => engine.open(tokens, 1.5),
      () => engine.open(tokens, 2 ** 40),
      () => engine.open(tokens, anything('1')),
      () => engine.open(tokens, anything(1n)),
      () => engine.open(new Int32Array(300), 0),
      () => engine.close(none),
      () => engine.close(anything(undefined)),
      () => engine.close(anything(Symbol('x'))),
      () => engine.fork(none, 1, 0),
      () => engine.append(none, tokens, 0),
      () => engine.truncate(none, 0),
      () => engine.tokens(99 as SequenceId),
      () => engine.generate(none, greedyGeneration),
      () => engine.addGrammar(anything(null)),
      () => engine.addGrammar({ ...twoTokenGrammar(), edgeNext: anything([1, 2]) }),
      () => engine.addGrammar({ ...twoTokenGrammar(), edgeNext: Int32Array.of(1, 9) }),
      () => engine.addGrammar({ ...twoTokenGrammar(), vocabSize: 5 }),
      () => engine.removeGrammar(anything(7)),
      () => engine.attach(anything(null), new Int32Array(1), new Float32Array(1)),
      () => engine.attach(new Int32Array(1), anything(new Uint8Array(1)), new Float32Array(1)),
      () => engine.stepSync(anything(undefined)),
      () => engine.stepSync({ ...wholeStep, words: 1000 }),
      () => engine.stepSync({ ...wholeStep, words: 4 }),
      () => engine.stepSync({ ...wholeStep, maxIterations: 0 }),
      () => engine.stepSync({ ...wholeStep, deadlineMicros: -1 }),
      () => engine.stepSync({ ...wholeStep, returnOnFinish: anything(1) }),
      () => engine.logits(new Int32Array(0)),
    ];
    for (const call of calls)
      expect([codeOf(call), String(call)]).toEqual(['invalid_argument', String(call)]);
    const { sequence } = engine.open(tokens, 0);
    const generations = [
      { temperature: -1 },
      { temperature: Number.POSITIVE_INFINITY },
      { topP: 0 },
      { topP: 1.1 },
      { maxNewTokens: 0 },
      { maxNewTokens: 1000 },
      { stopToken: tinyVocabulary },
      { expected: Int32Array.of(0, tinyVocabulary) },
      { expected: anything([1]) },
      { seed: 0.5 },
      { grammar: anything(3) },
    ];
    for (const change of generations) {
      const call = () => engine.generate(sequence, { ...greedyGeneration, ...change });
      expect([codeOf(call), change]).toEqual(['invalid_argument', change]);
    }
    engine.close(sequence);
    expect(codeOf(() => engine.open(new Int32Array(200), 56))).toBe('nothing');
    expect(
      codeOf(() =>
        engine.open(
          Int32Array.from({ length: 40 }, (_, i) => i),
          0,
        ),
      ),
    ).toBe('out_of_pages');
    engine.close(0 as SequenceId);
    engine.checkInvariants();
  });

  it('refuses a foreign `this`', async () => {
    const raw = await loadRaw();
    const { stats } = raw;
    expect(codeOf(() => stats.call({} as NativeEngine))).toBe('invalid_argument');
    expect(codeOf(() => stats.call(new Map() as unknown as NativeEngine))).toBe('invalid_argument');
    await raw.dispose();
  });

  it('carries the stack of the caller', () => {
    try {
      engine.close(77 as SequenceId);
      expect.unreachable();
    } catch (error) {
      expect((error as Error).stack).toContain('addon.test.ts');
      expect((error as { details: unknown }).details).toMatchObject({ actual: '77' });
    }
  });

  async function loadRaw(): Promise<NativeEngine> {
    const { loadAddon } = await import('../../src/native/load.js');
    const { completeOptions } = await import('../../src/native/engine.js');
    return loadAddon().loadEngine(completeOptions(tinyOptions()));
  }
});

describe('steps in flight', () => {
  it('refuse other calls, answer stats, and end on interrupt', async () => {
    const tiny = await openTiny();
    const sequence = startGeneration(tiny, [1, 2, 3], { maxNewTokens: 200 });
    const step = tiny.engine.step(wholeStep);
    expect(codeOf(() => tiny.engine.tokens(sequence))).toBe('engine_busy');
    expect(codeOf(() => tiny.engine.open(Int32Array.of(1), 0))).toBe('engine_busy');
    await expect(tiny.engine.step(wholeStep)).rejects.toMatchObject({ code: 'engine_busy' });
    expect(tiny.engine.stats().totalPages).toBe(64);
    tiny.engine.interrupt();
    const summary = await step;
    expect(summary.iterations).toBeGreaterThanOrEqual(1);
    expect(tiny.response[0]).toBe(sequence);
    await tiny.engine.dispose();
  });

  it('survive ring buffers that are detached meanwhile', async () => {
    const tiny = await openTiny();
    startGeneration(tiny, [1, 2, 3], { maxNewTokens: 100 });
    const step = tiny.engine.step(wholeStep);
    structuredClone(tiny.response.buffer, { transfer: [tiny.response.buffer as ArrayBuffer] });
    await expect(step).rejects.toMatchObject({ code: 'invalid_argument' });
    tiny.engine.checkInvariants();
    await tiny.engine.dispose();
  });

  it('are finished by dispose, which may be called twice', async () => {
    const tiny = await openTiny();
    startGeneration(tiny, [1, 2, 3], { maxNewTokens: 200 });
    const step = tiny.engine.step(wholeStep);
    const disposals = [tiny.engine.dispose(), tiny.engine.dispose()];
    expect((await step).iterations).toBeGreaterThanOrEqual(1);
    await Promise.all(disposals);
    expect(codeOf(() => tiny.engine.stats())).toBe('engine_closed');
    await expect(tiny.engine.step(wholeStep)).rejects.toMatchObject({ code: 'engine_closed' });
    await tiny.engine.dispose();
  });
});

describe('loading', () => {
  it('rejects with a code', async () => {
    await expect(loadEngine({ modelDir: '/does/not/exist' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
    const odd = writeTinyModel({ head_dim: 7 });
    await expect(loadEngine(tinyOptions({ modelDir: odd }))).rejects.toMatchObject({ code: 'invalid_model' });
    await expect(loadEngine(tinyOptions({ device: 'cuda' }))).rejects.toMatchObject({
      code: 'unsupported_device',
    });
    const bad = [{ pageTokens: 5 }, { maxRows: 0 }, { threads: -1 }, { pages: 1.5 }, { maxSequences: 0 }];
    for (const change of bad) {
      await expect(loadEngine(tinyOptions(change))).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(loadEngine(tinyOptions({ isa: 'sse9' as 'auto' }))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('works again and again', async () => {
    const digests = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const { engine } = await openTiny();
      digests.add(engine.info.modelDigest);
      if (round % 2 === 0) await engine.dispose();
    }
    expect(digests.size).toBe(1);
  });

  it('explains every failure when no addon can be loaded', () => {
    const load = () => loadAddonFrom(['/nowhere/a.node', '/nowhere/b.node']);
    expect(codeOf(load)).toBe('internal');
    expect(load).toThrow(/a\.node: .*\n.*b\.node: [\s\S]*npm run build/);
  });
});
