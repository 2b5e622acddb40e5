import { describe, expect, it } from 'vitest';
import { queryJson, queryText } from '../../../src/view/query.js';
import {
  eventNumbers,
  originNumbers,
  queryEndNumbers,
  type WireQueryResult,
} from '../../../src/wire/messages.js';

const tokens = { cached: 0, new: 3, forced: 1, drafted: 0, accepted: 0 };
const cost = { tokens, queueMillis: 0, computeMillis: 0, preemptions: 0 };
const result = (end: number): WireQueryResult => ({
  session: 's',
  from: 1,
  columns: ['x', 'y'],
  rows: [
    {
      answer: {
        session: 's',
        number: 4,
        parent: 1,
        action: null,
        state: {
          event: eventNumbers.line,
          frames: [{ line: 2, locals: [{ name: 'x', value: "'\u001b[2J'" }], its: [], gots: [] }],
          hiddenFrames: 0,
        },
        function: 'f',
        functions: ['f'],
        sourceLine: '    y = x',
        origin: originNumbers.model,
        probability: { event: 1, line: 1, locals: {} },
        horizon: 3,
        atEnd: false,
        atStart: false,
        mode: 1,
        steps: { model: 1, cache: 0 },
        expectedHorizon: 0,
        ...cost,
      },
      values: { x: "'\u001b[2J'" },
      probability: 0.5,
    },
  ],
  end,
  truncated: end === queryEndNumbers.open,
  nextPage: '',
  steps: { model: 3, cache: 1 },
  ...cost,
});

describe('the rows of a query', () => {
  it('are a line each, values escaped, what is unbound marked, and the end said', () => {
    expect(queryText(result(queryEndNumbers.frame))).toEqual([
      " 50 %  #4 line line 2: x = '\\u{1b}[2J', y = -",
      '  the frame ends',
    ]);
    expect(queryText(result(queryEndNumbers.open)).at(-1)).toBe('  ...');
    expect(queryText(result(queryEndNumbers.found))).toHaveLength(1);
  });

  it('are an object each for machines, with one about the page', () => {
    const [row, page] = queryJson(result(queryEndNumbers.open)).map((text) => JSON.parse(text));
    expect(row).toMatchObject({
      row: { x: "'\u001b[2J'" },
      row_probability: 0.5,
      state: 4,
      action: 'query',
      mode: 'walk',
    });
    expect(page).toEqual({
      columns: ['x', 'y'],
      rows: 1,
      end: 'open',
      truncated: true,
      steps: { model: 3, cache: 1 },
    });
  });
});
