import { describe, expect, it } from 'vitest';
import type { GrammarData, GrammarId } from '../../../src/native/addon-types.js';
import { GrammarRegistry } from '../../../src/scheduler/grammar-registry.js';
import { Histogram, Metrics } from '../../../src/scheduler/metrics.js';
import { PrefixLedger, prefixKeyOf } from '../../../src/scheduler/prefix-ledger.js';
import { resumePoint } from '../../../src/scheduler/resume.js';
import { type StoredAnswer, TrajectoryStore } from '../../../src/scheduler/trajectory-store.js';
import { answerAlone, constraint, question, smallGrammar } from '../../support/scheduler-world.js';

const answer = (length: number): StoredAnswer => ({
  tokens: Int32Array.from({ length }, (_, index) => index),
  logProbabilities: Float32Array.from({ length }, (_, index) => -index / 3),
  forced: Uint8Array.from({ length }, (_, index) => index % 2),
  finish: 'finished',
});

describe('TrajectoryStore', () => {
  it('gives back the same bytes, and nobody can change what is stored', () => {
    const store = new TrajectoryStore(1e6);
    const original = answer(9);
    store.set('k', original);
    original.tokens.fill(0);
    const first = store.get('k') as StoredAnswer;
    expect(first).toEqual(answer(9));
    first.logProbabilities.fill(5);
    expect(store.get('k')).toEqual(answer(9));
  });

  it('is bounded by bytes, least recently used first, and counts', () => {
    const store = new TrajectoryStore(2000);
    for (const key of ['a', 'b', 'c']) store.set(key, answer(10));
    expect(store.get('a')).toBeDefined();
    store.set('d', answer(10));
    expect(['a', 'b', 'c', 'd'].map((key) => store.get(key) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    const stats = store.stats();
    expect(stats).toMatchObject({ entries: 3, hits: 4, misses: 1, evictions: 1, hitRate: 0.8 });
    expect(stats.bytes).toBeLessThanOrEqual(2000);
  });

  it('keeps nothing when it is off or an answer is larger than the store', () => {
    const off = new TrajectoryStore(0);
    off.set('k', answer(1));
    const small = new TrajectoryStore(600);
    small.set('k', answer(100));
    expect([off.get('k'), small.get('k')]).toEqual([undefined, undefined]);
  });
});

describe('GrammarRegistry', () => {
  class Recorder {
    readonly live = new Set<number>();
    added = 0;
    addGrammar(_data: GrammarData): GrammarId {
      this.added += 1;
      this.live.add(this.added);
      return this.added as GrammarId;
    }
    removeGrammar(id: GrammarId): void {
      this.live.delete(id);
    }
  }

  it('registers once per key, keeps what is used, removes the least recently used beyond its bound', () => {
    const engine = new Recorder();
    const registry = new GrammarRegistry(engine, 1);
    const data = smallGrammar();
    const a = registry.acquire('a', data);
    expect(registry.acquire('a', data)).toBe(a);
    const b = registry.acquire('b', data);
    registry.release('a');
    expect(registry.stats()).toEqual({ registered: 2, unused: 0, uses: 2 });
    registry.release('a');
    registry.release('b');
    expect([...engine.live]).toEqual([b]);
    expect(registry.acquire('b', data)).toBe(b);
    registry.release('b');
    registry.clear();
    expect(engine.live.size).toBe(0);
    expect(() => registry.release('b')).toThrow(/more often/);
  });
});

describe('PrefixLedger', () => {
  it('knows who computes, who holds, and lets the next one take over', () => {
    const ledger = new PrefixLedger(10);
    ledger.hold(5, 1, false);
    expect(ledger.view.get(5)).toMatchObject({ status: 'computing', holders: 1 });
    ledger.computed(5, 2);
    expect(ledger.isComputing(5)).toBe(true);
    ledger.computed(5, 1);
    ledger.hold(5, 2, true);
    expect(ledger.view.get(5)).toMatchObject({ status: 'computed', holders: 2 });
    ledger.release(5, 1);
    ledger.release(5, 2);
    expect(ledger.view.get(5)).toMatchObject({ status: 'computed', holders: 0 });
    ledger.hold(6, 3, false);
    ledger.release(6, 3);
    expect(ledger.view.has(6)).toBe(false);
  });

  it('forgets the oldest that nobody holds', () => {
    const ledger = new PrefixLedger(2);
    ledger.hold(1, 1, true);
    for (const key of [2, 3, 4]) {
      ledger.hold(key, key, true);
      ledger.release(key, key);
    }
    expect([...ledger.view.keys()]).toEqual([1, 4]);
  });

  it('hashes the shared tokens and their number only', () => {
    const tokens = Int32Array.from([1, 2, 3, 4, 5]);
    const other = Int32Array.from([1, 2, 3, 9, 9]);
    expect(prefixKeyOf(tokens, 3, 2)).toBe(prefixKeyOf(other, 3, 2));
    expect(prefixKeyOf(tokens, 4, 2)).not.toBe(prefixKeyOf(other, 4, 2));
    expect(prefixKeyOf(tokens, 3, 2)).not.toBe(prefixKeyOf(tokens, 4, 2));
    expect(prefixKeyOf(tokens, 3, 4)).toBe(0);
  });
});

describe('resumePoint', () => {
  it('keeps the answer up to the last token outside every sub-automaton, with its frame stack', () => {
    const rule = constraint('g', [0, 5]);
    // 10 calls; 30 31 inside; 7 8 9 forced run outside; 11 leaves to state 5; 8.
    const tokens = [10, 30, 31, 7, 8, 9, 11, 8];
    const points = tokens.map((_, index) =>
      resumePoint(rule, Int32Array.from(tokens.slice(0, index + 1)), 40),
    );
    expect(points.map((point) => point.kept)).toEqual([0, 0, 0, 4, 5, 6, 7, 8]);
    expect(points.map((point) => Array.from(point.frames))).toEqual([...Array(6).fill([0, 5]), [0], [0]]);
    expect(points.at(-1)?.state).toBe(6);
  });

  it('keeps everything without grammar, and refuses tokens that do not follow it', () => {
    expect(resumePoint(undefined, Int32Array.from([1, 2, 3]), 9).kept).toBe(3);
    expect(() => resumePoint(constraint(), Int32Array.from([6]), 9)).toThrow(/grammar/);
  });

  it('the small grammar reaches calls, forced runs and both limits', () => {
    const answers = Array.from({ length: 200 }, (_, ask) =>
      answerAlone(question(ask % 7, ask, { maxNewTokens: 24 })),
    );
    const has = (token: number) => answers.some((one) => one.tokens.includes(token));
    expect([5, 6, 7, 8, 9, 11].map(has)).toEqual(Array(6).fill(true));
    expect(answers.some((one) => one.forced.includes(1))).toBe(true);
    for (const one of answers) expect(one.tokens.at(-1)).toBe(6);
  });
});

describe('Metrics', () => {
  it('a histogram puts a value into the first bucket whose bound is not smaller', () => {
    const histogram = new Histogram([1, 10]);
    for (const value of [0, 1, 2, 10, 11]) histogram.observe(value);
    expect(histogram.snapshot()).toEqual({ bounds: [1, 10], counts: [2, 2, 1], count: 5, sum: 24 });
  });

  it('shares are 0 before anything happened and snapshots do not change', () => {
    const metrics = new Metrics();
    const before = metrics.snapshot();
    metrics.promptTokensCached = 3;
    metrics.promptTokensComputed = 1;
    metrics.endings.model = 1;
    expect([before.cachedShare, before.javascriptShare, before.endings.model]).toEqual([0, 0, 0]);
    expect(metrics.snapshot().cachedShare).toBe(0.75);
  });
});
