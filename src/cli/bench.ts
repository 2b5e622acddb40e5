/** `foretrace bench`: everything that measures speed. A benchmark never asserts. */
import { Command } from 'commander';
import { benchAgentsCommand } from './bench-agents.js';
import { benchEngineCommand } from './bench-engine.js';

export const benchCommand = (): Command =>
  new Command('bench')
    .description('measure speed')
    .addCommand(benchEngineCommand())
    .addCommand(benchAgentsCommand());
