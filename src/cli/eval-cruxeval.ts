/** `foretrace eval cruxeval`: what a call gives, and which call gives it, on problems in CruxEval's form. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { LeftOutProblem } from '../eval/cruxeval-batch.js';
import type { InputMethod } from '../eval/cruxeval-candidates.js';
import { checkInputs } from '../eval/cruxeval-check.js';
import { type ForwardCheck, forwardChecks, judgeInputs, proposeInputs } from '../eval/cruxeval-input.js';
import { inputLine, inputMarkdown, outputLine, outputMarkdown } from '../eval/cruxeval-markdown.js';
import { evaluateOutput, type JumpKind, jumpKinds, mainMethod } from '../eval/cruxeval-output.js';
import { type CruxProblem, readProblems } from '../eval/cruxeval-problems.js';
import { inputReport, outputReport } from '../eval/cruxeval-report.js';
import { realRuns } from '../eval/cruxeval-truth.js';
import { makeFolder, writeFile } from '../eval/files.js';
import { maxCandidates } from '../session/candidates.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { interpreter } from './python.js';
import { type Runtime, startRuntime } from './runtime.js';

interface CruxFlags extends EngineFlags {
  data: string;
  task: 'output' | 'input';
  mode: 'jump' | 'walk' | 'auto';
  jump: JumpKind | 'all';
  candidates: number;
  rerank: ForwardCheck | 'both' | 'none';
  truth?: boolean;
  maxSteps: number;
  autoSteps: number;
  timeout: number;
  concurrency: number;
  limit?: number;
  out?: string;
  json?: boolean;
}

export function cruxevalCommand(): Command {
  const command = new Command('cruxeval')
    .description('output and input prediction on problems in CruxEval’s form, beside simple rules')
    .requiredOption('--data <file>', 'problems, one JSON object a line: {id, code, input, output, entry?}')
    .addOption(
      new Option('--task <task>', 'predict the output of the call, or an input that gives the output')
        .choices(['output', 'input'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--mode <mode>', 'one prediction, step by step, or both combined (output only)')
        .choices(['jump', 'walk', 'auto'])
        .default('jump'),
    )
    .addOption(
      new Option('--jump <kind>', 'output: which jump to the return')
        .choices(['all', ...jumpKinds])
        .default('all'),
    )
    .option(
      '--candidates <n>',
      `input: distinct candidates, 1 to ${maxCandidates}`,
      wholeNumber(1, maxCandidates),
      5,
    )
    .addOption(
      new Option(
        '--rerank <how>',
        'input: predict forward from the candidates, and put first what comes back',
      )
        .choices([...forwardChecks, 'both', 'none'])
        .default('jump'),
    )
    .option('--truth', 'output: run the programs too, and report how far the walks are right')
    .option('--max-steps <n>', 'steps after which a walk is given up', wholeNumber(1), 512)
    .option('--auto-steps <n>', 'auto: steps within which a walk is preferred to a jump', wholeNumber(1), 64)
    .option('--timeout <seconds>', 'wall time of one real run', wholeNumber(1), 5)
    .option('--concurrency <n>', 'problems asked about at once', wholeNumber(1), 32)
    .option('--limit <n>', 'only the first n problems', wholeNumber(1))
    .option('--out <dir>', 'write report.json, report.md and results.jsonl there')
    .option('--json', 'print one JSON object');
  return addEngineOptions(command).action(evalCruxeval);
}

/** A report in its three forms. */
interface Evaluated {
  readonly report: object;
  readonly markdown: string;
  readonly results: readonly object[];
  readonly leftOut: readonly LeftOutProblem[];
}

async function evalCruxeval(flags: CruxFlags, command: Command): Promise<void> {
  if (flags.task === 'input' && flags.mode === 'auto')
    command.error("error: option '--mode auto' is for --task output; an input is found by jump or walk");
  const problems = readProblems(flags.data, flags.limit);
  if (flags.out) makeFolder(flags.out);
  const runtime = await startRuntime(flags);
  try {
    const evaluate = flags.task === 'output' ? evaluateOutputs : evaluateInputs;
    const evaluated = await evaluate(runtime, problems, flags);
    if (flags.out) writeResults(flags.out, evaluated);
    console.log(flags.json ? JSON.stringify(evaluated.report) : evaluated.markdown);
  } finally {
    await runtime.close();
  }
}

async function evaluateOutputs(
  runtime: Runtime,
  problems: readonly CruxProblem[],
  flags: CruxFlags,
): Promise<Evaluated> {
  const { mode, maxSteps, autoSteps, concurrency, timeout } = flags;
  const jumps = flags.jump === 'all' ? jumpKinds : [flags.jump];
  const method = mainMethod({ mode, jumps });
  const truth = flags.truth ? realRuns({ python: interpreter(), maxEvents: 10_000, timeout }) : undefined;
  const batch = await watched('predicting', (onProgress) =>
    evaluateOutput(runtime.access, problems, {
      mode,
      jumps,
      maxSteps,
      autoSteps,
      concurrency,
      onProgress,
      ...(truth ? { truth } : {}),
    }),
  );
  const report = outputReport(batch, mode, method);
  return {
    report,
    markdown: outputMarkdown(report),
    results: batch.results.map((result) => outputLine(result, method)),
    leftOut: batch.leftOut,
  };
}

async function evaluateInputs(
  runtime: Runtime,
  problems: readonly CruxProblem[],
  flags: CruxFlags,
): Promise<Evaluated> {
  const { maxSteps, candidates, concurrency, timeout, rerank } = flags;
  const mode = flags.mode === 'walk' ? 'walk' : 'jump';
  const methods: readonly InputMethod[] = mode === 'walk' ? ['walk'] : ['inv_step_call', 'inv_continue'];
  const [method = 'walk'] = methods;
  const forward = rerank === 'both' ? forwardChecks : rerank === 'none' ? [] : [rerank];
  const check = checkInputs(interpreter(), timeout);
  const proposed = await watched('predicting', (onProgress) =>
    proposeInputs(runtime.access, problems, {
      methods,
      candidates,
      forward,
      maxSteps,
      concurrency,
      onProgress,
    }),
  );
  const batch = await watched('running', (onProgress) => judgeInputs(proposed, check, onProgress));
  const report = inputReport(batch, mode, method, candidates);
  return {
    report,
    markdown: inputMarkdown(report),
    results: batch.results.map((result) => inputLine(result, method)),
    leftOut: batch.leftOut,
  };
}

function writeResults(folder: string, { report, markdown, results, leftOut }: Evaluated): void {
  const lines = [...results, ...leftOut.map(({ id, reason }) => ({ id, left_out: reason }))];
  writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFile(join(folder, 'report.md'), `${markdown}\n`);
  writeFile(join(folder, 'results.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
