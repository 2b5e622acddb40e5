/**
 * Answers that were computed before, by key. Bounded by bytes, least recently used first. A stored answer is the
 * computed one byte for byte; callers get copies, so nobody can change what the next one sees.
 */
import { LRUCache } from 'lru-cache';
import type { GeneratedTokens } from './request.js';

export interface StoredAnswer extends GeneratedTokens {
  readonly finish: 'finished' | 'length';
}

export interface StoreStats {
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** hits / (hits + misses); 0 before the first look-up. */
  readonly hitRate: number;
}

/** Rough cost of one entry beside its arrays: map entry, list links, three array headers. */
const entryOverheadBytes = 512;

export class TrajectoryStore {
  private readonly cache: LRUCache<string, StoredAnswer> | null;
  private hits = 0;
  private misses = 0;
  private evictions = 0;

  /** @param maxBytes 0 switches the store off. */
  constructor(private readonly maxBytes: number) {
    this.cache =
      maxBytes > 0
        ? new LRUCache<string, StoredAnswer>({
            maxSize: maxBytes,
            sizeCalculation: answerBytes,
            dispose: (_answer, _key, reason) => {
              if (reason === 'evict') this.evictions += 1;
            },
          })
        : null;
  }

  /** A copy of the stored answer; counts a hit or a miss. */
  get(key: string): StoredAnswer | undefined {
    const answer = this.cache?.get(key);
    if (answer === undefined) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    return copyOf(answer);
  }

  /** Keeps a copy of the answer; one larger than the whole store is not kept. */
  set(key: string, answer: StoredAnswer): void {
    this.cache?.set(key, copyOf(answer));
  }

  stats(): StoreStats {
    const asked = this.hits + this.misses;
    return {
      entries: this.cache?.size ?? 0,
      bytes: this.cache?.calculatedSize ?? 0,
      maxBytes: this.maxBytes,
      hits: this.hits,
      misses: this.misses,
      evictions: this.evictions,
      hitRate: asked === 0 ? 0 : this.hits / asked,
    };
  }
}

function answerBytes(answer: StoredAnswer, key: string): number {
  const arrays = answer.tokens.byteLength + answer.logProbabilities.byteLength + answer.forced.byteLength;
  return arrays + 2 * key.length + entryOverheadBytes;
}

function copyOf(answer: StoredAnswer): StoredAnswer {
  return {
    tokens: answer.tokens.slice(),
    logProbabilities: answer.logProbabilities.slice(),
    forced: answer.forced.slice(),
    finish: answer.finish,
  };
}
