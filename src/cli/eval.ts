/** `foretrace eval`: everything that measures a model. */
import { Command } from 'commander';
import { compareCommand } from './eval-compare.js';
import { cruxevalCommand } from './eval-cruxeval.js';
import { operationsCommand } from './eval-operations.js';
import { stepsCommand } from './eval-steps.js';

export const evalCommand = (): Command =>
  new Command('eval')
    .description('measure a model')
    .addCommand(stepsCommand())
    .addCommand(cruxevalCommand())
    .addCommand(operationsCommand())
    .addCommand(compareCommand());
