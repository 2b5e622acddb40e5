/** `foretrace bench engine`: prefill and decode of one model, as shares of what this machine can do. */
import { Command } from 'commander';

export const benchEngineCommand = (): Command =>
  new Command('engine').description('prefill and decode speed of the engine, as a share of this machine');
