import { describe, expect, it } from 'vitest';
import { frameGrammar } from '../../../../src/dialects/cwm/frame-grammar.js';
import type { FrameForm } from '../../../../src/dialects/cwm/frame-text.js';
import { frameTokens, type ShownFrame } from '../../../../src/dialects/cwm/prompt.js';
import { Vocabulary } from '../../../../src/dialects/cwm/vocabulary.js';
import { GrammarWalker } from '../../../../src/native/grammar-walker.js';
import { cwmTokenizer, cwmTokens } from '../../../support/cwm-tokenizer.js';

const vocabulary = new Vocabulary(cwmTokenizer, cwmTokens);
const named = (...names: string[]) => names.map((name) => ({ name }));
const forms: FrameForm[] = [
  { event: 'line', names: named('x', 'total', 'é'), lines: ['    x += 1', '    return x'] },
  { event: 'call', names: named('a'), lines: ['def f(a):'] },
  { event: 'call', names: named('a', 'b'), lines: ['def g(a, b):'] },
  { event: 'return', names: [], lines: ['    return x'] },
];
const { data, start } = frameGrammar(vocabulary, forms);

function isLegal(tokens: readonly number[], grammar = { data, start }): boolean {
  const walker = new GrammarWalker(grammar.data, grammar.start, new Int32Array(0), 1000);
  return tokens.every((token) => walker.accept(token)) && walker.accepted;
}

const frame = (
  event: ShownFrame['event'],
  line: string,
  locals: [string, string][],
  value?: string,
): number[] =>
  frameTokens(vocabulary, {
    event,
    line,
    locals: new Map(locals),
    ...(value === undefined ? {} : { value }),
  });

describe('the grammar of a frame', () => {
  it.each([
    frame('line', '    x += 1', []),
    frame('line', '    x += 1', [['x', '..']]),
    frame('line', '    return x', [
      ['total', "'a\"\\\n'"],
      ['é', '\u{1f600}'],
    ]),
    frame('line', '    return x', [
      ['x', ''],
      ['total', '{"x": "1"}'],
      ['é', '"}'],
    ]),
    frame('call', 'def g(a, b):', [
      ['a', '1'],
      ['b', '2'],
    ]),
    frame('return', '    return x', [], "'x'"),
  ])('lets a frame pass (%#)', (...tokens) => {
    expect(isLegal(tokens)).toBe(true);
  });

  it.each([
    [
      'names in another order',
      frame('line', '    x += 1', [
        ['total', '1'],
        ['x', '2'],
      ]),
    ],
    ['a name that the frame has not', frame('line', '    x += 1', [['y', '1']])],
    ['the beginning of a name', frame('line', '    x += 1', [['tot', '1']])],
    ['a line that cannot be next', frame('line', '    x += 2', [])],
    ['a line of another event', frame('return', '    x += 1', [], '1')],
    [
      'the line of a function without that parameter',
      frame('call', 'def f(a):', [
        ['a', '1'],
        ['b', '2'],
      ]),
    ],
    ['an event that cannot be next', frame('exception', '    return x', [], '1')],
    ['no value', frame('return', '    return x', [])],
    ['a value too many', frame('line', '    return x', [], '1')],
  ])('refuses %s', (_what, tokens) => {
    expect(isLegal(tokens)).toBe(false);
  });

  it('lets texts be cut in any way', () => {
    const { special } = vocabulary;
    const letters = [...'{"x": "a\\u00e9"}'].map((character) => vocabulary.encode(character)[0] as number);
    const line = frame('line', '    return x', []).slice(-vocabulary.encode('    return x\n').length - 2);
    expect(isLegal([special.line, ...letters, ...line])).toBe(true);
    expect(isLegal([special.line, ...letters.slice(1), ...line])).toBe(false);
  });

  it('holds names to be there, and to what they are', () => {
    const told = [
      { name: 'x', isBound: true, values: ['..', '[1, "a"]'] },
      { name: 'y' },
      { name: 'z', isBound: true },
    ];
    const strict = frameGrammar(vocabulary, [{ event: 'line', names: told, lines: ['    x += 1'] }]);
    const isTold = (...locals: [string, string][]) => isLegal(frame('line', '    x += 1', locals), strict);
    expect(isTold(['x', '..'], ['z', 'anything'])).toBe(true);
    expect(isTold(['x', '[1, "a"]'], ['y', '2'], ['z', '..'])).toBe(true);
    expect(isTold(['x', '.'], ['z', '..'])).toBe(false);
    expect(isTold(['x', '[1, "b"]'], ['z', '..'])).toBe(false);
    expect(isTold(['x', '..'])).toBe(false);
    expect(isTold(['x', '..'], ['y', '1'])).toBe(false);
    expect(isTold(['z', '..'])).toBe(false);
    expect(isTold()).toBe(false);
  });

  it('leaves lines only where they differ', () => {
    const walker = new GrammarWalker(data, start, new Int32Array(0), 1000);
    const tokens = frame('return', '    return x', [], '1');
    for (const token of tokens.slice(0, tokens.indexOf(vocabulary.special.argument))) {
      if (token !== vocabulary.special.return) expect(walker.legalTokens()).toEqual([token]);
      walker.accept(token);
    }
  });
});
