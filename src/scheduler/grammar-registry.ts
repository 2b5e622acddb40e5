/**
 * Grammars the engine knows, by key: registered once, counted while in use, removed when too many lie unused. Calls
 * into the engine happen in `acquire` and `release` only, so both belong between steps.
 */
import type { GrammarData, GrammarId, NativeEngine } from '../native/addon-types.js';

interface Entry {
  readonly id: GrammarId;
  uses: number;
}

export class GrammarRegistry {
  private readonly entries = new Map<string, Entry>();
  /** Keys that nobody uses, least recently used first. */
  private readonly unused = new Set<string>();

  /** @param maxUnused grammars kept although nobody uses them. */
  constructor(
    private readonly engine: Pick<NativeEngine, 'addGrammar' | 'removeGrammar'>,
    private readonly maxUnused: number,
  ) {}

  /** The engine's number of the grammar; each call needs one `release`. Throws what `addGrammar` throws, and then counts nothing. */
  acquire(key: string, data: GrammarData): GrammarId {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = { id: this.engine.addGrammar(data), uses: 0 };
      this.entries.set(key, entry);
    }
    entry.uses += 1;
    this.unused.delete(key);
    return entry.id;
  }

  release(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.uses === 0)
      throw new RangeError(`grammar ${key} is released more often than acquired`);
    entry.uses -= 1;
    if (entry.uses > 0) return;
    this.unused.add(key);
    this.evictDownTo(this.maxUnused);
  }

  /** Removes every grammar that nobody uses. */
  clear(): void {
    this.evictDownTo(0);
  }

  stats(): { registered: number; unused: number; uses: number } {
    let uses = 0;
    for (const entry of this.entries.values()) uses += entry.uses;
    return { registered: this.entries.size, unused: this.unused.size, uses };
  }

  private evictDownTo(bound: number): void {
    for (const key of this.unused) {
      if (this.unused.size <= bound) return;
      const entry = this.entries.get(key);
      this.unused.delete(key);
      this.entries.delete(key);
      if (entry !== undefined) this.engine.removeGrammar(entry.id);
    }
  }
}
