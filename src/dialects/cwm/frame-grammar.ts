/**
 * The automaton over tokens of one frame of Code World Model's format: which event, which locals in JSON, which line, which value. Tokens of BPE cut texts where
 * they like, so states are places in the text, and a token is legal where the text it writes can be gone on with (as Willard and Louf, arXiv
 * 2307.09702, and XGrammar, arXiv 2411.15100, do).
 */
import { Automaton, flag, type GrammarData, TokenMask } from '../../debugger/language/automaton.js';
import type { EventKind } from '../../debugger/state.js';
import {
  behindString,
  type FrameForm,
  FrameText,
  type Inside,
  type Place,
  showsLocals,
  type Threads,
} from './frame-text.js';
import { listUnder, type TextNode, type Vocabulary } from './vocabulary.js';

/** Most tokens of a set that are told one by one: a mask takes a bit for every token of the vocabulary. */
const fewTokens = 16;

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
  private readonly text: FrameText;
  private readonly accept: number;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly forms: readonly FrameForm[],
  ) {
    this.automaton = new Automaton(vocabulary.size);
    this.text = new FrameText(forms);
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
    const found = new Map<string, number[]>();
    for (const { token, behind: text } of closing[place.phase] ?? []) {
      const end = [...text].reduce<Place | undefined>(
        (at, character) => at && this.text.behind(at, character),
        behindString(place),
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
        const there = this.text.behind(at, character);
        if (there !== undefined) walk(next, there);
      }
    };
    for (const [character, next] of this.vocabulary.root.next) {
      const there = this.text.behind(place, character);
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
    const ways = texts.map((text) => [...this.vocabulary.encodeLine(text), ending]);
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
