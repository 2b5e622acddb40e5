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

/** The file of the variable; undefined where it is not set or empty. */
function namedAddon(environment: NodeJS.ProcessEnv): string | undefined {
  const override = environment[addonPathVariable];
  return override ? resolve(override) : undefined;
}

/** Files that may hold the addon, in the order in which they are tried. */
export function addonCandidates(environment: NodeJS.ProcessEnv = process.env): string[] {
  const override = namedAddon(environment);
  if (override !== undefined) return [override];
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

/** The addon that a file holds, or what is wrong with it. */
function tryToLoad(path: string): NativeAddon | string {
  try {
    const loaded: unknown = require(path);
    return isAddon(loaded) ? loaded : `${path}: not the foretrace addon`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `${path}: ${message.split('\n', 1)[0]}`;
  }
}

/** Tries one candidate after the other. Throws `internal` with every failure in the message. */
export function loadAddonFrom(candidates: readonly string[]): NativeAddon {
  const failures: string[] = [];
  for (const candidate of candidates) {
    const loaded = tryToLoad(candidate);
    if (typeof loaded !== 'string') return loaded;
    failures.push(loaded);
  }
  throw new ForetraceError('internal', explain(failures));
}

/** The addon that an environment names, or the built one. @throws ForetraceError unreadable_file for a named one */
export function addonOf(environment: NodeJS.ProcessEnv): NativeAddon {
  const named = namedAddon(environment);
  if (named === undefined) return loadAddonFrom(addonCandidates(environment));
  const loaded = tryToLoad(named);
  if (typeof loaded !== 'string') return loaded;
  throw new ForetraceError('unreadable_file', `what ${addonPathVariable} names cannot be loaded`, {
    expected: `a foretrace.node built for ${process.platform}-${process.arch}, or ${addonPathVariable} unset`,
    actual: loaded,
  });
}

let addon: NativeAddon | undefined;

/** The native addon of this process, loaded once. */
export function loadAddon(): NativeAddon {
  addon ??= addonOf(process.env);
  return addon;
}

/** Version, instruction sets and devices of the native addon on this machine. */
export function features(): ReturnType<NativeAddon['features']> {
  return loadAddon().features();
}
