/**
 * Walks the automaton of `GrammarData` exactly as native code does (native/grammar/cursor.cc): which tokens are legal, what a token does
 * to state, return stack and frame stack. A token is legal if an edge accepts it and acceptance can still be reached with the tokens left; once
 * no more are left than that takes, or a called sub-automaton has used up its limit, only the closing token is legal.
 */
import type { GrammarData } from './addon-types.js';

const operation = { call: 1, leave: 2 } as const;
const flag = { returnable: 1, accept: 2 } as const;

/** Most calls in progress at once; a call beyond that is not legal. */
const maxDepth = 4;

interface Position {
  readonly state: number;
  /** Return stack, innermost last, and the tokens left to each call. */
  readonly returns: readonly number[];
  readonly limits: readonly number[];
  /** Frames left on the frame stack. */
  readonly frames: number;
}

/** Called with an edge that may be taken, and from where; returns true to end the search. */
type EdgeVisit = (edge: number, position: Position, closes: boolean) => boolean;

export class GrammarWalker {
  private now: Position;
  private readonly frames: Int32Array;

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
    this.frames = frames.slice();
    this.now = { state, returns: [], limits: [], frames: frames.length };
  }

  get currentState(): number {
    return this.now.state;
  }

  /** Frame stack, bottom first. */
  get frameStack(): Int32Array {
    return this.frames.slice(0, this.now.frames);
  }

  /** Depth of the return stack; 0 = outside every sub-automaton. */
  get callDepth(): number {
    return this.now.returns.length;
  }

  get accepted(): boolean {
    return this.hasFlag(this.now.state, flag.accept);
  }

  /** Tokens of the shortest way to acceptance; Infinity if there is none. */
  get distance(): number {
    return this.distanceFrom(this.now);
  }

  /** Legal tokens, ascending; empty once accepted. */
  legalTokens(): number[] {
    const legal = new Set<number>();
    this.visitEdges((edge, position, closes) => {
      if (closes) legal.add(this.data.stateClose[position.state] as number);
      else this.addTokens(edge, legal);
      return false;
    });
    return [...legal].sort((a, b) => a - b);
  }

  isLegal(token: number): boolean {
    return this.after(token) !== null;
  }

  /** Takes a token; returns false and changes nothing if it is not legal. */
  accept(token: number): boolean {
    const after = this.after(token);
    if (after === null) return false;
    this.now = after;
    this.tokensLeft -= 1;
    return true;
  }

  /** The position behind a legal token, else null. */
  private after(token: number): Position | null {
    let after: Position | null = null;
    this.visitEdges((edge, position, closes) => {
      const fits = closes ? this.data.stateClose[position.state] === token : this.accepts(edge, token);
      if (fits) after = this.follow(edge, position);
      return after !== null;
    });
    return after;
  }

  /** Visits the edges that may be taken now, those of return states behind those of the states that may return to them. */
  private visitEdges(visit: EdgeVisit): void {
    if (this.accepted || this.tokensLeft <= 0) return;
    for (let position = this.now; ; position = pop(position)) {
      const mustClose = this.mustClose(position);
      const returns = this.hasFlag(position.state, flag.returnable);
      if (mustClose && !returns) {
        visit(this.closingEdge(position.state), position, true);
        return;
      }
      if (!mustClose && this.visitOpenEdges(position, visit)) return;
      if (!returns || position.returns.length === 0) return;
    }
  }

  private visitOpenEdges(position: Position, visit: EdgeVisit): boolean {
    const end = this.data.edgeStart[position.state + 1] as number;
    for (let edge = this.data.edgeStart[position.state] as number; edge < end; edge += 1) {
      const after = this.follow(edge, position);
      if (after === null || this.distanceFrom(after) > this.tokensLeft - 1) continue;
      if (visit(edge, position, false)) return true;
    }
    return false;
  }

  private mustClose(position: Position): boolean {
    return position.limits.some((left) => left <= 0) || this.tokensLeft <= this.distanceFrom(position);
  }

  /** Walks the closing way; distances of single states do not add up where it leaves through the frame stack. */
  private distanceFrom(start: Position): number {
    let position = start;
    for (let steps = 0; ; steps += 1) {
      if (this.hasFlag(position.state, flag.accept)) return steps;
      while (this.hasFlag(position.state, flag.returnable)) {
        if (position.returns.length === 0) return Number.POSITIVE_INFINITY;
        position = pop(position);
      }
      const next = this.follow(this.closingEdge(position.state), position);
      if (next === null) return Number.POSITIVE_INFINITY;
      position = next;
    }
  }

  /** The first edge that accepts the state's closing token; -1 if there is none. */
  private closingEdge(state: number): number {
    const token = this.data.stateClose[state] as number;
    const end = this.data.edgeStart[state + 1] as number;
    for (let edge = this.data.edgeStart[state] as number; edge < end; edge += 1) {
      if (this.accepts(edge, token)) return edge;
    }
    return -1;
  }

  private follow(edge: number, position: Position): Position | null {
    const { edgeOperation, edgeNext, edgeReturn, edgeLimit } = this.data;
    if (edge < 0) return null;
    let { returns, limits, frames } = position;
    let state = edgeNext[edge] as number;
    if (edgeOperation[edge] === operation.call) {
      if (returns.length === maxDepth) return null;
      returns = [...returns, edgeReturn[edge] as number];
      limits = [...limits, edgeLimit[edge] as number];
    } else if (edgeOperation[edge] === operation.leave) {
      if (frames === 0) return null;
      frames -= 1;
      state = this.frames[frames] as number;
    }
    if (limits.length > 0) limits = limits.map((left) => left - 1);
    return { state, returns, limits, frames };
  }

  private accepts(edge: number, token: number): boolean {
    const wanted = this.data.edgeToken[edge] as number;
    if (wanted !== -1) return wanted === token;
    const words = Math.ceil(this.data.vocabSize / 32);
    const word = this.data.masks[(this.data.edgeMask[edge] as number) * words + (token >>> 5)] as number;
    return ((word >>> (token & 31)) & 1) === 1;
  }

  private addTokens(edge: number, legal: Set<number>): void {
    const token = this.data.edgeToken[edge] as number;
    if (token !== -1) {
      legal.add(token);
      return;
    }
    for (let candidate = 0; candidate < this.data.vocabSize; candidate += 1) {
      if (this.accepts(edge, candidate)) legal.add(candidate);
    }
  }

  private hasFlag(state: number, wanted: number): boolean {
    return ((this.data.stateFlags[state] as number) & wanted) !== 0;
  }
}

function pop(position: Position): Position {
  return {
    state: position.returns.at(-1) as number,
    returns: position.returns.slice(0, -1),
    limits: position.limits.slice(0, -1),
    frames: position.frames,
  };
}
