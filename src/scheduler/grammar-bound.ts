/**
 * The most tokens an answer can have under its grammar: what admission reserves. Bounds the automaton of `GrammarData` from above by its longest way to
 * acceptance; infinite where it can go in circles outside a sub-automaton.
 */
import type { GrammarData } from '../native/addon-types.js';
import type { Constraint } from './request.js';

const callOperation = 1;
const leaveOperation = 2;
const acceptFlag = 2;
/** Most sub-automata in progress at once (native/grammar/cursor.cc). */
const mostDepth = 4;
const impossible = Number.NEGATIVE_INFINITY;

/** Longest ways from a state: to acceptance in the frame it is in, and to leaving that frame (the leaving token counted). */
interface Longest {
  readonly accept: number;
  readonly leave: number;
}

/** Longest ways from the states of one grammar, found when they are first asked for. */
class LongestWays {
  private readonly known = new Map<number, Longest>();
  private readonly open = new Set<number>();
  /** Tokens a sub-automaton takes at most after its limit, to come to its end. */
  private readonly closing: number;

  constructor(private readonly data: GrammarData) {
    let longest = 0;
    for (const distance of data.stateDistance) longest = Math.max(longest, distance);
    this.closing = mostDepth * longest;
  }

  from(state: number): Longest {
    const known = this.known.get(state);
    if (known !== undefined) return known;
    // A state met again on the way to itself: a circle.
    if (this.open.has(state)) return { accept: Number.POSITIVE_INFINITY, leave: Number.POSITIVE_INFINITY };
    this.open.add(state);
    const found = this.search(state);
    this.open.delete(state);
    this.known.set(state, found);
    return found;
  }

  private search(state: number): Longest {
    const { edgeStart, edgeOperation, edgeNext, edgeReturn, edgeLimit, stateFlags } = this.data;
    if (((stateFlags[state] as number) & acceptFlag) !== 0) return { accept: 0, leave: impossible };
    let accept = impossible;
    let leave = impossible;
    const end = edgeStart[state + 1] as number;
    for (let edge = edgeStart[state] as number; edge < end; edge += 1) {
      if (edgeOperation[edge] === leaveOperation) {
        leave = Math.max(leave, 1);
        continue;
      }
      const isCall = edgeOperation[edge] === callOperation;
      const next = this.from((isCall ? edgeReturn[edge] : edgeNext[edge]) as number);
      const tokens = isCall ? Math.max(1, edgeLimit[edge] as number) + this.closing : 1;
      accept = Math.max(accept, tokens + next.accept);
      leave = Math.max(leave, tokens + next.leave);
    }
    return { accept, leave };
  }
}

const ways = new WeakMap<GrammarData, LongestWays>();

/** Most tokens of an answer from the constraint's start on; Infinity if its grammar sets no bound. */
export function longestAnswer({ data, state, frames }: Constraint): number {
  let longest = ways.get(data);
  if (longest === undefined) {
    longest = new LongestWays(data);
    ways.set(data, longest);
  }
  let most = impossible;
  let way = 0;
  let at = state;
  for (let left = frames.length; ; left -= 1) {
    const from = longest.from(at);
    if (from.accept !== impossible) most = Math.max(most, way + from.accept);
    if (left === 0 || from.leave === impossible) break;
    way += from.leave;
    at = frames[left - 1] as number;
  }
  // Nothing can be accepted: the engine will say so, and no room is too little for that.
  return most === impossible ? 1 : most;
}
