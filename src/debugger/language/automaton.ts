/**
 * Builds the pushdown automaton the engine walks (its exact meaning: the comment of GrammarData in the addon's types; the
 * shape is declared again here, for the debugger knows nothing of native code).
 */
import { vocabularySize } from './tokens.js';

/** A grammar as flat arrays; edges of state s are edgeStart[s] .. edgeStart[s + 1] - 1. */
export interface GrammarData {
  vocabSize: number;
  edgeStart: Int32Array;
  edgeToken: Int32Array;
  edgeMask: Int32Array;
  edgeNext: Int32Array;
  edgeOperation: Uint8Array;
  edgeReturn: Int32Array;
  edgeLimit: Int32Array;
  stateFlags: Uint8Array;
  stateClose: Int32Array;
  stateDistance: Int32Array;
  masks: Uint32Array;
}

/** Bytes of a grammar. */
export const grammarBytes = (data: GrammarData): number =>
  Object.values(data).reduce((sum, part) => sum + (typeof part === 'number' ? 0 : part.byteLength), 0);

/** Kinds of states. */
export const flag = { none: 0, returnable: 1, accept: 2 } as const;
const operation = { goto: 0, call: 1, leave: 2 } as const;

const wordsOf = (size: number): number => Math.ceil(size / 32);
const far = 1 << 24;

/** A set of tokens of a vocabulary. */
export class TokenMask {
  readonly bits: Uint32Array;
  readonly first: number;

  constructor(tokens: Iterable<number>, size = vocabularySize) {
    this.bits = new Uint32Array(wordsOf(size));
    let first = -1;
    for (const token of tokens) {
      if (first < 0 || token < first) first = token;
      this.bits[token >>> 5] = (this.bits[token >>> 5] ?? 0) | (1 << (token & 31));
    }
    this.first = first;
  }
}

interface Edge {
  readonly token: number;
  readonly mask: number;
  readonly operation: number;
  readonly next: number;
  readonly back: number;
  readonly limit: number;
}

export class Automaton {
  private readonly flags: number[] = [];
  private readonly edges: Edge[][] = [];
  private readonly preferred = new Map<number, number>();
  private readonly masks: TokenMask[] = [];
  private readonly maskIds = new Map<TokenMask, number>();
  private readonly named = new Map<string, number>();

  /** @param size number of tokens of the vocabulary */
  constructor(private readonly size = vocabularySize) {}

  /** A new state. */
  state(kind: number = flag.none): number {
    this.flags.push(kind);
    this.edges.push([]);
    return this.flags.length - 1;
  }

  /** The state of this name; `build` adds its edges when it is made. A state may lead to itself. */
  once(name: string, kind: number, build: (state: number) => void): number {
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const state = this.state(kind);
    this.named.set(name, state);
    build(state);
    return state;
  }

  private add(
    from: number,
    on: number | TokenMask,
    operationCode: number,
    next: number,
    back = 0,
    limit = 1,
  ): void {
    const isToken = typeof on === 'number';
    const edge = {
      token: isToken ? on : -1,
      mask: isToken ? 0 : this.maskId(on),
      operation: operationCode,
      next,
      back,
      limit,
    };
    this.edges[from]?.push(edge);
  }

  private maskId(mask: TokenMask): number {
    const known = this.maskIds.get(mask);
    if (known !== undefined) return known;
    this.masks.push(mask);
    this.maskIds.set(mask, this.masks.length - 1);
    return this.masks.length - 1;
  }

  /** On a token, or one of a set: to `next`. */
  goto(from: number, on: number | TokenMask, next: number): void {
    this.add(from, on, operation.goto, next);
  }

  /** On a token: to `next`, until a returnable state goes on at `back`; at most `limit` tokens, this one counted. */
  call(from: number, token: number, next: number, back: number, limit: number): void {
    this.add(from, token, operation.call, next, back, limit);
  }

  /** On a token: to the state on top of the frame stack. */
  leave(from: number, token: number): void {
    this.add(from, token, operation.leave, 0);
  }

  /** Among equally short ways to close `state`, take this token. */
  prefer(state: number, token: number): void {
    this.preferred.set(state, token);
  }

  /**
   * The finished grammar; what it was built from, ten times as large, is let go: states are found by their numbers from then on. Throws RangeError if
   * some state has no way to its end: a defect of whoever built it.
   */
  finish(): GrammarData {
    const data = this.flattened();
    this.flags.length = 0;
    this.edges.length = 0;
    this.masks.length = 0;
    for (const map of [this.preferred, this.maskIds, this.named]) map.clear();
    return data;
  }

  private flattened(): GrammarData {
    const { distance, close } = this.closings();
    const count = this.edges.reduce((sum, list) => sum + list.length, 0);
    const data = this.allocate(count, distance, close);
    let at = 0;
    this.edges.forEach((list, state) => {
      data.edgeStart[state] = at;
      for (const edge of list) {
        data.edgeToken[at] = edge.token;
        data.edgeMask[at] = edge.mask;
        data.edgeNext[at] = edge.next;
        data.edgeOperation[at] = edge.operation;
        data.edgeReturn[at] = edge.back;
        data.edgeLimit[at] = edge.limit;
        at += 1;
      }
    });
    data.edgeStart[this.edges.length] = at;
    this.masks.forEach((mask, index) => {
      data.masks.set(mask.bits, index * wordsOf(this.size));
    });
    return data;
  }

  private allocate(edges: number, distance: Int32Array, close: Int32Array): GrammarData {
    return {
      vocabSize: this.size,
      edgeStart: new Int32Array(this.edges.length + 1),
      edgeToken: new Int32Array(edges),
      edgeMask: new Int32Array(edges),
      edgeNext: new Int32Array(edges),
      edgeOperation: new Uint8Array(edges),
      edgeReturn: new Int32Array(edges),
      edgeLimit: new Int32Array(edges),
      stateFlags: Uint8Array.from(this.flags),
      stateClose: close,
      stateDistance: distance,
      masks: new Uint32Array(this.masks.length * wordsOf(this.size)),
    };
  }

  /** Shortest ways to the end, by relaxing until nothing changes; a way through the frame stack counts only where there is no other. */
  private closings(): { distance: Int32Array; close: Int32Array } {
    const distance = Int32Array.from(this.flags, (kind) => (kind === flag.none ? far : 0));
    const close = new Int32Array(this.flags.length).fill(-1);
    this.relax(distance, close);
    this.edges.forEach((list, state) => {
      const leaving = list.find((edge) => edge.operation === operation.leave);
      if ((distance[state] ?? 0) >= far && leaving !== undefined) {
        distance[state] = 1;
        close[state] = leaving.token;
      }
    });
    this.relax(distance, close);
    const dead = distance.findIndex((length) => length >= far);
    if (dead >= 0) throw new RangeError(`state ${dead} of the grammar has no way to its end`);
    return { distance, close };
  }

  private relax(distance: Int32Array, close: Int32Array): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (let state = this.edges.length - 1; state >= 0; state -= 1) {
        if (this.flags[state] !== flag.none) continue;
        const preferred = this.preferred.get(state);
        for (const edge of this.edges[state] ?? []) {
          if (edge.operation === operation.leave) continue;
          const rest = edge.operation === operation.call ? (distance[edge.back] ?? far) : 0;
          const length = 1 + (distance[edge.next] ?? far) + rest;
          const now = distance[state] ?? far;
          if (length >= far || length > now || (length === now && edge.token !== preferred)) continue;
          const token = edge.token >= 0 ? edge.token : (this.masks[edge.mask]?.first ?? -1);
          if (length === now && close[state] === token) continue;
          distance[state] = length;
          close[state] = token;
          changed = true;
        }
      }
    }
  }
}
