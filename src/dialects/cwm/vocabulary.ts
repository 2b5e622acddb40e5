/**
 * The tokens of a model that speaks Code World Model's frame format: a byte-level BPE vocabulary and the tokens that delimit frames
 * (facebookresearch/cwm, PROMPTING_GUIDE.md).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { LRUCache } from 'lru-cache';
import { TokenMask } from '../../debugger/language/automaton.js';
import { ForetraceError } from '../../errors.js';
import { closed, nextPhase, phaseCount, plain, refused } from './json-string.js';

/** What texts begin with, in vocabularies that have it: that of Llama 3 and Code World Model, and not those of Qwen. */
const beginName = '<|begin_of_text|>';

/** Names of the tokens that the format needs. */
const names = {
  context: '<|trace_context_start|>',
  frame: '<|frame_sep|>',
  action: '<|action_sep|>',
  argument: '<|arg_sep|>',
  call: '<|call_sep|>',
  line: '<|line_sep|>',
  return: '<|return_sep|>',
  exception: '<|exception_sep|>',
} as const;

export type SpecialTokens = Readonly<Record<keyof typeof names, number> & { begin: number | undefined }>;

const keptLines = 4096;

/** Texts that begin alike, and the tokens that are these texts. */
export interface TextNode {
  readonly tokens: number[];
  readonly next: Map<string, TextNode>;
}

/** A token that ends a string, and what it has behind the closing quote. */
export interface Closing {
  readonly token: number;
  readonly behind: string;
}

/** What tokens do inside a JSON string: those that stay in it, by the phases they begin and end in, and those that end it. */
export interface InsideStrings {
  readonly staying: readonly ReadonlyMap<number, TokenMask>[];
  readonly closing: readonly (readonly Closing[])[];
}

interface TokenizerFile {
  readonly model?: { readonly type?: string; readonly vocab?: Readonly<Record<string, number>> };
  readonly added_tokens?: readonly { readonly id: number; readonly content: string }[];
}

export class Vocabulary {
  readonly special: SpecialTokens;
  /** Text of each token that is of printable ASCII characters alone; undefined for others. */
  private readonly texts: (string | undefined)[];
  /** All of these texts. */
  readonly root: TextNode = { tokens: [], next: new Map() };
  readonly inside: InsideStrings;
  private readonly tokenizer: Tokenizer;
  /** Each step is asked with all lines that can be next, most of them again and again. */
  private readonly lines = new LRUCache<string, readonly number[]>({ max: keptLines });

  /**
   * @param size number of tokens of the model, of which the last may be unused
   * @throws ForetraceError invalid_model for a tokenizer of another kind, or one that lacks a token of the format
   */
  constructor(
    file: TokenizerFile,
    readonly size: number,
  ) {
    const { model, added_tokens: added = [] } = file;
    if (model?.type !== 'BPE' || model.vocab === undefined)
      throw wrong('a tokenizer.json with a byte-level BPE model', String(model?.type));
    this.special = specialTokens(new Map(added.map(({ content, id }) => [content, id])), size);
    // The text of a program is never read for tokens that have a meaning of their own.
    this.tokenizer = new Tokenizer({ ...file, added_tokens: [] }, {});
    this.texts = new Array<string | undefined>(size);
    for (const [token, id] of Object.entries(model.vocab)) {
      const text = token.replaceAll(byteLevelSpace, ' ');
      if (id < size && /^[ -~]+$/.test(text)) this.add(id, text);
    }
    this.inside = insideStrings(this.texts, size);
  }

  /** Reads the vocabulary of a model directory. @throws ForetraceError invalid_model */
  static read(directory: string, size: number): Vocabulary {
    let file: TokenizerFile;
    try {
      file = JSON.parse(readFileSync(join(directory, 'tokenizer.json'), 'utf8')) as TokenizerFile;
    } catch (cause) {
      throw wrong('a readable tokenizer.json', cause instanceof Error ? cause.message : String(cause));
    }
    return new Vocabulary(file, size);
  }

  /** The tokens of a text, as the model was trained to read it. */
  encode(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** The tokens of a line of a program. */
  encodeLine(line: string): readonly number[] {
    let tokens = this.lines.get(line);
    if (tokens === undefined) {
      tokens = this.encode(`${line}\n`);
      this.lines.set(line, tokens);
    }
    return tokens;
  }

  /** The text of a token, printable ASCII; empty for other tokens. */
  textOf(token: number): string {
    return this.texts[token] ?? '';
  }

  private add(id: number, text: string): void {
    this.texts[id] = text;
    let node = this.root;
    for (const character of text) {
      let next = node.next.get(character);
      if (next === undefined) {
        next = { tokens: [], next: new Map() };
        node.next.set(character, next);
      }
      node = next;
    }
    node.tokens.push(id);
  }
}

/** Byte-level BPE writes bytes as characters: printable ASCII as itself, a space as this. */
const byteLevelSpace = '\u0120';

const wrong = (expected: string, actual: string): ForetraceError =>
  new ForetraceError('invalid_model', 'the model does not speak the frame format of Code World Model', {
    expected,
    actual,
  });

function specialTokens(ids: ReadonlyMap<string, number>, size: number): SpecialTokens {
  const checked = (content: string): number => {
    const id = ids.get(content);
    if (id === undefined || id >= size)
      throw wrong(`the token ${content}`, id === undefined ? 'none' : `token ${id} of ${size}`);
    return id;
  };
  const needed = Object.entries(names).map(([name, content]) => [name, checked(content)] as const);
  const begin = ids.has(beginName) ? checked(beginName) : undefined;
  return { begin, ...(Object.fromEntries(needed) as Record<keyof typeof names, number>) };
}

function insideStrings(texts: readonly (string | undefined)[], size: number): InsideStrings {
  const staying = Array.from({ length: phaseCount }, () => new Map<number, number[]>());
  const closing = Array.from({ length: phaseCount }, (): Closing[] => []);
  texts.forEach((text, token) => {
    for (let first = plain; text !== undefined && first < phaseCount; first += 1) {
      const { phase, read } = readInside(text, first);
      if (phase === closed) closing[first]?.push({ token, behind: text.slice(read) });
      else if (phase !== refused) listUnder(staying[first] as Map<number, number[]>, phase).push(token);
    }
  });
  const masks = staying.map(
    (ways) => new Map([...ways].map(([phase, tokens]) => [phase, new TokenMask(tokens, size)])),
  );
  return { staying: masks, closing };
}

/** Where a text leads to inside a string, and how many characters were read. */
function readInside(text: string, first: number): { phase: number; read: number } {
  let phase = first;
  let read = 0;
  while (read < text.length && phase >= 0) {
    phase = nextPhase(phase, text[read] as string);
    read += 1;
  }
  return { phase, read };
}

/** The list of a map under a key, made where there is none. */
export function listUnder<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}
