/** The part of a grammar that reads one value (docs/trace-language.md, section 4). */
import { type Automaton, flag, TokenMask } from './automaton.js';
import { addition, deepestPatch, mostPatches } from './patches.js';
import {
  byteToken,
  charBase,
  charToken,
  operatorBase,
  operatorToken,
  positionCount,
  positionToken,
  slotToken,
  special,
  wordBase,
} from './tokens.js';

export interface ValueStates {
  /** Reads a value. */
  readonly value: number;
  /** Reads a value, patches of the value before, or `<|del|>`. */
  readonly change: number;
  /** Reads a value, or an answer in columns or in positions. */
  readonly answer: number;
}

const span = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, k) => first + k);
const bytes = (first: number, last: number): TokenMask =>
  new TokenMask(span(byteToken(first), byteToken(last)));
const chars = span(charBase, charBase + 94);
const without = (...excluded: string[]): TokenMask => {
  const tokens = new Set(excluded.map(charToken));
  return new TokenMask(chars.filter((token) => !tokens.has(token)));
};

const masks = {
  words: new TokenMask(span(wordBase, operatorBase - 1)),
  digits: new TokenMask(span(charToken('0'), charToken('9'))),
  nonZero: new TokenMask(span(charToken('1'), charToken('9'))),
  top: new TokenMask([charToken('0'), charToken('9')]),
  between: new TokenMask(span(charToken('1'), charToken('8'))),
  anyChar: new TokenMask(chars),
  outside: without("'", '"'),
  single: without("'", '\\'),
  double: without('"', '\\'),
  control: new TokenMask([...span(byteToken(0), byteToken(0x1f)), byteToken(0x7f)]),
  positions: new TokenMask(span(positionToken(1), positionToken(positionCount))),
  lead2: bytes(0xc2, 0xdf),
  lead3: new TokenMask([...span(byteToken(0xe1), byteToken(0xec)), byteToken(0xee), byteToken(0xef)]),
  lead4: bytes(0xf1, 0xf3),
  next: bytes(0x80, 0xbf),
  afterE0: bytes(0xa0, 0xbf),
  afterEd: bytes(0x80, 0x9f),
  afterF0: bytes(0x90, 0xbf),
  afterF4: bytes(0x80, 0x8f),
};

/** The rest of a UTF-8 character, after which the value goes on in state `done`. */
interface Utf8 {
  readonly control: TokenMask;
  readonly done: number;
  readonly leads: readonly (readonly [on: number | TokenMask, next: number])[];
}

function utf8Into(automaton: Automaton, done: number): Utf8 {
  const step = (on: TokenMask, next: number): number => {
    const state = automaton.state();
    automaton.goto(state, on, next);
    return state;
  };
  const one = step(masks.next, done);
  const two = step(masks.next, one);
  const three = step(masks.next, two);
  return {
    control: masks.control,
    done,
    leads: [
      [masks.lead2, one],
      [byteToken(0xe0), step(masks.afterE0, one)],
      [masks.lead3, two],
      [byteToken(0xed), step(masks.afterEd, one)],
      [byteToken(0xf0), step(masks.afterF0, two)],
      [masks.lead4, three],
      [byteToken(0xf4), step(masks.afterF4, two)],
    ],
  };
}

/** Adds the states of a value; `slots`: how many identifiers the program has, `most`: tokens of a value within a patch. */
export function addValueStates(automaton: Automaton, slots: number, most: number): ValueStates {
  const done = automaton.state(flag.returnable);
  const [value, change, answer] = [automaton.state(), automaton.state(), automaton.state()];
  const begin = addTexts(automaton, slots, done, () => undefined);
  begin(value);
  begin(change);
  automaton.goto(change, special.del, done);
  addPatches(automaton, change, value, most);
  const scanned = automaton.state();
  const beginNumbered = addTexts(automaton, slots, done, (state) => addPositions(automaton, state));
  beginNumbered(answer);
  automaton.goto(answer, masks.positions, scanned);
  beginNumbered(scanned);
  addPositions(automaton, scanned, value);
  automaton.goto(scanned, special.value, value);
  addSum(automaton, answer);
  addDivision(automaton, answer);
  return { value, change, answer };
}

/** Adds positions, and counts that stand between them, to `from`; `told`: reads the value that may stand behind a `<|value|>` there. */
function addPositions(automaton: Automaton, from: number, told?: number): void {
  const [begun, counting] = [automaton.state(), automaton.state()];
  automaton.goto(from, masks.positions, from);
  automaton.goto(from, special.it, begun);
  for (const state of [begun, counting]) automaton.goto(state, masks.digits, counting);
  automaton.goto(counting, masks.positions, from);
  if (told !== undefined) automaton.goto(counting, special.value, told);
}

/**
 * Adds the states that read what a value is written with, each of which `extend` gives more to read; what is given back has a state begin a value. `done`: where a
 * value goes on that is whole.
 */
function addTexts(
  automaton: Automaton,
  slots: number,
  done: number,
  extend: (state: number) => void,
): (from: number) => void {
  const outside = automaton.state(flag.returnable);
  const addBytes = (from: number, { control, done: next, leads }: Utf8): void => {
    automaton.goto(from, control, next);
    for (const [on, state] of leads) automaton.goto(from, on, state);
  };
  const cut = (from: number): void => {
    automaton.goto(from, special.cut, done);
    automaton.prefer(from, special.cut);
  };
  /** The inside of a string and, after a backslash, the character that is escaped. */
  const string = (quote: string, mask: TokenMask): number => {
    const inside = automaton.state();
    const escaped = automaton.state();
    const utf8 = utf8Into(automaton, inside);
    automaton.goto(inside, mask, inside);
    automaton.goto(inside, charToken(quote), outside);
    automaton.goto(inside, charToken('\\'), escaped);
    automaton.goto(escaped, masks.anyChar, inside);
    for (const state of [inside, escaped]) {
      addBytes(state, utf8);
      cut(state);
    }
    extend(inside);
    return inside;
  };
  const single = string("'", masks.single);
  const double = string('"', masks.double);
  const raw = automaton.state(flag.returnable);
  automaton.goto(raw, masks.anyChar, raw);
  automaton.goto(raw, special.cut, done);
  addBytes(raw, utf8Into(automaton, raw));
  const quote = automaton.state();
  automaton.goto(quote, charToken("'"), single);
  automaton.goto(quote, charToken('"'), double);
  const outsideUtf8 = utf8Into(automaton, outside);
  const slotMask = new TokenMask(span(slotToken(0), slotToken(slots - 1)));
  const reference = slots > 0 ? automaton.state() : -1;
  if (slots > 0) automaton.goto(reference, slotMask, outside);
  const read = (state: number): void => {
    automaton.goto(state, masks.words, outside);
    automaton.goto(state, masks.outside, outside);
    automaton.goto(state, charToken("'"), single);
    automaton.goto(state, charToken('"'), double);
    if (slots > 0) automaton.goto(state, special.ref, reference);
    automaton.goto(state, special.bytes, quote);
    addBytes(state, outsideUtf8);
  };
  read(outside);
  automaton.goto(outside, special.cut, done);
  extend(outside);
  return (state) => {
    read(state);
    cut(state);
    automaton.goto(state, special.raw, raw);
  };
}

/** Adds an integer, its last digit first, to `from` (columns.ts). */
function addSum(automaton: Automaton, from: number): void {
  const begun = automaton.state();
  const onlyZero = automaton.state(flag.returnable);
  const afterZero = automaton.state();
  const afterDigit = automaton.state(flag.returnable);
  automaton.goto(from, special.it, begun);
  for (const state of [begun, onlyZero, afterZero, afterDigit]) {
    automaton.goto(state, masks.nonZero, afterDigit);
    automaton.goto(state, charToken('0'), state === begun ? onlyZero : afterZero);
  }
  const difference = automaton.state();
  const afterLower = automaton.state();
  const afterTop = automaton.state(flag.returnable);
  automaton.goto(begun, charToken('-'), difference);
  automaton.goto(difference, masks.digits, afterLower);
  for (const state of [afterLower, afterTop]) {
    automaton.goto(state, masks.top, afterTop);
    automaton.goto(state, masks.between, afterLower);
  }
}

/** Adds what is left of a division after each of its digits, to `from` (columns.ts). */
function addDivision(automaton: Automaton, from: number): void {
  const [first, second] = [automaton.state(), automaton.state()];
  const after = automaton.state(flag.returnable);
  automaton.goto(from, operatorToken('//'), first);
  for (const state of [first, after]) automaton.goto(state, masks.digits, second);
  automaton.goto(second, masks.digits, after);
}

/** Adds patches to `from`, one behind the other (patches.ts). */
function addPatches(automaton: Automaton, from: number, value: number, most: number): void {
  let before = from;
  for (let count = 0; count < mostPatches; count += 1) {
    const after = automaton.state(flag.returnable);
    const operations = (state: number): void => automaton.call(state, addition, value, after, most);
    operations(before);
    let at = before;
    for (let depth = 0; depth < deepestPatch; depth += 1) {
      const keyed = automaton.state();
      automaton.call(at, special.it, value, keyed, most);
      automaton.call(keyed, special.value, value, after, most);
      operations(keyed);
      automaton.goto(keyed, special.del, after);
      at = keyed;
    }
    before = after;
  }
}
