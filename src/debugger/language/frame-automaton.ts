/** The parts of a grammar that read a frame: its line, loop counters, changes and gots (docs/trace-language.md, section 6). */
import { answeredLines, loopsOf, type Program, type Scope } from '../program.js';
import type { EventKind } from '../state.js';
import { type Automaton, flag, TokenMask } from './automaton.js';
import { gotLimit } from './encode.js';
import { charToken, charTokens, eventToken, lineToken, special } from './tokens.js';
import type { ValueStates } from './value-automaton.js';

/** The scopes a frame may belong to, by index, ascending; more than one where its lines are ambiguous. */
export type ScopeSet = readonly number[];

/**
 * A frame of which nothing is known yet starts empty: none of its names can be deleted. `called`: it is at the beginning of a call, where it has its
 * parameters and what it takes from the functions around it.
 */
export type Freshness = 'known' | 'entered' | 'called';

/** What is known of a frame that is read next. */
interface Reading {
  readonly freshness: Freshness;
  /** It may have received values of calls since its last `line` event: at such an event itself it has not. */
  readonly hasGots: boolean;
}

const named = ({ freshness, hasGots }: Reading): string => `${freshness}${hasGots ? ' gots' : ''}`;

/** Limit of sub-automata that end by themselves. */
const unlimited = 1 << 20;
const otherDigits = new TokenMask(charTokens('0123456789'));
const firstDigits = new TokenMask(charTokens('123456789'));
const counterDigits = 4;

/** A line, and the scopes that can have some event there. */
interface Host {
  readonly line: number;
  /** In the order of all lines of the event. */
  readonly place: number;
  readonly scopes: number[];
}

export class FrameAutomaton {
  private readonly ordinals: ReadonlyMap<number, number>;
  private readonly counter: number;
  private readonly hostsOf = new Map<string, ReadonlyMap<number, Host>>();
  /** `<|end|>` is next. */
  readonly closing: number;
  /** The value of a return or an exception is next. */
  private readonly result: number;

  constructor(
    readonly program: Program,
    private readonly automaton: Automaton,
    private readonly values: ValueStates,
    private readonly valueTokens: number,
  ) {
    this.ordinals = new Map(program.codeLines.map((line, index) => [line, index + 1]));
    const accept = automaton.state(flag.accept);
    this.closing = automaton.state();
    automaton.goto(this.closing, special.end, accept);
    this.result = automaton.state();
    this.readValue(this.result, special.value, this.closing);
    this.counter = this.counterStates();
  }

  /** A state that reads the answer to an expression: a value or an exception, and the end. */
  answer(): number {
    return this.automaton.once('answer', flag.none, (state) => {
      this.automaton.call(state, special.value, this.values.answer, this.closing, this.valueTokens + 1);
      this.readValue(state, eventToken('exception'), this.closing);
    });
  }

  /** Lets go what only adding states needs. */
  finish(): void {
    this.hostsOf.clear();
  }

  private readValue(from: number, marker: number, back: number): void {
    this.automaton.call(from, marker, this.values.value, back, this.valueTokens + 1);
  }

  /** A decimal number of up to four digits without leading zeros. */
  private counterStates(): number {
    const { automaton } = this;
    let more = automaton.state(flag.returnable);
    const zero = more;
    for (let digit = 1; digit < counterDigits; digit += 1) {
      const earlier = automaton.state(flag.returnable);
      automaton.goto(earlier, otherDigits, more);
      more = earlier;
    }
    const first = automaton.state();
    automaton.goto(first, charToken('0'), zero);
    automaton.goto(first, firstDigits, more);
    automaton.prefer(first, charToken('0'));
    return first;
  }

  private scope(index: number): Scope {
    return this.program.scopes[index] as Scope;
  }

  /** The lines of `only` on which one of `scopes` can have this event, with those scopes; of all lines without `only`. */
  private hosts(scopes: ScopeSet, event: EventKind | 'paused', only?: ReadonlySet<number>): readonly Host[] {
    const all = this.allHosts(scopes, event);
    if (only === undefined) return [...all.values()];
    const found = Array.from(only, (line) => all.get(line)).filter((host) => host !== undefined);
    return found.sort((a, b) => a.place - b.place);
  }

  private allHosts(scopes: ScopeSet, event: EventKind | 'paused'): ReadonlyMap<number, Host> {
    const name = `${event} ${scopes.join()}`;
    const known = this.hostsOf.get(name);
    if (known !== undefined) return known;
    const found = new Map<number, Host>();
    for (const index of scopes) {
      for (const line of new Set(answeredLines(this.scope(index), event))) {
        const host = found.get(line);
        if (host === undefined) found.set(line, { line, place: found.size, scopes: [index] });
        else host.scopes.push(index);
      }
    }
    this.hostsOf.set(name, found);
    return found;
  }

  /**
   * Adds the event as the last part of the delta: its line, its changes, its value, the end. Adds nothing if there is no such line.
   * `only`: the lines it may be on.
   */
  event(
    from: number,
    event: EventKind,
    scopes: ScopeSet,
    freshness: Freshness,
    only?: ReadonlySet<number>,
  ): void {
    const hosts = this.hosts(scopes, event, only);
    if (hosts.length === 0) return;
    const lines = only === undefined ? '*' : [...only].join();
    const name = `event ${event} ${scopes.join()} ${freshness} ${lines}`;
    const begins = event === 'call' && freshness === 'entered' && !this.program.hidesArguments;
    const reading: Reading = { freshness: begins ? 'called' : freshness, hasGots: event !== 'line' };
    const next = this.automaton.once(name, flag.none, (state) => {
      const back = event === 'return' || event === 'exception' ? this.result : this.closing;
      for (const { line, scopes: hosting } of hosts) {
        this.automaton.call(
          state,
          this.lineToken(line),
          this.position(line, hosting, reading),
          back,
          unlimited,
        );
      }
    });
    this.automaton.goto(from, eventToken(event), next);
  }

  /** Adds a frame that stays below the current one, after which the delta goes on at `back`. `only`: the lines it may wait on. */
  push(from: number, scopes: ScopeSet, freshness: Freshness, back: number, only?: ReadonlySet<number>): void {
    const hosts = this.hosts(scopes, 'paused', only);
    if (hosts.length === 0) return;
    const lines = only === undefined ? '*' : [...only].join();
    const reading: Reading = { freshness, hasGots: true };
    const next = this.automaton.once(`push ${scopes.join()} ${freshness} ${lines}`, flag.none, (state) => {
      for (const { line, scopes: hosting } of hosts) {
        this.automaton.goto(state, this.lineToken(line), this.position(line, hosting, reading));
      }
    });
    this.automaton.call(from, special.push, next, back, unlimited);
  }

  private lineToken(line: number): number {
    return lineToken(this.ordinals.get(line) ?? 1);
  }

  /** What follows a line token. */
  private position(line: number, hosting: ScopeSet, reading: Reading): number {
    return this.counters(
      hosting.map((index) => [index, loopsOf(this.scope(index), line).length] as const),
      reading,
    );
  }

  /** `pending`: scope and number of loop counters still to come. */
  private counters(pending: readonly (readonly [scope: number, left: number])[], reading: Reading): number {
    const waiting = pending.filter(([, left]) => left > 0);
    const ready = pending.filter(([, left]) => left === 0).map(([scope]) => scope);
    if (waiting.length === 0) return this.changes(ready, 0, reading);
    const name = `its ${pending.map(([scope, left]) => `${scope}:${left}`).join()} ${named(reading)}`;
    return this.automaton.once(name, this.ending(ready, 0, reading.freshness), (state) => {
      const back = this.counters(
        waiting.map(([scope, left]) => [scope, left - 1]),
        reading,
      );
      this.automaton.call(state, special.it, this.counter, back, unlimited);
      if (ready.length > 0) this.addChanges(state, ready, 0, reading);
    });
  }

  /**
   * The changes of names from slot token `first` on, then the gots; may end anywhere but before a parameter of a call that begins. Each name leaves
   * only the scopes that have it, so that in the end one scope has them all.
   */
  private changes(scopes: ScopeSet, first: number, reading: Reading): number {
    const name = `changes ${scopes.join()} ${first} ${named(reading)}`;
    return this.automaton.once(name, this.ending(scopes, first, reading.freshness), (state) => {
      this.addChanges(state, scopes, first, reading);
    });
  }

  private addChanges(state: number, scopes: ScopeSet, first: number, reading: Reading): void {
    const start = reading.freshness === 'known' ? this.values.change : this.values.value;
    for (const [slot, having] of this.slotsOf(scopes, first, reading.freshness)) {
      const back = this.changes(having, slot + 1, reading);
      this.automaton.call(state, slot, start, back, this.valueTokens + 1);
    }
    const mayEnd = this.ending(scopes, first, reading.freshness) === flag.returnable;
    if (mayEnd && reading.hasGots) this.addGots(state, gotLimit);
  }

  /** The kind of a state behind which a frame of one of the scopes may end: no parameter from slot token `first` on is missing. */
  private ending(scopes: ScopeSet, first: number, freshness: Freshness): number {
    const isComplete = (index: number): boolean => this.nextParameter(index, first, freshness) === undefined;
    return scopes.some(isComplete) ? flag.returnable : flag.none;
  }

  /** The first slot token from `first` on that a frame at the beginning of a call must have. (A generator that goes on may have deleted it.) */
  private nextParameter(index: number, first: number, freshness: Freshness): number | undefined {
    const { isGenerator, namesAtCall, parameters } = this.scope(index);
    if (freshness !== 'called' || isGenerator) return undefined;
    const slots = namesAtCall.filter((name) => parameters.has(name)).map((name) => this.slot(name));
    return slots.find((slot) => slot >= first);
  }

  private slot(name: string): number {
    return this.program.slots.get(name) ?? -1;
  }

  private addGots(state: number, left: number): void {
    if (left === 0) return;
    const back = this.automaton.once(`gots ${left - 1}`, flag.returnable, (next) =>
      this.addGots(next, left - 1),
    );
    this.readValue(state, special.got, back);
  }

  /** Slot token -> scopes that can have the name next, by slot. */
  private slotsOf(scopes: ScopeSet, first: number, freshness: Freshness): [slot: number, having: number[]][] {
    const found = new Map<number, number[]>();
    for (const index of scopes) {
      const { isGenerator, names, namesAtCall } = this.scope(index);
      const required = this.nextParameter(index, first, freshness) ?? Number.POSITIVE_INFINITY;
      for (const name of freshness === 'called' && !isGenerator ? namesAtCall : names) {
        const slot = this.slot(name);
        if (slot < first || slot > required) continue;
        const having = found.get(slot);
        if (having === undefined) found.set(slot, [index]);
        else having.push(index);
      }
    }
    return [...found].sort(([a], [b]) => a - b);
  }
}
