/** Command line options that every command with an engine shares. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { ForetraceError } from '../errors.js';
import type { EngineOptions } from '../native/addon-types.js';
import { type DialectName, dialectNames } from './dialect.js';

export interface EngineFlags {
  model?: string;
  device: EngineOptions['device'];
  isa: EngineOptions['isa'];
  dtype: EngineOptions['dtype'];
  threads: number;
  pages: number;
  hostCacheBytes: number;
  /** The language that the model speaks; `auto`, and the default: by its config.json. */
  dialect?: DialectName;
  /** False: `--no-drafts`. */
  drafts: boolean;
}

const modelsDir = fileURLToPath(new URL('../../models/', import.meta.url));

/** The model that ships: the one directory of models/ that holds a config.json. @throws ForetraceError model_not_found */
export function shippedModel(): string {
  const names = existsSync(modelsDir) ? readdirSync(modelsDir) : [];
  const found = names.filter((name) => existsSync(join(modelsDir, name, 'config.json'))).sort();
  if (found[0]) return join(modelsDir, found[0]);
  throw new ForetraceError('model_not_found', 'no model ships with this copy', {
    expected: 'a directory models/NAME with config.json, or --model DIR',
    actual: names.join(', ') || 'an empty models directory',
  });
}

/** A whole number from `least` to `most`, for commander. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    // Number() also reads '' and spaces (0), 1e3 and 0x10.
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const end = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
      throw new InvalidArgumentError(`expected a whole number from ${least}${end}`);
    }
    return value;
  };

const choice =
  <Value extends string>(...values: Value[]) =>
  (text: string): Value => {
    const found = values.find((value) => value === text);
    if (!found) throw new InvalidArgumentError(`expected ${values.join(', ')}`);
    return found;
  };

export const isaNames = ['auto', 'portable', 'avx2', 'avx512', 'avx512vnni', 'avx512bf16', 'amx'] as const;

export function addEngineOptions(command: Command): Command {
  return command
    .option('--model <dir>', 'model directory (default: the model that ships)')
    .option(
      '--dialect <name>',
      `language of the model: ${dialectNames.join(', ')}`,
      choice(...dialectNames),
      'auto',
    )
    .option('--device <device>', 'auto, cpu or cuda', choice('auto', 'cpu', 'cuda'), 'auto')
    .option('--isa <set>', `CPU instruction set: ${isaNames.join(', ')}`, choice(...isaNames), 'auto')
    .option(
      '--dtype <type>',
      'number format of the weights: auto, fp32 (CPU), bf16, int8, fp8 (GPU)',
      choice('auto', 'fp32', 'bf16', 'int8', 'fp8'),
      'auto',
    )
    .option('--threads <n>', 'threads of the CPU backend, 0 = one a core', wholeNumber(0), 0)
    .option(
      '--pages <n>',
      'KV pages in the pool, 0 = by a 256 MiB budget or the free memory of the GPU',
      wholeNumber(0),
      0,
    )
    .option(
      '--host-cache-bytes <n>',
      'host memory for KV pages that leave the pool of a GPU, 0 = none',
      wholeNumber(0),
      0,
    )
    .option('--no-drafts', 'compute one token at a time, without guessing ahead (same answers)');
}
