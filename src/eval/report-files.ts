/** Writes a report as files, and reads it back for a comparison. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ForetraceError } from '../errors.js';
import { type ComparedReport, type Comparison, compareReports } from './compare.js';
import { readText, writeFile } from './files.js';
import type { Outcome } from './outcome.js';
import { plotsOf } from './plots.js';
import { readResults, resultLines } from './results.js';
import { stepsMarkdown } from './steps-markdown.js';
import type { StepsReport } from './steps-report.js';

const names = { report: 'report.json', page: 'report.md', results: 'results.jsonl' } as const;

/**
 * Writes report.json, report.md, results.jsonl (a line a question) and every plot as SVG and PNG; returns their names.
 * @throws ForetraceError unreadable_file
 */
export async function writeReport(
  folder: string,
  report: StepsReport,
  outcomes: readonly Outcome[],
): Promise<string[]> {
  const files: [string, string | Uint8Array][] = [
    [names.report, `${JSON.stringify(report, null, 2)}\n`],
    [names.page, stepsMarkdown(report)],
    [names.results, resultLines(outcomes)],
  ];
  // Numbers first: they are what took long to get.
  for (const [name, content] of files) writeFile(join(folder, name), content);
  // The plot libraries take a second to load, which no other command should wait for.
  const { renderPng, renderSvg } = await import('./render.js');
  for (const [name, spec] of Object.entries(plotsOf(report))) {
    const svg = await renderSvg(spec);
    files.push([`${name}.svg`, svg], [`${name}.png`, renderPng(svg)]);
  }
  for (const [name, content] of files.slice(3)) writeFile(join(folder, name), content);
  return files.map(([name]) => name);
}

/**
 * Compares two reports, named by their file or folder; with results.jsonl beside both, question by question.
 * @throws ForetraceError unreadable_file
 */
export function compareFiles(a: string, b: string): Comparison {
  const files = [reportFile(a), reportFile(b)] as const;
  const reports = [readReport(files[0]), readReport(files[1])] as const;
  const results = files.map((file) => join(dirname(file), names.results));
  const [resultsA, resultsB] = results as [string, string];
  if (!results.every((file) => existsSync(file))) return compareReports(...reports);
  return compareReports(...reports, { a: readResults(resultsA), b: readResults(resultsB) });
}

const reportFile = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, names.report) : path;

function readReport(file: string): ComparedReport {
  const expected = 'a report of `eval steps`';
  const text = readText(file, expected);
  try {
    const report = JSON.parse(text) as Partial<ComparedReport>;
    if (isRow(report.all) && Object.values(report.actions ?? {}).every(isRow) && report.actions)
      return {
        all: report.all,
        actions: report.actions,
        ...(isSubject(report.subject) ? { subject: report.subject } : {}),
      };
  } catch {
    // Falls through to the error: not JSON is one way not to be a report.
  }
  throw new ForetraceError('unreadable_file', `${file} is not a report`, {
    expected,
    actual: text.slice(0, 80),
  });
}

const isRow = (row: unknown): row is { n: number; exact: number } =>
  typeof (row as { n?: unknown } | undefined)?.n === 'number' &&
  typeof (row as { exact?: unknown } | undefined)?.exact === 'number';

const isSubject = (subject: ComparedReport['subject']): subject is NonNullable<ComparedReport['subject']> =>
  typeof subject?.model?.name === 'string' && typeof subject.data?.name === 'string';
