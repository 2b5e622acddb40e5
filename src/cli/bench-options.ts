/** Options that the benchmarks share. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { namedShape, shapeNames, shapeOfDirectory } from '../bench/model-shape.js';
import type { ReportHead } from '../bench/report-head.js';
import type { BenchModel } from '../bench/run-engine.js';
import { writeFile } from '../eval/files.js';
import type { WeightFormat } from '../native/addon-types.js';
import { shippedModel } from './engine-options.js';
import { packageVersion } from './version.js';

const dtypes: readonly WeightFormat[] = ['fp32', 'bf16', 'int8'];

/** A list of whole numbers from `least`, separated by commas, for commander. */
export const numberList =
  (least: number) =>
  (text: string): number[] =>
    text.split(',').map((item) => {
      const value = Number(item);
      if (item.trim() === '' || !Number.isSafeInteger(value) || value < least)
        throw new InvalidArgumentError(`expected whole numbers from ${least}, separated by commas`);
      return value;
    });

export function dtypeList(text: string): WeightFormat[] {
  return text.split(',').map((item) => {
    const found = dtypes.find((dtype) => dtype === item);
    if (!found) throw new InvalidArgumentError(`expected ${dtypes.join(', ')}, separated by commas`);
    return found;
  });
}

function shapeList(text: string): string[] {
  return text.split(',').map((item) => {
    if (!shapeNames.includes(item))
      throw new InvalidArgumentError(`expected ${shapeNames.join(', ')}, separated by commas`);
    return item;
  });
}

/** A number above 0. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('expected a number above 0');
  return value;
}

/** The named shapes, or the model directory, or the model that ships. @throws ForetraceError model_not_found, invalid_model */
export function benchModels(flags: { model?: string; shape?: readonly string[] }): BenchModel[] {
  if (flags.shape) return flags.shape.map((name) => ({ shape: namedShape(name) }));
  const directory = flags.model ?? shippedModel();
  return [{ shape: shapeOfDirectory(directory), directory }];
}

/** Adds `--model` and `--shape`, of which benchModels() makes models. */
export const addModelOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--model <dir>', 'model directory (default: the model that ships)').conflicts('shape'),
    )
    .option('--shape <list>', `random weights of these shapes instead: ${shapeNames.join(', ')}`, shapeList);

export interface ReportFlags {
  out: string;
  json?: boolean;
}

/** Adds `--out` and `--json` of publishReport(). */
export const addReportOptions = (command: Command, file: string): Command =>
  command
    .option('--out <file>', 'where the report goes', file)
    .option('--json', 'print the report as one JSON object');

/**
 * Writes the results, and what made them, as JSON; prints them as JSON or as lines.
 * @throws ForetraceError unreadable_file
 */
export function publishReport<Results extends object>(
  { out, json }: ReportFlags,
  results: Results,
  linesOf: (report: ReportHead & Results) => readonly string[],
): void {
  const command = `foretrace ${process.argv.slice(2).join(' ')}`;
  const report = { date: new Date().toISOString(), version: packageVersion(), command, ...results };
  writeFile(out, `${JSON.stringify(report, null, 2)}\n`);
  if (json) {
    console.log(JSON.stringify(report));
  } else {
    for (const line of linesOf(report)) console.log(line);
    console.log(`\nwritten to ${out}`);
  }
}
