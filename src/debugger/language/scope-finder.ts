/** Finds the scopes a frame may belong to: a line can be shared by a function and lambdas in it, and a state names no scope. */
import { linesOfEvent, loopsOf, type ProgramText, type Scope } from '../program.js';
import { type DebuggerState, depth, type Frame } from '../state.js';
import type { ScopeSet } from './frame-automaton.js';

/** Most scopes on one line of which all combinations are told apart. */
const mostSubsets = 4;

/** The non-empty subsets of the scopes on one line; of very many only the whole. */
function subsets(hosts: ScopeSet): ScopeSet[] {
  if (hosts.length > mostSubsets) return [hosts];
  const count = 2 ** hosts.length;
  return Array.from({ length: count - 1 }, (_, bits) => hosts.filter((_, at) => ((bits + 1) >> at) & 1));
}

const hasParameters = (scope: Scope | undefined, { locals }: Frame): boolean =>
  scope !== undefined && [...scope.parameters].every((name) => locals.has(name));

/** Which scopes a program's frames may belong to, as far as line and names tell. */
export class ScopeFinder {
  readonly all: ScopeSet;
  private readonly byLine = new Map<number, ScopeSet>();

  constructor(private readonly program: Pick<ProgramText, 'scopes' | 'codeLines'>) {
    this.all = program.scopes.map((scope) => scope.index);
    for (const line of program.codeLines) {
      const hosts = program.scopes.filter(
        (scope) => scope.lines.includes(line) || scope.callLines.includes(line),
      );
      if (hosts.length > 0)
        this.byLine.set(
          line,
          hosts.map((scope) => scope.index),
        );
    }
  }

  /** Every answer `of` can give. */
  sets(): ScopeSet[] {
    const sets = new Map<string, ScopeSet>([[this.all.join(), this.all]]);
    for (const index of this.all) sets.set(String(index), [index]);
    for (const hosts of this.byLine.values()) for (const set of subsets(hosts)) sets.set(set.join(), set);
    return [...sets.values()];
  }

  /** Those of several generator expressions that the frame below, which waits for one, has made. */
  private calledFrom(indices: readonly number[], state: DebuggerState, below: number): readonly number[] {
    const scopes = indices.map((index) => this.program.scopes[index]);
    if (indices.length < 2 || !scopes.every((scope) => scope?.name === '<genexpr>')) return [];
    const callers = this.of(state, below);
    return indices.filter((index) => callers.includes(this.program.scopes[index]?.parent ?? -1));
  }

  /** The scopes of frame `level` of the stack, counted from the outermost, hidden ones included. */
  of(state: DebuggerState, level: number): ScopeSet {
    const frame = state.frames[level - state.hiddenFrames];
    const hosts = frame === undefined ? undefined : this.byLine.get(frame.line);
    if (frame === undefined || hosts === undefined) return this.all;
    const event = level === depth(state) - 1 ? state.event : 'paused';
    const possible = hosts.filter((index) => {
      const scope = this.program.scopes[index];
      if (scope === undefined || !linesOfEvent(scope, event).includes(frame.line)) return false;
      return (
        loopsOf(scope, frame.line).length === frame.its.length &&
        [...frame.locals.keys()].every((name) => scope.names.includes(name))
      );
    });
    if (possible.length === 0) return hosts;
    const bound = possible.filter((index) => hasParameters(this.program.scopes[index], frame));
    const called = level > 0 ? this.calledFrom(bound, state, level - 1) : bound;
    if (called.length === 1) return called;
    const [only, ...others] = bound;
    // Lambdas and generator expressions have a frame below that calls them; a given state may lack a parameter.
    const isBelow = level === 0 && this.program.scopes[only ?? -1]?.name.startsWith('<');
    const fitting = only !== undefined && others.length === 0 && !isBelow ? [only] : possible;
    // A name shared by very many scopes of one line: the innermost.
    return hosts.length > mostSubsets && fitting.length < hosts.length ? fitting.slice(-1) : fitting;
  }
}
