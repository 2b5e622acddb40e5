/** `foretrace bench`: everything that measures speed. A benchmark never asserts. */
import { Command } from 'commander';
import { benchAgentsCommand } from './bench-agents.js';
import { benchCompareCommand } from './bench-compare.js';
import { benchEngineCommand } from './bench-engine.js';
import { benchQualityCommand } from './bench-quality.js';
import { benchWalkCommand } from './bench-walk.js';

export const benchCommand = (): Command =>
  new Command('bench')
    .description('measure speed')
    .addCommand(benchEngineCommand())
    .addCommand(benchCompareCommand())
    .addCommand(benchQualityCommand())
    .addCommand(benchAgentsCommand())
    .addCommand(benchWalkCommand());
