/** A small byte-level BPE tokenizer with the delimiters of Code World Model's format, as a tokenizer.json has it. */

/** Byte-level BPE writes every byte as a character: visible ones of Latin-1 as themselves, the others from U+0100 on. */
function byteCharacters(): string[] {
  const isVisible = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isVisible(byte) ? byte : 0x100 + hidden++),
  );
}

/** In the order in which they are merged: structure of JSON, escapes, and pieces of code. */
const merges: readonly (readonly [string, string])[] = [
  ['{', '"'],
  ['"', ':'],
  ['"', ','],
  ['"', '}'],
  ['Ġ', '"'],
  ['{', '}'],
  ['Ġ', 'Ġ'],
  ['ĠĠ', 'ĠĠ'],
  ['.', '.'],
  ['"', "'"],
  ["'", '"'],
  ['\'"', ','],
  ['\'"', '}'],
  ['\\', '"'],
  ['\\', '\\'],
  ['\\', 'n'],
  ['n', 'u'],
  ['t', 'o'],
  ['to', 't'],
  ['a', 'l'],
  ['tot', 'al'],
  ['1', '0'],
  [']', '"'],
  [']"', '}'],
  [']"', ','],
];

const delimiters = [
  '<|begin_of_text|>',
  '<|end_of_text|>',
  '<|frame_sep|>',
  '<|action_sep|>',
  '<|return_sep|>',
  '<|call_sep|>',
  '<|line_sep|>',
  '<|exception_sep|>',
  '<|arg_sep|>',
  '<|trace_context_start|>',
];

const pieces = [...byteCharacters(), ...merges.map((pair) => pair.join(''))];

export const cwmTokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    merges: merges.map((pair) => [...pair]),
  },
  added_tokens: delimiters.map((content, index) => ({
    id: pieces.length + index,
    content,
    special: true,
    normalized: false,
    single_word: false,
    lstrip: false,
    rstrip: false,
  })),
};

/** Tokens of the vocabulary, two of which nothing uses. */
export const cwmTokens = pieces.length + delimiters.length + 2;
