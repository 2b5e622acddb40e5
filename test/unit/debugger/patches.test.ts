/** Patches: values told by what changed in them, as Python writes and reads them. */
import { describe, expect, it } from 'vitest';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { encodeChange, patched } from '../../../src/debugger/language/patches.js';
import { tokenId } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { goldenPatches, stateOf } from './golden.js';

const [golden] = goldenPatches();
if (golden === undefined) throw new Error('no golden patches');
const program = parseProgram(golden.source, golden.call);
const holding = (value: string) =>
  stateOf([{ event: 'line', line: 2, its: [], locals: { a: value }, gots: [] }]);
const before = holding('[1, 2, 3]');

/** The state after `<|line|> <|L2|>` and these tokens, or the place and what was expected there. */
function decoded(text: string, from = before) {
  const decoder = new DeltaDecoder(program, from);
  const tokens = `<|line|> <|L2|> ${text}`.split(' ').map(tokenId);
  const parts = tokens.flatMap((token) => decoder.push(token, -0.5));
  const found = decoder.finish();
  return isDecodeProblem(found)
    ? [found.position, found.expected]
    : { parts, found, value: found.state.frames[0]?.locals.get('a') };
}

describe('patches', () => {
  it('are written where Python writes them', () => {
    for (const { before: old, after, tokens } of golden.changes)
      expect(encodeChange(program, old, after), `${old} -> ${after}`).toEqual(tokens);
    expect(golden.changes.filter(({ tokens }) => tokens.includes(tokenId('<|it|>'))).length).toBeGreaterThan(
      40,
    );
  });

  it('make of a value what they make of it in Python, whether they fit or not', () => {
    for (const { before: old, patches, after } of golden.applied)
      expect(patched(program, old, patches), `${old} ${JSON.stringify(patches)}`).toBe(after);
    expect(golden.applied.filter((item) => item.before !== item.after).length).toBeGreaterThan(40);
    expect(golden.applied.filter((item) => item.before === item.after).length).toBeGreaterThan(40);
  });

  it('are read back from deltas, which the grammar lets pass', () => {
    for (const { before: old, after } of golden.changes) {
      const [from, to] = [holding(old), holding(after)];
      const delta = encodeDelta(program, from, to, 1);
      const decoder = new DeltaDecoder(program, from);
      for (const token of delta) decoder.push(token);
      expect(decoder.finish()).toMatchObject({ state: { frames: [{ locals: to.frames[0]?.locals }] } });
      if (delta.length > 150) continue; // longer than the grammar lets a value be
      const { data, start } = grammarOf(program).forQuestion(from, { kind: 'step_over', lines: [] });
      const walker = new GrammarWalker(data, start.state, start.frames, 400);
      // The program's only line returns, so that a step leads nowhere else: what stands behind the slot is looked at.
      const rest = delta.slice(2, -1);
      for (const token of [tokenId('<|return|>'), tokenId('<|L2|>'), ...rest])
        expect(walker.accept(token), `${old} -> ${after}`).toBe(true);
    }
  });

  it('have the probability of all their tokens and change their local alone', () => {
    const result = decoded('<|v1|> <|it|> 0 <|value|> 9 <|it|> 2 <|del|> <|end|>');
    expect(result).toMatchObject({
      value: '[9, 2]',
      found: { changed: ['a'] },
      parts: [
        { kind: 'event' },
        { kind: 'line' },
        { kind: 'local', name: 'a', value: '[9, 2]', deleted: false },
        { kind: 'end' },
      ],
    });
    if (Array.isArray(result)) throw new Error('not decoded');
    expect(result.found.probability.locals.get('a')).toBeCloseTo(Math.exp(-0.5 * 8));
  });

  it('that fit nothing change nothing, and are no change', () => {
    const result = decoded('<|v1|> <|it|> 9 <|value|> 5 <|end|>');
    expect(result).toMatchObject({ value: '[1, 2, 3]', found: { changed: [] } });
    expect(result).toMatchObject({ parts: [{ kind: 'event' }, { kind: 'line' }, { kind: 'end' }] });
  });

  it('of a name that has no value change nothing', () => {
    expect(decoded('<|v2|> <|o:+=|> 9 <|end|>')).toMatchObject({
      value: '[1, 2, 3]',
      found: { changed: [] },
    });
  });

  it('of a frame that is entered change nothing, for it starts empty', () => {
    const decoder = new DeltaDecoder(program, before);
    const tokens = '<|push|> <|L2|> <|call|> <|L1|> <|v1|> <|o:+=|> 9 <|end|>'.split(' ').map(tokenId);
    for (const token of tokens) decoder.push(token);
    expect(decoder.finish()).toMatchObject({ state: { frames: [{}, { locals: new Map() }] } });
  });

  it.each([
    ['<|v1|> <|value|> 1', 3],
    ['<|v1|> <|it|> <|value|>', 4],
    ['<|v1|> <|it|> 1 <|end|>', 5],
    ['<|v1|> <|it|> 1 <|value|> <|end|>', 6],
    ['<|v1|> <|it|> 1 <|it|> 1 <|it|> 1 <|it|>', 9],
    ['<|v1|> <|o:+=|> <|del|>', 4],
    ['<|v1|> <|it|> 1 <|del|> <|del|>', 6],
    [`<|v1|>${' <|o:+=|> 1'.repeat(9)}`, 19],
    ['<|v1|> <|o:+=|> 1 <|value|> 1', 5],
  ])('that are malformed are told with their place: %s', (text, position) => {
    expect(decoded(text)).toEqual([position, expect.stringMatching(/\w/)]);
  });
});
