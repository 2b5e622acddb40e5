// Finds the tools the build needs and says which package brings a missing one.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Runs a command and returns its trimmed standard output, or null if it is missing or fails. */
export function probe(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  return result.error || result.status !== 0 ? null : `${result.stdout}${result.stderr}`.trim();
}

/** The Python to trace with: the first interpreter of the list that is 3.10 or newer (and has `module`, if given). */
export function findPython(module) {
  const candidates = [process.env.FORETRACE_PYTHON, 'python3', '/usr/bin/python3', 'python'].filter(Boolean);
  const check = `import sys; assert sys.version_info >= (3, 10)${module ? `; import ${module}` : ''}`;
  return candidates.find((candidate) => probe(candidate, ['-c', check]) !== null) ?? null;
}

/** Whether a version is in a range as package.json has it: `^1.2.3` or `>=1.2.3`, or several of them with `||` between. */
export function isInRange(version, range) {
  const numbersOf = (text) => /(\d+)\.(\d+)\.(\d+)/.exec(text).slice(1).map(Number);
  const [major, minor, patch] = numbersOf(version);
  return range.split('||').some((part) => {
    const [leastMajor, leastMinor, leastPatch] = numbersOf(part);
    if (major !== leastMajor) return part.includes('>=') && major > leastMajor;
    return minor > leastMinor || (minor === leastMinor && patch >= leastPatch);
  });
}

// Not import.meta.dirname: a Node.js that is too old to have it is to be told so.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const requirements = [
  {
    name: `Node.js ${engines.node} instead of ${process.versions.node}`,
    debian: 'nodejs',
    found: () => isInRange(process.versions.node, engines.node),
  },
  { name: 'Python 3.10 or newer', debian: 'python3', found: () => findPython() !== null },
  { name: 'CMake 3.20 or newer', debian: 'cmake', found: () => probe('cmake', ['--version']) !== null },
  {
    name: 'a C++20 compiler',
    debian: 'g++',
    found: () => [process.env.CXX, 'c++', 'g++', 'clang++'].some((cxx) => cxx && probe(cxx, ['--version'])),
  },
  {
    name: 'make or ninja',
    debian: 'make',
    found: () => probe('make', ['--version']) !== null || probe('ninja', ['--version']) !== null,
  },
];

/** Exits with one message that names every missing tool and the Debian package that brings it. */
export function requireTools() {
  const missing = requirements.filter((requirement) => !requirement.found());
  if (missing.length === 0) return;
  const lines = missing.map(({ name, debian }) => `  ${name} (Debian: apt-get install ${debian})`);
  console.error(`foretrace: these tools are missing:\n${lines.join('\n')}`);
  process.exit(1);
}

/** Runs a command with inherited output; exits with its status when it fails. */
export function run(label, command, args, options = {}) {
  console.log(`foretrace: ${label}`);
  const result = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (result.status !== 0) {
    console.error(
      `foretrace: ${label} failed: ${command} ${args.join(' ')}${result.error ? ` (${result.error.message})` : ''}`,
    );
    process.exit(result.status ?? 1);
  }
}
