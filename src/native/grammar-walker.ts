/**
 * Walks the automaton of `GrammarData` exactly as native code does (native/grammar/cursor.cc): which tokens are legal, what a token does to
 * state, return stack and frame stack, when only closing tokens are legal. A token is legal if an edge accepts it and the end can
 * still be reached with the tokens left after it.
 */
import type { GrammarData } from './addon-types.js';

const operation = { goto: 0, call: 1, leave: 2 } as const;
const flag = { returnable: 1, accept: 2 } as const;
/** Most calls in progress at once. */
const maximumDepth = 4;
const unreachable = Number.MAX_SAFE_INTEGER;

interface Call {
  readonly returnState: number;
  /** Tokens the sub-automaton may still take before only closing tokens are legal. */
  readonly left: number;
}

interface Position {
  readonly state: number;
  readonly calls: readonly Call[];
  /** Frames still on the frame stack. */
  readonly frames: number;
}

export class GrammarWalker {
  private now: Position;
  private readonly frames: readonly number[];

  /**
   * @param frames frame stack, bottom first; copied.
   * @param tokensLeft most tokens the generation may still take.
   */
  constructor(
    private readonly data: GrammarData,
    state: number,
    frames: Int32Array,
    private tokensLeft: number,
  ) {
    this.frames = Array.from(frames);
    this.now = { state, calls: [], frames: frames.length };
  }

  get currentState(): number {
    return this.now.state;
  }

  /** Frame stack, bottom first. */
  get frameStack(): Int32Array {
    return Int32Array.from(this.frames.slice(0, this.now.frames));
  }

  /** Depth of the return stack; 0 = outside every sub-automaton. */
  get callDepth(): number {
    return this.now.calls.length;
  }

  get accepted(): boolean {
    return this.has(this.now.state, flag.accept);
  }

  /** Tokens of the shortest way to acceptance. */
  get distance(): number {
    return this.distanceOf(this.now);
  }

  /** Legal tokens, ascending; empty once accepted. */
  legalTokens(): number[] {
    const legal = new Set<number>();
    this.visit((edge, _position, closing) => {
      if (closing >= 0) legal.add(closing);
      else for (const token of this.tokensOf(edge)) legal.add(token);
      return false;
    });
    return [...legal].sort((a, b) => a - b);
  }

  /** True if the token is legal now. */
  isLegal(token: number): boolean {
    return this.after(token) !== null;
  }

  /** Takes a token; returns false and changes nothing if it is not legal. */
  accept(token: number): boolean {
    const next = this.after(token);
    if (next === null) return false;
    this.now = next;
    this.tokensLeft -= 1;
    return true;
  }

  private after(token: number): Position | null {
    if (!Number.isInteger(token) || token < 0 || token >= this.data.vocabSize) return null;
    let found: Position | null = null;
    this.visit((edge, position, closing) => {
      const fits = closing >= 0 ? closing === token : this.accepts(edge, token);
      if (fits) found = this.follow(edge, position);
      return fits;
    });
    return found;
  }

  /** Calls `see` for each edge that may be taken now, until it returns true; `closing` is the only legal token of its state, or -1. */
  private visit(see: (edge: number, position: Position, closing: number) => boolean): void {
    if (this.accepted || this.tokensLeft <= 0) return;
    for (let position = this.now; ; position = this.returned(position)) {
      const { state } = position;
      const returns = this.has(state, flag.returnable);
      const mustClose = this.mustClose(position);
      if (mustClose && !returns) {
        see(this.closeEdge(state), position, this.data.stateClose[state] as number);
        return;
      }
      const end = this.data.edgeStart[state + 1] as number;
      for (let edge = this.data.edgeStart[state] as number; edge < end && !mustClose; edge += 1) {
        const after = this.follow(edge, position);
        if (after === null || this.distanceOf(after) > this.tokensLeft - 1) continue;
        if (see(edge, position, -1)) return;
      }
      if (!returns || position.calls.length === 0) return;
    }
  }

  private mustClose(position: Position): boolean {
    return position.calls.some((call) => call.left <= 0) || this.tokensLeft <= this.distanceOf(position);
  }

  private returned({ calls, frames }: Position): Position {
    return { state: (calls.at(-1) as Call).returnState, calls: calls.slice(0, -1), frames };
  }

  /** Where an edge leads; null if it cannot be taken from here. */
  private follow(edge: number, { calls, frames }: Position): Position | null {
    const { edgeOperation, edgeNext, edgeReturn, edgeLimit } = this.data;
    const shorter = (all: readonly Call[]): Call[] =>
      all.map(({ returnState, left }) => ({ returnState, left: left - 1 }));
    if (edgeOperation[edge] === operation.leave) {
      return frames === 0
        ? null
        : { state: this.frames[frames - 1] as number, calls: shorter(calls), frames: frames - 1 };
    }
    const state = edgeNext[edge] as number;
    if (edgeOperation[edge] === operation.goto) return { state, calls: shorter(calls), frames };
    if (calls.length === maximumDepth) return null;
    const call = { returnState: edgeReturn[edge] as number, left: edgeLimit[edge] as number };
    return { state, calls: shorter([...calls, call]), frames };
  }

  /** Tokens of the closing way, walked step by step. */
  private distanceOf(from: Position): number {
    let position = from;
    for (let steps = 0; ; steps += 1) {
      if (this.has(position.state, flag.accept)) return steps;
      while (this.has(position.state, flag.returnable)) {
        if (position.calls.length === 0) return unreachable;
        position = this.returned(position);
      }
      const next = this.follow(this.closeEdge(position.state), position);
      if (next === null) return unreachable;
      position = next;
    }
  }

  private closeEdge(state: number): number {
    const close = this.data.stateClose[state] as number;
    const end = this.data.edgeStart[state + 1] as number;
    for (let edge = this.data.edgeStart[state] as number; edge < end; edge += 1)
      if (this.accepts(edge, close)) return edge;
    throw new RangeError(`state ${state} has no edge for its closing token ${close}`);
  }

  private has(state: number, wanted: number): boolean {
    return ((this.data.stateFlags[state] as number) & wanted) !== 0;
  }

  private accepts(edge: number, token: number): boolean {
    const own = this.data.edgeToken[edge] as number;
    if (own !== -1) return own === token;
    return (((this.data.masks[this.maskWord(edge, token >>> 5)] as number) >>> (token & 31)) & 1) === 1;
  }

  private maskWord(edge: number, word: number): number {
    return (this.data.edgeMask[edge] as number) * Math.ceil(this.data.vocabSize / 32) + word;
  }

  private tokensOf(edge: number): number[] {
    const own = this.data.edgeToken[edge] as number;
    if (own !== -1) return [own];
    const tokens: number[] = [];
    for (let first = 0; first < this.data.vocabSize; first += 32) {
      const bits = this.data.masks[this.maskWord(edge, first >>> 5)] as number;
      for (let bit = 0; bit < 32; bit += 1) if ((bits >>> bit) & 1) tokens.push(first + bit);
    }
    return tokens;
  }
}
