/** Finds and loads the native addon, and explains itself when that fails. */
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForetraceError } from '../errors.js';
import type { NativeAddon } from './addon-types.js';

/** Names a file to load instead of the built addon. */
const addonPathVariable = 'FORETRACE_ADDON';

const require = createRequire(import.meta.url);

/** The package root, from src/native/ as well as from dist/native/. */
export const packageRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Files that may hold the addon, in the order in which they are tried. */
export function addonCandidates(environment: NodeJS.ProcessEnv = process.env): string[] {
  const override = environment[addonPathVariable];
  if (override !== undefined && override !== '') return [resolve(override)];
  return ['Release', 'Debug'].map((configuration) =>
    join(packageRoot, 'build', configuration, 'foretrace.node'),
  );
}

function isAddon(value: unknown): value is NativeAddon {
  const addon = value as Partial<NativeAddon> | null;
  return typeof addon?.loadEngine === 'function' && typeof addon.features === 'function';
}

function explain(failures: readonly string[]): string {
  return [
    `The native part of foretrace could not be loaded on ${process.platform}-${process.arch}, Node ${process.version}.`,
    'Tried:',
    ...failures.map((failure) => `  ${failure}`),
    'Build it with `npm run build` (needs cmake 3.20 and a C++20 compiler),',
    `or set ${addonPathVariable} to a built foretrace.node.`,
  ].join('\n');
}

/** Tries one candidate after the other. Throws `internal` with every failure in the message. */
export function loadAddonFrom(candidates: readonly string[]): NativeAddon {
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      const loaded: unknown = require(candidate);
      if (isAddon(loaded)) return loaded;
      failures.push(`${candidate}: not the foretrace addon`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      failures.push(`${candidate}: ${message.split('\n', 1)[0]}`);
    }
  }
  throw new ForetraceError('internal', explain(failures));
}

let addon: NativeAddon | undefined;

/** The native addon of this process, loaded once. */
export function loadAddon(): NativeAddon {
  addon ??= loadAddonFrom(addonCandidates());
  return addon;
}

/** Version, instruction sets and devices of the native addon on this machine. */
export function features(): ReturnType<NativeAddon['features']> {
  return loadAddon().features();
}
