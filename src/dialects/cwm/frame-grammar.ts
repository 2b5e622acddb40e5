/**
 * The automaton of one frame of Code World Model's format: which event, which locals in JSON, which line, which value. Tokens of BPE cut texts where
 * they like, so states are places in the text, and a token is legal where the text it writes can be gone on with (as Willard and Louf, arXiv
 * 2307.09702, and XGrammar, arXiv 2411.15100, do).
 */
import { Automaton, flag, type GrammarData, TokenMask } from '../../debugger/language/automaton.js';
import type { EventKind } from '../../debugger/state.js';
import { closed, jsonText, nextPhase, plain, refused } from './json-string.js';
import { listUnder, type TextNode, type Vocabulary } from './vocabulary.js';

/** A name that the locals of a frame may have. */
export interface FormName {
  readonly name: string;
  /** It cannot be missing. */
  readonly isBound?: boolean;
  /** Texts that its value may have; absent: any. */
  readonly values?: readonly string[];
}

/** One way a frame may be. */
export interface FrameForm {
  readonly event: EventKind;
  /** In this order. */
  readonly names: readonly FormName[];
  /** Texts of the lines it may name. */
  readonly lines: readonly string[];
}

/** Forms that fit what was written so far, each with the first of its names that may come next. */
type Threads = readonly (readonly [form: number, next: number])[];

/** A place inside a string. */
type Inside =
  | { readonly kind: 'value'; readonly threads: Threads; readonly phase: number }
  | { readonly kind: 'argument value'; readonly phase: number };

/** A place in the text between two delimiting tokens. */
type Place =
  | Inside
  | {
      readonly kind: 'open' | 'first' | 'colon' | 'space' | 'quote' | 'after' | 'gap' | 'next' | 'end';
      readonly threads: Threads;
    }
  | { readonly kind: 'name' | 'told'; readonly threads: Threads; readonly prefix: string }
  | { readonly kind: 'argument' | 'done' };

/** Most tokens of a set that are told one by one: a mask takes a bit for every token of the vocabulary. */
const fewTokens = 16;

/** Events that show locals, and those that have a value. */
const showsLocals = (event: EventKind): boolean => event === 'call' || event === 'line';

export function frameGrammar(
  vocabulary: Vocabulary,
  forms: readonly FrameForm[],
): { data: GrammarData; start: number } {
  const grammar = new FrameGrammar(vocabulary, forms);
  return { data: grammar.data, start: grammar.start };
}

class FrameGrammar {
  readonly data: GrammarData;
  readonly start: number;
  private readonly automaton: Automaton;
  private readonly places = new Map<string, number>();
  private readonly pending: [state: number, place: Place][] = [];
  /** As JSON has them. */
  private readonly names: readonly (readonly FormName[])[];
  private readonly accept: number;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly forms: readonly FrameForm[],
  ) {
    this.automaton = new Automaton(vocabulary.size);
    this.names = forms.map(({ names }) =>
      names.map(({ name, values, ...more }) => ({
        ...more,
        name: jsonText(name),
        ...(values ? { values: values.map(jsonText) } : {}),
      })),
    );
    this.accept = this.automaton.state(flag.accept);
    this.start = this.automaton.state();
    for (const event of new Set(forms.map((form) => form.event))) this.addEvent(event);
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) this.addTexts(...next);
    this.data = this.automaton.finish();
  }

  private addEvent(event: EventKind): void {
    const { special } = this.vocabulary;
    const threads = this.forms.flatMap((form, index) => (form.event === event ? [[index, 0] as const] : []));
    const first = showsLocals(event) ? this.stateOf({ kind: 'open', threads }) : this.beforeLine(threads);
    this.automaton.goto(this.start, special[event], first);
  }

  /** The state of a place; what may be written there is added later. */
  private stateOf(place: Place): number {
    const key = JSON.stringify(place);
    let state = this.places.get(key);
    if (state === undefined) {
      state = this.automaton.state();
      this.places.set(key, state);
      this.pending.push([state, place]);
    }
    return state;
  }

  private addTexts(state: number, place: Place): void {
    const { special } = this.vocabulary;
    if (place.kind === 'end') this.automaton.goto(state, special.action, this.lines(place.threads));
    else if (place.kind === 'done') this.automaton.goto(state, special.frame, this.accept);
    else if (place.kind === 'value' || place.kind === 'argument value') this.addInside(state, place);
    else this.addTokens(state, this.tokensFrom(place));
  }

  /** Tokens inside a string: those that stay in it do so in every string, those that end it are followed from there. */
  private addInside(state: number, place: Inside): void {
    const { staying, closing } = this.vocabulary.inside;
    for (const [phase, mask] of staying[place.phase] ?? [])
      this.automaton.goto(state, mask, this.stateOf({ ...place, phase }));
    const behind: Place =
      place.kind === 'value' ? { kind: 'after', threads: place.threads } : { kind: 'done' };
    const found = new Map<string, number[]>();
    for (const { token, behind: text } of closing[place.phase] ?? []) {
      const end = [...text].reduce<Place | undefined>(
        (at, character) => at && this.follow(at, character),
        behind,
      );
      if (end !== undefined) listUnder(found, JSON.stringify(end)).push(token);
    }
    this.addTokens(state, found);
  }

  /** Tokens by the place that they lead to. */
  private tokensFrom(place: Place): Map<string, number[]> {
    const found = new Map<string, number[]>();
    const walk = (node: TextNode, at: Place): void => {
      if (node.tokens.length > 0) listUnder(found, JSON.stringify(at)).push(...node.tokens);
      for (const [character, next] of node.next) {
        const there = this.follow(at, character);
        if (there !== undefined) walk(next, there);
      }
    };
    for (const [character, next] of this.vocabulary.root.next) {
      const there = this.follow(place, character);
      if (there !== undefined) walk(next, there);
    }
    return found;
  }

  private addTokens(state: number, found: ReadonlyMap<string, readonly number[]>): void {
    for (const [key, tokens] of found) {
      const next = this.stateOf(JSON.parse(key) as Place);
      if (tokens.length > fewTokens)
        this.automaton.goto(state, new TokenMask(tokens, this.vocabulary.size), next);
      else for (const token of tokens) this.automaton.goto(state, token, next);
    }
  }

  /** The place behind a character; undefined where it may not stand. */
  private follow(place: Place, character: string): Place | undefined {
    switch (place.kind) {
      case 'open':
        return character === '{' ? { ...place, kind: 'first' } : undefined;
      case 'first':
        if (character === '}') return this.end(place.threads);
        return character === '"' ? this.name(place.threads, '') : undefined;
      case 'name':
        return character === '"'
          ? this.named(place.threads, place.prefix)
          : this.name(place.threads, place.prefix + character);
      case 'colon':
        return character === ':' ? { ...place, kind: 'space' } : undefined;
      case 'space':
        return character === ' ' ? { ...place, kind: 'quote' } : undefined;
      case 'quote':
        return character === '"' ? this.value(place.threads) : undefined;
      case 'told':
        // A quote of the value itself stands behind a backslash.
        return (
          this.telling(place.threads, place.prefix + character) ??
          (character === '"' ? this.told(place.threads, place.prefix) : undefined)
        );
      case 'after':
        if (character === '}') return this.end(place.threads);
        return character === ',' && this.name(place.threads, '') ? { ...place, kind: 'gap' } : undefined;
      case 'gap':
        return character === ' ' ? { ...place, kind: 'next' } : undefined;
      case 'next':
        return character === '"' ? this.name(place.threads, '') : undefined;
      case 'argument':
        return character === '"' ? { kind: 'argument value', phase: plain } : undefined;
      case 'value':
      case 'argument value': {
        const phase = nextPhase(place.phase, character);
        if (phase === refused) return undefined;
        if (phase !== closed) return { ...place, phase };
        return place.kind === 'value' ? { kind: 'after', threads: place.threads } : { kind: 'done' };
      }
      default:
        return undefined;
    }
  }

  /** Within a name, if some form has one that begins so and may come next. */
  private name(threads: Threads, prefix: string): Place | undefined {
    const fitting = threads.filter((thread) =>
      this.nextOf(thread).some(({ name }) => name.startsWith(prefix)),
    );
    return fitting.length === 0 ? undefined : { kind: 'name', threads: fitting, prefix };
  }

  /** Names that may come next: none is passed over that cannot be missing. */
  private nextOf([form, next]: Threads[0]): readonly FormName[] {
    const left = this.names[form]?.slice(next) ?? [];
    const bound = left.findIndex(({ isBound }) => isBound);
    return bound < 0 ? left : left.slice(0, bound + 1);
  }

  /** Behind a name. */
  private named(threads: Threads, whole: string): Place | undefined {
    const fitting = threads.flatMap((thread) => {
      const at = this.nextOf(thread).findIndex(({ name }) => name === whole);
      return at < 0 ? [] : [[thread[0], thread[1] + at + 1] as const];
    });
    return fitting.length === 0 ? undefined : { kind: 'colon', threads: fitting };
  }

  /** Behind all locals, if none is left that cannot be missing. */
  private end(threads: Threads): Place | undefined {
    const whole = threads.filter((thread) => !this.nextOf(thread).some(({ isBound }) => isBound));
    return whole.length === 0 ? undefined : { kind: 'end', threads: whole };
  }

  /** Where the value of the last name begins: any, unless all forms say what it is. */
  private value(threads: Threads): Place {
    const isTold = threads.every((thread) => this.valuesOf(thread) !== undefined);
    return isTold ? { kind: 'told', threads, prefix: '' } : { kind: 'value', threads, phase: plain };
  }

  private valuesOf([form, next]: Threads[0]): readonly string[] | undefined {
    return this.names[form]?.[next - 1]?.values;
  }

  /** Within a value that is told. */
  private telling(threads: Threads, prefix: string): Place | undefined {
    const fitting = threads.filter((thread) =>
      this.valuesOf(thread)?.some((value) => value.startsWith(prefix)),
    );
    return fitting.length === 0 ? undefined : { kind: 'told', threads: fitting, prefix };
  }

  /** Behind such a value. */
  private told(threads: Threads, whole: string): Place | undefined {
    const fitting = threads.filter((thread) => this.valuesOf(thread)?.includes(whole));
    return fitting.length === 0 ? undefined : { kind: 'after', threads: fitting };
  }

  private beforeLine(threads: Threads): number {
    return this.automaton.once(`line ${JSON.stringify(threads)}`, flag.none, (state) =>
      this.automaton.goto(state, this.vocabulary.special.action, this.lines(threads)),
    );
  }

  /** The lines that some forms may name, each in the tokens that the model was trained to read it in. */
  private lines(threads: Threads): number {
    const forms = threads.map(([form]) => this.forms[form] as FrameForm);
    const texts = [...new Set(forms.flatMap(({ lines }) => lines))];
    const { special } = this.vocabulary;
    const isShown = forms.some(({ event }) => showsLocals(event));
    const [ending, behind] = isShown
      ? [special.frame, this.accept]
      : [special.argument, this.stateOf({ kind: 'argument' })];
    const ways = texts.map((text) => [...this.vocabulary.encode(`${text}\n`), ending]);
    return this.ways(ways, 0, behind);
  }

  /** The state of token lists that begin alike. */
  private ways(ways: readonly (readonly number[])[], at: number, behind: number): number {
    const state = this.automaton.state();
    const next = new Map<number, (readonly number[])[]>();
    for (const way of ways) listUnder(next, way[at] as number).push(way);
    for (const [token, rest] of next) {
      const isLast = rest.every(({ length }) => length === at + 1);
      this.automaton.goto(state, token, isLast ? behind : this.ways(rest, at + 1, behind));
    }
    return state;
  }
}
