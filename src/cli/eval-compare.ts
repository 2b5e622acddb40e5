/** `foretrace eval compare`: what differs between two evaluations, and whether it is more than chance. */
import { Command } from 'commander';
import { comparisonMarkdown } from '../eval/compare-markdown.js';
import { compareFiles } from '../eval/report-files.js';

export function compareCommand(): Command {
  return new Command('compare')
    .description('differences of two reports of eval steps by action, question by question where it can')
    .argument('<a>', 'report.json, or the folder it lies in')
    .argument('<b>', 'the other one')
    .option('--json', 'print one JSON object')
    .action((a: string, b: string, { json }: { json?: boolean }) => {
      const comparison = compareFiles(a, b);
      console.log(json ? JSON.stringify(comparison) : comparisonMarkdown(comparison));
    });
}
