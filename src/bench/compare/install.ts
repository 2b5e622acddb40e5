/** Fetches node-llama-cpp when a comparison asks for it: it is no dependency of this package. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ForetraceError } from '../../errors.js';

/** The version that is compared with; its internal calls are used, so that it is pinned. */
export const peerVersion = '3.22.1';

/** The packages with its CPU binaries, by platform and architecture of Node.js. */
const binaries: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** Where weights, their conversions and the peer are kept. */
export const defaultCache = (): string =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'foretrace');

/**
 * The folder with node-llama-cpp in node_modules; installs it with npm unless it is there. Only the binaries of this platform without a GPU are
 * fetched, and no install script runs. @throws ForetraceError unsupported_device, unreadable_file
 */
export function installPeer(cache: string): string {
  const folder = join(cache, `node-llama-cpp-${peerVersion}`);
  if (existsSync(join(folder, 'installed'))) return folder;
  const platform = `${process.platform}-${process.arch}`;
  const binary = binaries[platform];
  if (binary === undefined) {
    throw new ForetraceError('unsupported_device', 'node-llama-cpp has no binaries for this platform', {
      expected: Object.keys(binaries).join(', '),
      actual: platform,
    });
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = [`node-llama-cpp@${peerVersion}`, `@node-llama-cpp/${binary}@${peerVersion}`];
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  try {
    execFileSync('npm', ['install', ...flags, ...packages], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw new ForetraceError('unreadable_file', `npm could not install ${packages[0]}`, {}, { cause: error });
  }
  writeFileSync(join(folder, 'installed'), `${packages.join('\n')}\n`);
  return folder;
}
