/** `foretrace eval steps`: accuracy and calibration of answers on recorded cases. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { grammarOf } from '../debugger/language/grammar.js';
import { accuracyText } from '../eval/accuracy-table.js';
import { readCases } from '../eval/cases.js';
import { makeFolder, writeFile } from '../eval/files.js';
import type { Outcome } from '../eval/outcome.js';
import { ReplayProcess } from '../eval/replay.js';
import { stepsTable } from '../eval/report.js';
import { writeReport } from '../eval/report-files.js';
import type { CandidateSource } from '../eval/reverse.js';
import { type CandidateOptions, evaluateSteps, type StepsResult } from '../eval/steps.js';
import { type Subject, stepsReport } from '../eval/steps-report.js';
import type { ModelAccess } from '../session/ask-model.js';
import { findCandidates, maxCandidates } from '../session/candidates.js';
import { type Mode, modes } from '../session/navigate.js';
import { addEngineOptions, type EngineFlags, shippedModel, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { interpreter } from './python.js';
import { type Runtime, startRuntime } from './runtime.js';

interface StepsFlags extends EngineFlags {
  data: string;
  mode: Mode;
  concurrency: number;
  candidates: number;
  checkForward?: boolean;
  bins: number;
  out?: string;
  accuracy?: string;
  json?: boolean;
}

export function stepsCommand(): Command {
  const steps = new Command('steps')
    .description('exact match and calibration of answers to single actions, beside the baselines')
    .requiredOption(
      '--data <file>',
      'cases, one JSON object a line: {id, source, call, actions, states, tags?}',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'one prediction, one for each event on the way, or what is most likely right',
      )
        .choices([...modes])
        .default('jump'),
    )
    .option('--concurrency <n>', 'programs asked about at once', wholeNumber(1), 32)
    .option(
      '--candidates <n>',
      `states to ask reverse actions for, at most ${maxCandidates}`,
      wholeNumber(1, maxCandidates),
      1,
    )
    .option('--check-forward', 'rank candidates by whether the forward action leads back from them')
    .option('--bins <n>', 'bins of the reliability tables', wholeNumber(1), 15)
    .option('--out <dir>', 'write report.json, report.md, results.jsonl and plots there')
    .option(
      '--accuracy <file>',
      'ask by jumping and by walking, and write the table by which `auto` chooses: accuracy.json beside the model',
    )
    .option('--json', 'print one JSON object');
  return addEngineOptions(steps).action(evalSteps);
}

/** Candidates of the product: greedy and sampled answers, made distinct. */
function candidateSource(access: ModelAccess, check: boolean): CandidateSource {
  return async (program, state, action, count) => {
    const question = { program, grammar: grammarOf(program), state, action, client: 'eval' } as const;
    const options = { priority: 'batch', fresh: false, count, seed: 0, check } as const;
    const { candidates } = await findCandidates(access, { ...question, ...options });
    return candidates.map(({ reply, probability, consistent }) => ({
      state: reply.delta.state,
      probability,
      consistent,
    }));
  };
}

function subjectOf(flags: StepsFlags, { engine }: Runtime): Subject {
  const sha256 = createHash('sha256').update(readFileSync(flags.data)).digest('hex');
  return {
    model: { name: basename(resolve(flags.model ?? shippedModel())), digest: engine.info.modelDigest },
    data: { name: basename(flags.data), sha256 },
    device: engine.info.device,
    mode: flags.mode,
  };
}

async function evalSteps(flags: StepsFlags): Promise<void> {
  if (flags.out) makeFolder(flags.out);
  if (flags.accuracy) makeFolder(dirname(flags.accuracy));
  const data = await watched('running programs', (onProgress) =>
    readCases(flags.data, interpreter(), onProgress),
  );
  const runtime = await startRuntime(flags);
  const replay = flags.candidates > 1 ? new ReplayProcess(interpreter()) : undefined;
  try {
    const { concurrency, candidates: n, bins } = flags;
    const ask = (mode: Mode, candidates?: CandidateOptions): Promise<StepsResult> =>
      watched(`predicting (${mode})`, (onProgress) =>
        evaluateSteps(runtime.access, data, {
          mode,
          concurrency,
          onProgress,
          ...(candidates ? { candidates } : {}),
        }),
      );
    const source = candidateSource(runtime.access, flags.checkForward ?? false);
    const result = await ask(flags.mode, replay ? { n, source, check: replay.check } : undefined);
    const report = stepsReport(data, result, { subject: subjectOf(flags, runtime), bins, candidates: n });
    if (flags.accuracy) {
      const { model, data: asked } = subjectOf(flags, runtime);
      const outcomesBy = async (mode: Mode): Promise<readonly Outcome[]> =>
        (mode === flags.mode ? result : await ask(mode)).outcomes;
      const subject = { model: model.digest, data: asked.sha256 };
      writeFile(flags.accuracy, accuracyText(subject, await outcomesBy('jump'), await outcomesBy('walk')));
    }
    if (flags.out) await writeReport(flags.out, report, result.outcomes);
    console.log(flags.json ? JSON.stringify(report) : stepsTable(report));
    if (flags.out && !flags.json) console.log(`written to ${flags.out}`);
  } finally {
    await replay?.close();
    await runtime.close();
  }
}
