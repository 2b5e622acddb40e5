/**
 * The token table: every token of the trace language, its name and its id (docs/trace-language.md, section 1).
 * Both implementations read proto/trace-tokens.json; ids follow from the order of that file alone.
 */
import { readFileSync } from 'node:fs';
import { type ActionKind, actionKinds } from '../action.js';
import { type EventKind, eventKinds } from '../state.js';

interface TokenTable {
  readonly version: number;
  readonly special: readonly string[];
  readonly lines: number;
  readonly indents: number;
  readonly slots: number;
  readonly words: readonly string[];
  readonly operators: readonly string[];
}

const tableUrl = new URL('../../../proto/trace-tokens.json', import.meta.url);
const table = JSON.parse(readFileSync(tableUrl, 'utf8')) as TokenTable;

/** Version of the trace language; prompts of different versions do not mix. */
export const languageVersion = table.version;
/** Most code lines, indentation levels and identifiers the language can name. */
export const lineCount = table.lines;
export const indentCount = table.indents;
export const slotCount = table.slots;

const firstPrintable = 0x20;
const printableCount = 95;
const sequence = (count: number, name: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => name(index));

const names: readonly string[] = [
  ...table.special,
  ...sequence(table.lines, (k) => `<|L${k + 1}|>`),
  ...sequence(table.indents, (k) => `<|I${k}|>`),
  ...sequence(table.slots, (k) => `<|v${k}|>`),
  ...table.words.map((word) => `<|w:${word}|>`),
  ...table.operators.map((operator) => `<|o:${operator}|>`),
  ...sequence(printableCount, (k) => String.fromCharCode(firstPrintable + k)),
  ...sequence(256, (k) => `<|x${k.toString(16).padStart(2, '0')}|>`),
];
const ids = new Map(names.map((name, id) => [name, id]));
if (ids.size !== names.length) throw new RangeError('the token table names a token twice');

/** Number of tokens of the language. */
export const vocabularySize = names.length;

/** The id of a token by its name in tokenizer.json. Throws RangeError for a name that is no token. */
export function tokenId(name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new RangeError(`no token is called ${JSON.stringify(name)}`);
  return id;
}

/** The name of a token; any integer has one, so that messages about untrusted tokens cannot fail. */
export const tokenText = (id: number): string => names[id] ?? `token ${id}`;

export const lineBase = tokenId('<|L1|>');
const indentBase = tokenId('<|I0|>');
export const slotBase = tokenId('<|v0|>');
export const wordBase = slotBase + table.slots;
export const operatorBase = wordBase + table.words.length;
export const charBase = tokenId(' ');
export const byteBase = tokenId('<|x00|>');

/** Token of code line k, counted from 1. */
export const lineToken = (ordinal: number): number => lineBase + ordinal - 1;
export const indentToken = (level: number): number => indentBase + level;
export const slotToken = (slot: number): number => slotBase + slot;
export const byteToken = (byte: number): number => byteBase + byte;

const inRange = (token: number, base: number, count: number): boolean =>
  token >= base && token < base + count;
export const isLineToken = (token: number): boolean => inRange(token, lineBase, table.lines);
export const isSlotToken = (token: number): boolean => inRange(token, slotBase, table.slots);
export const isWordToken = (token: number): boolean => inRange(token, wordBase, table.words.length);
export const isCharToken = (token: number): boolean => inRange(token, charBase, printableCount);
/**
 * Token of position k of an operand, counted from 1: a byte that stands for nothing else, for the character it would be has a token of its own (positions.ts).
 */
export const positionToken = (position: number): number => byteToken(firstPrintable + position);
/** Most positions. */
export const positionCount = 32;
export const isPositionToken = (token: number): boolean => inRange(token, positionToken(1), positionCount);
export const isByteToken = (token: number): boolean => inRange(token, byteBase, 256);

/** The character of a character token, the word of a word token. */
export const charOf = (token: number): string => String.fromCharCode(token - charBase + firstPrintable);
export const wordOf = (token: number): string => table.words[token - wordBase] ?? '';

/** Token of one printable ASCII character. */
export const charToken = (char: string): number => charBase + char.charCodeAt(0) - firstPrintable;

/** As many numbers as `Text` has characters. */
type NumberOfEach<Text extends string, Found extends number[] = []> = Text extends `${string}${infer Rest}`
  ? NumberOfEach<Rest, [...Found, number]>
  : Found;
/** Tokens of printable ASCII characters, one for each. */
export const charTokens = <Text extends string>(text: Text): NumberOfEach<Text> =>
  Array.from(text, charToken) as NumberOfEach<Text>;

const [zero, nine] = charTokens('09');
/** Whether a token is one of the characters `0` to `9`. */
export const isDigitToken = (token: number | undefined): token is number =>
  token !== undefined && token >= zero && token <= nine;

const wordIds = new Map(table.words.map((word, index) => [word, wordBase + index]));
const operatorIds = new Map(table.operators.map((operator, index) => [operator, operatorBase + index]));
/** Token of a word of the table; undefined for any other identifier. */
export const wordToken = (word: string): number | undefined => wordIds.get(word);

/** Tokens of words with a space between each. Throws RangeError for one that is not in the table. */
export const wordTokens = (words: string): number[] =>
  words.split(' ').map((word) => tokenId(`<|w:${word}|>`));

/** Token of an operator or bracket. Throws RangeError for text that is none. */
export function operatorToken(text: string): number {
  const id = text.length === 1 ? charToken(text) : operatorIds.get(text);
  if (id === undefined) throw new RangeError(`no token for the operator ${JSON.stringify(text)}`);
  return id;
}

/** Tokens of words and operators with a space between each. Throws RangeError for one that is neither. */
export const codeTokens = (texts: string): number[] =>
  texts.split(' ').map((text) => wordToken(text) ?? operatorToken(text));

/** The tokens with a meaning of their own. */
export const special = {
  program: tokenId('<|program|>'),
  entry: tokenId('<|entry|>'),
  keyframe: tokenId('<|keyframe|>'),
  frame: tokenId('<|frame|>'),
  it: tokenId('<|it|>'),
  value: tokenId('<|value|>'),
  ref: tokenId('<|ref|>'),
  raw: tokenId('<|raw|>'),
  cut: tokenId('<|cut|>'),
  del: tokenId('<|del|>'),
  pop: tokenId('<|pop|>'),
  push: tokenId('<|push|>'),
  end: tokenId('<|end|>'),
  got: tokenId('<|got|>'),
  fstring: tokenId('<|fstring|>'),
  fend: tokenId('<|fend|>'),
  bytes: tokenId('<|bytes|>'),
  evaluate: tokenId('<|evaluate|>'),
  here: tokenId('<|here|>'),
  /** What a condition came to, at the beginning of a delta. */
  holds: tokenId('<|w:True|>'),
  fails: tokenId('<|w:False|>'),
} as const;

const eventIds = new Map<EventKind, number>(eventKinds.map((event) => [event, tokenId(`<|${event}|>`)]));
const eventsById = new Map([...eventIds].map(([event, id]) => [id, event]));
const actionIds = new Map<ActionKind, number>(actionKinds.map((kind) => [kind, tokenId(`<|${kind}|>`)]));
export const eventToken = (event: EventKind): number => eventIds.get(event) ?? -1;
export const eventOf = (token: number): EventKind | undefined => eventsById.get(token);
export const actionToken = (kind: ActionKind): number => actionIds.get(kind) ?? -1;

const utf8 = new TextEncoder();

/**
 * One token for each printable ASCII character of `text`, one for each UTF-8 byte of any other character.
 * A lone surrogate cannot be written in UTF-8 and counts as U+FFFD.
 */
export function textTokens(text: string): number[] {
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= firstPrintable && code < firstPrintable + printableCount)
      out.push(charBase + code - firstPrintable);
    else for (const byte of utf8.encode(char)) out.push(byteBase + byte);
  }
  return out;
}
