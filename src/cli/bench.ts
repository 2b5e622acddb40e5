/** `foretrace bench`: everything that measures speed. A benchmark never asserts. */
import { Command } from 'commander';
import { benchAgentsCommand } from './bench-agents.js';
import { benchEngineCommand } from './bench-engine.js';
import { benchWalkCommand } from './bench-walk.js';

export const benchCommand = (): Command =>
  new Command('bench')
    .description('measure speed')
    .addCommand(benchEngineCommand())
    .addCommand(benchAgentsCommand())
    .addCommand(benchWalkCommand());
