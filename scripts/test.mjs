// Runs every test: types and style, C++ (plain and under sanitizers), Python, TypeScript. Ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findPython } from './tools.mjs';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const total = { passed: 0, failed: 0 };
/** What failed, told once more at the very end: the output of a whole run is long. */
const failures = [];

function execute(label, command, args, options = {}) {
  console.log(`\n== ${label}`);
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`;
  process.stdout.write(output);
  return { ok: result.status === 0 && !result.error, output };
}

/** `names` are the tests that failed, each with a line of its own or more. */
function count(label, passed, counted, ok, names = []) {
  // A run that failed without counting a failure (a crash, a build error) is one failure.
  const failed = counted === 0 && !ok ? 1 : counted;
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(label, ...names.map((name) => `  ${name}`));
  console.log(`-- ${label}: ${passed} passed, ${failed} failed`);
}

/** All lines of an output that a pattern finds. */
const linesOf = (output, pattern) => [...output.matchAll(pattern)].map(([line]) => line);
const lastLines = (output) => output.trimEnd().split('\n').slice(-8);

function check(label, command, args) {
  const { ok, output } = execute(label, command, args);
  count(label, ok ? 1 : 0, ok ? 0 : 1, ok, lastLines(output));
}

function testNative(label, directory, configuration, selection = []) {
  const configured = execute(`${label}: configure`, 'cmake', [
    '-S',
    'native',
    '-B',
    directory,
    '-DFORETRACE_TESTS=ON',
    ...configuration,
  ]);
  const built =
    configured.ok && execute(`${label}: build`, 'cmake', ['--build', directory, '--parallel', '2']);
  if (!built?.ok) return count(label, 0, 1, false, lastLines((built || configured).output));
  const flags = ['--test-dir', directory, '--verbose', '--timeout', '1500', ...selection];
  const { ok, output } = execute(label, 'ctest', flags);
  let passed = 0;
  let failed = 0;
  for (const match of output.matchAll(/^\d+: (\d+) passed, (\d+) failed/gm)) {
    passed += Number(match[1]);
    failed += Number(match[2]);
  }
  const names = linesOf(
    output,
    /^\d+: (?:FAILED |.*check failed: ).*|^\s+\d+ - .*\((?:Failed|Timeout|SEGFAULT|Subprocess|ILLEGAL).*/gm,
  );
  count(label, passed, failed, ok, names);
}

function testPython(label) {
  const python = findPython('torch') ?? findPython();
  const { ok, output } = execute(label, python, ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], {
    cwd: 'python',
  });
  const ran = Number(/^Ran (\d+) tests?/m.exec(output)?.[1] ?? 0);
  const number = (word) => Number(new RegExp(`${word}=(\\d+)`).exec(output)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const names = linesOf(output, /^(?:FAIL|ERROR): .*/gm);
  count(label, ran - failed - number('skipped'), failed, ok, names);
}

function testTypeScript(label) {
  const folder = mkdtempSync(join(tmpdir(), 'foretrace-test-'));
  const report = join(folder, 'vitest.json');
  const { ok } = execute(label, 'npx', [
    '--no-install',
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  let counts = { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    console.error(`no vitest report: ${error.message}`);
  }
  rmSync(folder, { recursive: true, force: true });
  const names = counts.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${relative(root, name)}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(
        ({ fullName, failureMessages }) =>
          `${relative(root, name)}: ${fullName}: ${failureMessages[0] ?? ''}`,
      ),
  ]);
  count(label, counts.numPassedTests, counts.numFailedTests, ok, names);
}

/** A stage that breaks down (no disk, no memory) is a failure like any other: the stages after it run, and the count is told. */
function stage(run, label, ...rest) {
  try {
    run(label, ...rest);
  } catch (error) {
    count(label, 0, 1, false, [error.stack]);
  }
}

stage(check, 'types', 'npx', ['--no-install', 'tsc', '--noEmit', '-p', 'tsconfig.test.json']);
stage(check, 'style', 'npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.']);
stage(testNative, 'C++', 'build-native', ['-DCMAKE_BUILD_TYPE=Release']);
// The emulated GPU runs every thread as a fibre, which takes many minutes under the sanitizers.
stage(
  testNative,
  'C++ with sanitizers',
  'build-sanitize',
  ['-DCMAKE_BUILD_TYPE=RelWithDebInfo', '-DFORETRACE_SANITIZE=address,undefined', '-DFORETRACE_CUDA=OFF'],
  ['-E', 'cuda_emulated'],
);
stage(testPython, 'Python');
stage(testTypeScript, 'TypeScript');
if (failures.length > 0) console.log(`\n== What failed\n${failures.join('\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
