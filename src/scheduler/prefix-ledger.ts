/**
 * What is known of shared beginnings: who computes one right now, which were computed, how many open sequences hold them.
 * It steers order only; the engine's prefix tree decides what is really reused.
 */
import type { PrefixKey, PrefixState } from './work.js';

interface Entry extends PrefixState {
  status: 'computing' | 'computed';
  holders: number;
  /** Request that computes it; 0 = nobody. */
  owner: number;
}

export class PrefixLedger {
  private readonly entries = new Map<PrefixKey, Entry>();

  /** @param maxEntries computed beginnings remembered although no open sequence holds them. */
  constructor(private readonly maxEntries: number) {}

  /** For `plan`: the live map, not to be changed. */
  get view(): ReadonlyMap<PrefixKey, PrefixState> {
    return this.entries;
  }

  isComputing(key: PrefixKey): boolean {
    return this.entries.get(key)?.status === 'computing';
  }

  /** An open sequence holds the beginning; if its pages were not found, that sequence computes it and others wait. */
  hold(key: PrefixKey, owner: number, found: boolean): void {
    if (key === 0) return;
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = { status: 'computed', holders: 0, owner: 0 };
    } else {
      this.entries.delete(key);
    }
    this.entries.set(key, entry);
    entry.holders += 1;
    if (!found) {
      entry.status = 'computing';
      entry.owner = owner;
    }
    this.forgetOldest();
  }

  /** The owner has computed the beginning. */
  computed(key: PrefixKey, owner: number): void {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.owner !== owner) return;
    entry.status = 'computed';
    entry.owner = 0;
  }

  /** The sequence is closed. An owner that had not finished leaves the beginning to the next one. */
  release(key: PrefixKey, owner: number): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    entry.holders -= 1;
    if (entry.owner !== owner) return;
    entry.owner = 0;
    entry.status = 'computed';
    if (entry.holders === 0) this.entries.delete(key);
  }

  private forgetOldest(): void {
    if (this.entries.size <= this.maxEntries) return;
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= this.maxEntries) return;
      if (entry.holders === 0) this.entries.delete(key);
    }
  }
}

/** Hash of the first `length` tokens (two 32-bit FNV-1a streams, 53 bits kept); 0 if shorter than `minimum`. */
export function prefixKeyOf(tokens: Int32Array, length: number, minimum: number): PrefixKey {
  if (length < minimum || length === 0) return 0;
  let low = 0x811c9dc5;
  let high = 0x050c5d1f ^ length;
  for (let index = 0; index < length; index += 1) {
    const token = tokens[index] as number;
    low = Math.imul(low ^ token, 0x01000193);
    high = Math.imul(high ^ token ^ (low >>> 7), 0x01000193);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) + 1;
}
