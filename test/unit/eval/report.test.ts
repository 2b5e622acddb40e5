/** A report of four outcomes as Markdown, pictures and files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, type TopLevelSpec } from 'vega-lite';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { table } from '../../../src/eval/markdown.js';
import type { ChangeOutcome } from '../../../src/eval/outcome.js';
import { plotsOf } from '../../../src/eval/plots.js';
import { renderPng, renderSvg } from '../../../src/eval/render.js';
import { stepsTable } from '../../../src/eval/report.js';
import { compareFiles, writeReport } from '../../../src/eval/report-files.js';
import { stepsMarkdown } from '../../../src/eval/steps-markdown.js';
import { stepsReport } from '../../../src/eval/steps-report.js';
import { codeOf } from '../../support/service-world.js';
import { exampleOutcome as example } from './example-outcomes.js';
import { caseOf, subject } from './steps-world.js';

const change: ChangeOutcome = {
  type: 'int',
  isValue: true,
  model: true,
  rule: false,
  argument: false,
  known: true,
};
const outcomes = [
  example({ kind: 'step_into', exact: true, statement: 'assignment', tags: ['loop|body'], probability: 0.9 }),
  example({
    kind: 'step_into',
    exact: false,
    statement: 'if',
    ruleExact: true,
    probability: 0.3,
    position: 1,
  }),
  example({ kind: 'continue', exact: true, horizon: 6, changes: [change], probability: 0.8, position: 2 }),
  example({ kind: 'inv_continue', exact: false, horizon: 2, probability: 0.95, position: 3 }),
];
const candidate = { probability: 0.25, exact: true, valid: true, consistent: true };
const data = { cases: [caseOf('1', [])], leftOut: new Map() };
const options = { subject, bins: 10, candidates: 3 };
const report = stepsReport(
  data,
  {
    outcomes,
    reverse: [{ action: 'inv_continue', candidates: [candidate] }],
    leftOut: new Map([['context_too_long', 2]]),
  },
  options,
);
const nothing = stepsReport(
  data,
  { outcomes: [], reverse: [], leftOut: new Map() },
  { ...options, candidates: 1 },
);

describe('Markdown', () => {
  const page = stepsMarkdown(report);

  it.each([
    '# Single predictions: tiny on cases.jsonl',
    '4 questions in 1 cases about 1 programs, 2 left out. **Exact: 50.0 (15.0-85.0) %**',
    '| all | 4 | 50.0 (15.0-85.0) | 25.0 | 100.0 | 50.0 | 50.0 | 100.0 | 0.0 |',
    '| step_into | 2 | 50.0 (9.5-90.5) | 50.0 | 100.0 | 50.0 | 50.0 |  |  |',
    '| 4-7 | 1 | 100.0 (20.7-100.0) | 0.0 |',
    '| continue | 1 | 100.0 (20.7-100.0) | 0.0 | 0.0 | 100.0 |',
    '| int | 1 | 100.0 (20.7-100.0) | 0.0 | 100.0 |',
    '| assignment | 1 |',
    // 0.9 and 0.95 share a bin: (|0.5 - 0.925| * 2 + 0.3 + 0.2) / 4; each alone: (0.1 + 0.3 + 0.2 + 0.95) / 4; and the mean of the squares.
    '| answer | 4 | 73.8 | 50.0 | 0.3375 | 0.3875 | 0.2606 |',
    '| 0.90-1.00 | 2 | 92.5 | 50.0 (9.5-90.5) |',
    '| 50 % | 2 | 50.0 (9.5-90.5) | 0.9000 |',
    '| inv_continue | 1 | 100.0 (20.7-100.0) | 100.0 | 1 | 100.0 (20.7-100.0) | 100.0 | 25.0 | 0.0 |',
    'Of 1 candidates from which the model comes back to the known state 100.0 % are valid',
    '| loop\\|body | 1 |',
    '| context_too_long | 2 |',
    '![Reliability diagrams](calibration.svg)',
  ])('has %s', (line) => {
    expect(
      page.split('\n').some((text) => text.includes(line)),
      line,
    ).toBe(true);
  });

  it('has rows as wide as their heads', () => {
    for (const block of page.split('\n\n').filter((part) => part.startsWith('|'))) {
      const widths = block
        .trim()
        .split('\n')
        .map((line) => line.replaceAll('\\|', '').split('|').length);
      expect(new Set(widths).size, block).toBe(1);
    }
  });

  it('of nothing leaves out what has no rows', () => {
    const empty = stepsMarkdown(nothing);
    expect(empty).toContain('0 questions');
    expect(empty).not.toMatch(/## (By statement|By tag|Jumps|Left out|Reverse|Values|Changed)/);
  });

  it('escapes what would end a cell', () => {
    expect(table(['a', 'b'], [['x|y\nz\\', '1']])).toBe('| a | b |\n| --- | ---: |\n| x\\|y z\\\\ | 1 |');
  });
});

it('the table for the terminal has every part', () => {
  const text = stepsTable(report);
  for (const part of [
    /^all\s+4\s+50\.0/m,
    /^4-7\s+1 {2}100\.0/m,
    /^int\s+1 {2}100\.0/m,
    /^answer\s+4 0\.3/m,
    /^best 80 %/m,
    /2: context_too_long/,
  ])
    expect(text).toMatch(part);
});

describe('pictures', () => {
  it('compile without a complaint and show their labels', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const expected: Record<string, string[]> = {
      horizon: [
        'Jumps by horizon',
        'forward jumps',
        'reverse jumps',
        '4-7',
        'n = 1',
        'real steps skipped by the jump',
        'whole state exact, %',
        'model',
      ],
      calibration: ['whole answer', 'n = 4, ECE 0.338, Brier 0.261', 'probability', 'share right'],
      'by-type': ['int (n = 1)', 'value stands in the state before', 'changed locals and values right, %'],
      'by-action': ['step_into (n = 2)', 'rule: next line, nothing changes'],
    };
    const plots = plotsOf(report);
    expect(Object.keys(plots)).toEqual(Object.keys(expected));
    for (const [name, spec] of Object.entries(plots)) {
      compile(spec as unknown as TopLevelSpec);
      const svg = await renderSvg(spec);
      for (const label of expected[name] ?? [])
        expect(svg.includes(`>${label}<`), `${name}: ${label}`).toBe(true);
    }
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  it('of nothing still compile', async () => {
    for (const spec of Object.values(plotsOf(nothing))) expect(await renderSvg(spec)).toContain('<svg');
  });

  it('a PNG shows text without any font of the system', () => {
    const svg = (text: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><text x="2" y="15" font-family="Open Sans, sans-serif">${text}</text></svg>`;
    const blank = renderPng(svg(''));
    expect([...blank.slice(1, 4)]).toEqual([...'PNG'].map((letter) => letter.charCodeAt(0)));
    expect(renderPng(svg('label')).length).toBeGreaterThan(blank.length);
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'foretrace-report-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hold everything, and compare with themselves as equal', async () => {
    const out = join(folder, 'new', 'report');
    const names = await writeReport(out, report, outcomes);
    expect(names.sort()).toEqual(
      [
        'report.json',
        'report.md',
        'results.jsonl',
        ...['by-action', 'by-type', 'calibration', 'horizon'].flatMap((name) => [
          `${name}.svg`,
          `${name}.png`,
        ]),
      ].sort(),
    );
    expect(names.filter((name) => !existsSync(join(out, name)))).toEqual([]);
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(report)),
    );
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
    const { rows, paired_n } = compareFiles(out, out);
    expect(paired_n).toBe(4);
    expect(rows.every(({ difference, paired }) => difference === 0 && paired?.p === 1)).toBe(true);
  });

  it('that cannot be written are an error', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(await codeOf(writeReport(join(file, 'report'), report, outcomes))).toBe('unreadable_file');
  });
});
