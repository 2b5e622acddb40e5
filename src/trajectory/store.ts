/**
 * The transitions that were predicted, by state: what was asked of a state, and what the answers were. Bounded by bytes; the state that was
 * not asked for the longest time goes first, with everything asked of it. Values go in and come out unchanged and are never copied: states
 * are immutable.
 */
import type { Action } from '../debugger/action.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { isFittingEdge, isFittingState } from './fitting.js';
import {
  actionKey,
  type Edge,
  stateBytes,
  stateKey,
  type Transition,
  transitionBytes,
} from './transition.js';

/** A state of which something was asked. */
export interface StoredNode {
  readonly key: string;
  /** null: before the entry. */
  readonly state: DebuggerState | null;
  /** By `actionKey`. */
  readonly edges: ReadonlyMap<string, Edge>;
}

export interface TrajectoryStats {
  readonly states: number;
  readonly transitions: number;
  readonly bytes: number;
  readonly maxBytes: number;
  /** Questions looked up, and those of them that had an answer. */
  readonly lookups: number;
  readonly hits: number;
  readonly evictedStates: number;
  /** Transitions that were predicted before anybody asked, those of them that somebody asked for then, and how often. */
  readonly aheadTransitions: number;
  readonly aheadUsed: number;
  readonly aheadHits: number;
}

interface Node extends StoredNode {
  readonly world: string;
  readonly edges: Map<string, Edge>;
  bytes: number;
  /** Something of it came from outside and has not been held against the program yet. */
  isUnchecked: boolean;
}

/** A transition as somebody outside keeps it. */
export interface KeptTransition {
  readonly world: string;
  readonly before: DebuggerState | null;
  readonly action: Action;
  readonly transition: Transition;
}

/** Map entries, keys and headers of a node and of an edge. */
const nodeOverhead = 512;
const edgeOverhead = 256;
const none: ReadonlySet<string> = new Set();

export class StateStore {
  /** Least recently used first. */
  private readonly nodes = new Map<string, Node>();
  /** Key of a state -> nodes of which `inv_step_into` leads there. */
  private readonly successors = new Map<string, Set<string>>();
  private readonly listeners: ((kept: KeptTransition) => void)[] = [];
  private bytes = 0;
  private transitions = 0;
  private lookups = 0;
  private hits = 0;
  private evictedStates = 0;
  private aheadTransitions = 0;
  private aheadHits = 0;
  private aheadUsed = 0;
  /** Edges predicted ahead that nobody has asked for. */
  private readonly unused = new WeakSet<Edge>();

  /** @param maxBytes 0 switches the store off. */
  constructor(private readonly maxBytes: number) {}

  /**
   * The stored answer to a question. Counts as a use of the state.
   * @param program of the world: what came from outside and does not fit it is no answer, and is dropped
   */
  get(world: string, state: DebuggerState | null, action: Action, program?: Program): Transition | undefined {
    const found = this.node(world, stateKey(state), program)?.edges.get(actionKey(action));
    this.lookups += 1;
    if (found !== undefined) this.hits += 1;
    if (found?.isAhead) this.noteAheadHit(found);
    return found?.transition;
  }

  /** The stored answer to a question, for whoever only looks: no use of it. */
  peek(
    world: string,
    state: DebuggerState | null,
    action: Action,
    program?: Program,
  ): Transition | undefined {
    return this.checked(world + stateKey(state), program)?.edges.get(actionKey(action))?.transition;
  }

  /** Keeps an answer. One that is larger than the whole store is not kept. `isAhead`: nobody has asked for it yet. */
  put(
    world: string,
    before: DebuggerState | null,
    action: Action,
    transition: Transition,
    isAhead = false,
  ): void {
    if (!this.keep(world, before, action, transition, isAhead)) return;
    for (const listener of this.listeners) listener({ world, before, action, transition });
  }

  /** As `put`, for what comes from outside: listeners are not told, and whether it fits its program is seen when it is used. */
  restore({ world, before, action, transition }: KeptTransition): void {
    this.keep(world, before, action, transition, false);
    const node = this.nodes.get(world + stateKey(before));
    if (node !== undefined) node.isUnchecked = true;
  }

  /** Calls `listener` with everything that is put from now on. */
  onPut(listener: (kept: KeptTransition) => void): void {
    this.listeners.push(listener);
  }

  /** The node of a state, which counts as used. */
  node(world: string, key: string, program?: Program): StoredNode | undefined {
    const name = world + key;
    const node = this.checked(name, program);
    if (node === undefined) return undefined;
    this.nodes.delete(name);
    this.nodes.set(name, node);
    return node;
  }

  /** The states of which a stored `inv_step_into` leads to the state with this key. */
  successorsOf(world: string, key: string, program?: Program): StoredNode[] {
    const names = [...(this.successors.get(world + key) ?? none)];
    const nodes = names.map((name) => this.checked(name, program));
    return nodes.filter((node): node is Node => node?.edges.get('inv_step_into')?.to === key);
  }

  stats(): TrajectoryStats {
    return {
      states: this.nodes.size,
      transitions: this.transitions,
      bytes: this.bytes,
      maxBytes: this.maxBytes,
      lookups: this.lookups,
      hits: this.hits,
      evictedStates: this.evictedStates,
      aheadTransitions: this.aheadTransitions,
      aheadUsed: this.aheadUsed,
      aheadHits: this.aheadHits,
    };
  }

  private noteAheadHit(edge: Edge): void {
    this.aheadHits += 1;
    if (this.unused.delete(edge)) this.aheadUsed += 1;
  }

  private keep(
    world: string,
    before: DebuggerState | null,
    action: Action,
    transition: Transition,
    isAhead: boolean,
  ): boolean {
    const key = stateKey(before);
    const name = actionKey(action);
    const edgeBytes = bytesOfEdge(name, transition);
    const newBytes = nodeOverhead + (before === null ? 0 : stateBytes(before));
    if (newBytes + edgeBytes > this.maxBytes) return false;
    let node = this.nodes.get(world + key);
    if (node?.edges.has(name)) return false;
    if (node === undefined) {
      node = { key, world, state: before, edges: new Map(), bytes: newBytes, isUnchecked: false };
      this.bytes += newBytes;
    } else this.nodes.delete(world + key);
    this.nodes.set(world + key, node);
    const edge = { action, transition, to: stateKey(transition.state), isAhead };
    if (isAhead) {
      this.aheadTransitions += 1;
      this.unused.add(edge);
    }
    node.edges.set(name, edge);
    node.bytes += edgeBytes;
    this.bytes += edgeBytes;
    this.transitions += 1;
    if (name === 'inv_step_into') this.link(node, edge);
    this.evict();
    return this.nodes.has(world + key);
  }

  private link({ world, key }: Node, { to }: Edge): void {
    const known = this.successors.get(world + to) ?? new Set();
    this.successors.set(world + to, known.add(world + key));
  }

  private unlink({ world, key }: Node, { to }: Edge): void {
    const known = this.successors.get(world + to);
    known?.delete(world + key);
    if (known?.size === 0) this.successors.delete(world + to);
  }

  private evict(): void {
    for (const [name, node] of this.nodes) {
      if (this.bytes <= this.maxBytes) return;
      this.remove(name, node);
      this.evictedStates += 1;
    }
  }

  private remove(name: string, node: Node): void {
    this.nodes.delete(name);
    this.bytes -= node.bytes;
    this.transitions -= node.edges.size;
    const reverse = node.edges.get('inv_step_into');
    if (reverse !== undefined) this.unlink(node, reverse);
  }

  /** A node without what came from outside and does not fit the program. */
  private checked(name: string, program: Program | undefined): Node | undefined {
    const node = this.nodes.get(name);
    if (node === undefined || !node.isUnchecked || program === undefined) return node;
    node.isUnchecked = false;
    for (const edge of node.edges.values())
      if (!isFittingEdge(program, node.state, edge)) this.drop(node, edge);
    if (node.edges.size > 0 && isFittingState(program, node.state)) return node;
    this.remove(name, node);
    return undefined;
  }

  private drop(node: Node, edge: Edge): void {
    const name = actionKey(edge.action);
    const bytes = bytesOfEdge(name, edge.transition);
    node.edges.delete(name);
    node.bytes -= bytes;
    this.bytes -= bytes;
    this.transitions -= 1;
    if (name === 'inv_step_into') this.unlink(node, edge);
  }
}

const bytesOfEdge = (name: string, transition: Transition): number =>
  transitionBytes(transition) + edgeOverhead + 2 * name.length;
