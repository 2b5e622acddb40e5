/** `foretrace bench quality`: what int8 and bf16 weights cost the predictions of a model, on steps of real runs. */
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { tableLines } from '../bench/engine-report.js';
import { shapeOfDirectory } from '../bench/model-shape.js';
import { exampleCases } from '../bench/quality/example-cases.js';
import { measureQuality, type QualityRow } from '../bench/quality/run.js';
import { answerTexts } from '../bench/quality/texts.js';
import { ForetraceError } from '../errors.js';
import { readCases } from '../eval/cases.js';
import type { EngineOptions, WeightFormat } from '../native/addon-types.js';
import { loadAddon } from '../native/load.js';
import { addReportOptions, dtypeList, publishReport, type ReportFlags } from './bench-options.js';
import { isaNames, shippedModel, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { interpreter, pythonOutput } from './python.js';

interface Flags extends ReportFlags {
  model?: string;
  data?: string;
  programs: string;
  dtype: WeightFormat[];
  isa: EngineOptions['isa'];
  threads: number;
  steps: number;
}

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

export function benchQualityCommand(): Command {
  const command = new Command('quality')
    .description(
      'predictions with rounded weights beside those with fp32: KL divergence, same top token, loss',
    )
    .option('--model <dir>', 'model directory (default: the model that ships)')
    .option('--data <file>', 'cases as for `eval steps`')
    .addOption(
      new Option('--programs <dir>', 'or a folder of Python files with lines `# Debug: CALL`, which are run')
        .default(examples, 'the examples')
        .conflicts('data'),
    )
    .option('--dtype <list>', 'number formats of the weights', dtypeList, ['bf16', 'int8'] as WeightFormat[])
    .addOption(new Option('--isa <set>', 'CPU instruction set').choices(isaNames).default('auto'))
    .option('--threads <n>', 'threads of the CPU backend, 0 = one a core', wholeNumber(0), 0)
    .option('--steps <n>', 'most steps of the runs, spread evenly', wholeNumber(1), 400)
    .action(benchQuality);
  return addReportOptions(command, 'bench/results/quality.json');
}

/** At most `count` items, evenly spaced. */
function spreadOver<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as Item);
}

async function benchQuality(flags: Flags): Promise<void> {
  const modelDir = flags.model ?? shippedModel();
  const shape = shapeOfDirectory(modelDir);
  const cases = flags.data
    ? (await readCases(flags.data, interpreter())).cases
    : await exampleCases(flags.programs, interpreter(), pythonOutput);
  const fitting = cases.flatMap(answerTexts).filter(({ tokens }) => tokens.length <= shape.maxContext);
  const texts = spreadOver(fitting, flags.steps);
  if (texts.length === 0) {
    throw new ForetraceError('unreadable_file', 'there is nothing to predict', {
      expected: 'cases with step_into actions',
      actual: `${cases.length} cases`,
    });
  }
  const options = { modelDir, isa: flags.isa, threads: flags.threads, dtypes: flags.dtype };
  const rows = await watched('predicting', (update) => measureQuality(loadAddon(), options, texts, update));
  publishReport(flags, { model: shape.name, steps: texts.length, rows }, qualityLines);
}

function qualityLines({ rows, steps }: { rows: readonly QualityRow[]; steps: number }): string[] {
  const titles = ['weights', 'tokens', 'KL from fp32', 'same top token', 'loss', 'loss of fp32'];
  const table = tableLines(
    titles,
    rows.map((row) => [
      row.dtype,
      `${row.positions}`,
      row.kl.toExponential(2),
      `${(row.top1 * 100).toFixed(2)} %`,
      row.loss.toFixed(4),
      row.reference_loss.toFixed(4),
    ]),
  );
  return [`${steps} steps`, '', ...table];
}
