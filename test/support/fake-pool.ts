/**
 * KV pages of the fake engine: a page holds the tokens computed into it, so what a sequence computes next depends on its pages and a
 * wrong page is a wrong token. Sealed (full) pages form a prefix tree keyed by all tokens up to their end.
 */
import { ForetraceError } from '../../src/errors.js';

export interface Page {
  readonly id: number;
  /** Tokens whose keys and values were computed. */
  readonly tokens: number[];
  refs: number;
  sealed: boolean;
  parent: Page | null;
  /** Sealed pages that follow this one in the tree. */
  readonly children: Map<string, Page>;
  lastUse: number;
}

export class FakePool {
  readonly pages: Page[];
  private readonly free: Page[];
  private readonly roots = new Map<string, Page>();
  private clock = 0;
  evictions = 0;
  mergedPages = 0;

  constructor(
    count: number,
    readonly pageTokens: number,
  ) {
    this.pages = Array.from({ length: count }, (_, id) => freshPage(id));
    this.free = [...this.pages].reverse();
  }

  get freePages(): number {
    return this.free.length;
  }

  get cachedPages(): number {
    return this.pages.filter((page) => page.sealed && page.refs === 0).length;
  }

  get usedPages(): number {
    return this.pages.filter((page) => page.refs > 0).length;
  }

  /** Takes references on the longest chain of sealed pages that holds a beginning of the tokens, the last token excluded. */
  match(tokens: Int32Array): Page[] {
    const chain: Page[] = [];
    let children: ReadonlyMap<string, Page> = this.roots;
    const most = Math.floor((tokens.length - 1) / this.pageTokens);
    while (chain.length < most) {
      const at = chain.length * this.pageTokens;
      const page = children.get(keyOf(tokens.subarray(at, at + this.pageTokens)));
      if (page === undefined) break;
      this.reference(page);
      chain.push(page);
      children = page.children;
    }
    return chain;
  }

  reference(page: Page): void {
    page.refs += 1;
    this.clock += 1;
    page.lastUse = this.clock;
  }

  /** Takes `count` pages, evicting the least recently used leaves that nobody references; all or nothing. */
  take(count: number): Page[] {
    const taken: Page[] = [];
    while (taken.length < count) {
      const page = this.free.pop() ?? this.evict();
      if (page === null) {
        for (const other of taken) this.release(other);
        throw new ForetraceError('out_of_pages', 'The fake pool is empty', {
          expected: `${count} pages`,
          actual: `${this.freePages} free`,
        });
      }
      this.reference(page);
      taken.push(page);
    }
    return taken;
  }

  release(page: Page): void {
    if (page.refs <= 0) throw new ForetraceError('internal', `page ${page.id} is released twice`);
    page.refs -= 1;
    if (page.refs === 0 && !page.sealed) this.reclaim(page);
  }

  /** Enters a full page into the tree below `parent`; returns the page to use from now on (an equal one that is there already wins). */
  seal(page: Page, parent: Page | null): Page {
    const children = parent?.children ?? this.roots;
    const key = keyOf(page.tokens);
    const equal = children.get(key);
    if (equal !== undefined && equal !== page) {
      this.reference(equal);
      this.release(page);
      this.mergedPages += 1;
      return equal;
    }
    page.sealed = true;
    page.parent = parent;
    children.set(key, page);
    return page;
  }

  clearCache(): void {
    for (let page = this.evict(); page !== null; page = this.evict()) this.free.push(page);
  }

  /** @param references how often each page id is held by open sequences. */
  check(references: ReadonlyMap<number, number>): void {
    const fail = (what: string): never => {
      throw new ForetraceError('internal', `fake pool: ${what}`);
    };
    if (this.freePages + this.cachedPages + this.usedPages !== this.pages.length)
      fail('free + cached + used != pages');
    const free = new Set(this.free);
    for (const page of this.pages) {
      if (page.refs !== (references.get(page.id) ?? 0)) fail(`page ${page.id} has ${page.refs} references`);
      if (free.has(page) && (page.refs > 0 || page.sealed)) fail(`page ${page.id} is free and in use`);
      if (!free.has(page) && page.refs === 0 && !page.sealed) fail(`page ${page.id} is lost`);
      if (page.refs > 0 && page.parent !== null && page.parent.refs === 0)
        fail(`page ${page.id} lost its parent`);
      if (page.sealed && page.tokens.length !== this.pageTokens)
        fail(`page ${page.id} is sealed but not full`);
    }
  }

  private evict(): Page | null {
    let oldest: Page | null = null;
    for (const page of this.pages) {
      if (!page.sealed || page.refs > 0 || page.children.size > 0) continue;
      if (oldest === null || page.lastUse < oldest.lastUse) oldest = page;
    }
    if (oldest === null) return null;
    (oldest.parent?.children ?? this.roots).delete(keyOf(oldest.tokens));
    this.evictions += 1;
    wipe(oldest);
    return oldest;
  }

  private reclaim(page: Page): void {
    wipe(page);
    this.free.push(page);
  }
}

function freshPage(id: number): Page {
  return { id, tokens: [], refs: 0, sealed: false, parent: null, children: new Map(), lastUse: 0 };
}

function wipe(page: Page): void {
  page.tokens.length = 0;
  page.sealed = false;
  page.parent = null;
  page.children.clear();
}

function keyOf(tokens: ArrayLike<number>): string {
  return Array.prototype.join.call(tokens, ',');
}
