/** The import arrows of the layout, over all three languages. Each check is also run on a planted violation, so that it is known to fail. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type Arrow,
  cppArrows,
  type Files,
  type Layers,
  pythonArrows,
  readFiles,
  typescriptArrows,
  violations,
} from './support/layers.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Imports point one way: cli, server -> session -> {debugger, scheduler} -> native. */
const typescriptLayers: Layers = {
  errors: [],
  generated: [],
  native: ['errors'],
  debugger: ['errors'],
  scheduler: ['native', 'errors'],
  trajectory: ['debugger', 'errors'],
  session: ['trajectory', 'debugger', 'scheduler', 'errors'],
  persistence: ['trajectory', 'debugger', 'errors'],
  wire: ['session', 'debugger', 'scheduler', 'generated', 'errors'],
  client: ['wire', 'debugger', 'generated', 'errors'],
  view: ['wire', 'errors'],
  dap: ['client', 'wire', 'errors'],
  mcp: ['client', 'view', 'wire', 'errors'],
  dialects: ['session', 'debugger', 'errors'],
  eval: ['session', 'debugger', 'scheduler', 'errors'],
  bench: ['client', 'wire', 'eval', 'session', 'debugger', 'scheduler', 'native', 'errors'],
  server: ['wire', 'session', 'trajectory', 'debugger', 'scheduler', 'native', 'generated', 'errors'],
  cli: [
    'dap',
    'mcp',
    'view',
    'dialects',
    'server',
    'bench',
    'client',
    'eval',
    'wire',
    'session',
    'persistence',
    'trajectory',
    'debugger',
    'scheduler',
    'native',
    'generated',
    'errors',
  ],
};

const nativeLayers: Layers = {
  core: [],
  cpu: ['core'],
  cuda: ['core'],
  io: ['core'],
  memory: ['core'],
  grammar: ['core'],
  model: ['core'],
  engine: ['model', 'memory', 'grammar', 'io', 'cpu', 'cuda', 'core'],
  binding: ['bench', 'engine', 'grammar', 'cpu', 'cuda', 'core'],
  bench: ['engine', 'model', 'memory', 'grammar', 'io', 'cpu', 'cuda', 'core'],
  test: ['engine', 'model', 'memory', 'grammar', 'io', 'cpu', 'cuda', 'core'],
};

const pythonLayers: Layers = {
  trace: [],
  language: ['trace'],
  generator: [],
  corpus: ['generator', 'language', 'trace'],
  training: ['corpus', 'generator', 'language', 'trace'],
  evaluation: ['training', 'corpus', 'generator', 'language', 'trace'],
  main: ['evaluation', 'training', 'corpus', 'generator', 'language', 'trace'],
};

/** Everything but these layers runs without any package. */
const numericLayers = ['training', 'evaluation'];
const numericPackages = ['torch', 'numpy'];

const typescriptLayer = (path: string): string => {
  const [top, name = ''] = path.split('/');
  return top === 'src' ? name.replace(/\.[jt]s$/, '') : `${top}/`;
};

const nativeLayer = (path: string): string => {
  const name = path.split('/')[1] as string;
  return name.startsWith('binding') ? 'binding' : name;
};

const pythonLayer = (path: string): string => {
  const [, name = ''] = path
    .replace(/^python\//, '')
    .replace(/\.py$/, '')
    .split(/[/.]/);
  return name === '' || name === '__init__' || name === '__main__' ? 'main' : name;
};

const tokenTableReader = 'src/debugger/language/tokens.ts';

/** The token table is the one file outside src/ that the debugger may read. */
function typescriptProblems(files: Files): string[] {
  const table = 'proto/trace-tokens.json';
  const arrows = typescriptArrows(files).filter(
    ({ from, to }) => !(typescriptLayer(from) === 'debugger' && to === table) && to !== 'package.json',
  );
  const outward = arrows.filter(({ to, inside }) => inside && !to.startsWith('src/'));
  const inward = arrows.filter(({ to }) => to.startsWith('src/'));
  const packages = arrows.filter(
    ({ from, to, inside }) =>
      !inside &&
      ['debugger', 'scheduler', 'trajectory'].includes(typescriptLayer(from)) &&
      !pureDependencies.some((one) => one.test(to)) &&
      !(from === tokenTableReader && to === 'node:fs'),
  );
  return [
    ...violations(inward, typescriptLayers, typescriptLayer),
    ...outward
      .filter(({ from, to }) => !mayReadOutside(from, to))
      .map(({ from, to }) => `${from} imports ${to}, which is outside src/`),
    ...packages.map(
      ({ from, to }) => `${from} imports ${to}: only parsers, hashes and containers are allowed here`,
    ),
  ];
}

/** Packages that the parts without effects may use: no sockets, no files. */
const pureDependencies = [/^@lezer\//, /^lru-cache$/, /^node:crypto$/];

/** Built and shipped files that a layer may find by their place in the package. */
const outside: Readonly<Record<string, RegExp>> = {
  native: /^(build|package\.json)/,
  wire: /^proto\//,
  eval: /^python\//,
  bench: /^examples\//,
  cli: /^(bin|models|python|examples)\/?/,
};

const mayReadOutside = (from: string, to: string): boolean =>
  outside[typescriptLayer(from)]?.test(to) ?? false;

function nativeProblems(files: Files): string[] {
  const arrows = cppArrows(files);
  const foreign = (pattern: RegExp, allowed: string, what: string): string[] =>
    arrows
      .filter(({ from, to, inside }) => !inside && pattern.test(to) && nativeLayer(from) !== allowed)
      .filter(({ from }) => !from.startsWith(`native/test/${allowed}_`))
      .map(({ from, to }) => `${from} includes ${to}: ${what} belong into native/${allowed} only`);
  const unresolved = arrows.filter(({ to, inside }) => {
    const [directory = '', ...rest] = to.split('/');
    return !inside && rest.length > 0 && directory in nativeLayers;
  });
  return [
    ...violations(arrows, nativeLayers, nativeLayer),
    ...foreign(/^(napi|node_api|js_native_api|node|uv|v8)\.h$|^node\//, 'binding', 'Node headers'),
    ...foreign(/^(cuda|cublas|cudnn|nccl|cub\/|cute\/|cutlass\/|mma\.h|thrust\/|nv)/, 'cuda', 'CUDA headers'),
    ...unresolved.map(({ from, to }) => `${from} includes ${to}, which does not exist`),
  ];
}

const standardModules = new Set(
  execFileSync('python3', ['-c', 'import sys; print(*sys.stdlib_module_names)'], { encoding: 'utf8' })
    .trim()
    .split(/\s+/),
);

function pythonProblems(files: Files): string[] {
  const arrows = pythonArrows(files);
  const packages = arrows.filter(
    ({ to, inside }) => !inside && !standardModules.has(to.split('.')[0] as string),
  );
  const allowed = ({ from, to }: Arrow): boolean =>
    numericLayers.includes(pythonLayer(from)) && numericPackages.includes(to.split('.')[0] as string);
  return [
    ...violations(arrows, pythonLayers, pythonLayer),
    ...packages
      .filter((arrow) => !allowed(arrow))
      .map(({ from, to }) => `${from} imports ${to}: not in the standard library`),
  ];
}

const typescript = readFiles(root, 'src', ['.ts']);
const native = readFiles(root, 'native', ['.h', '.cc', '.cpp', '.cu', '.cuh', '.inc']);
const python = readFiles(root, 'python/foretrace', ['.py']);

/** Problems that appear when one more file is planted. */
const planted = (files: Files, check: (all: Files) => string[], path: string, text: string): string[] => {
  const before = new Set(check(files));
  return check(new Map([...files, [path, text]])).filter((problem) => !before.has(problem));
};

describe('import arrows', () => {
  it('of TypeScript point one way', () => {
    expect(typescript.size).toBeGreaterThan(10);
    expect(typescriptArrows(typescript).length).toBeGreaterThan(typescript.size);
    expect(typescriptProblems(typescript)).toEqual([]);
  });

  it('of C++ point one way', () => {
    expect(native.size).toBeGreaterThan(10);
    expect(cppArrows(native).filter((arrow) => arrow.inside).length).toBeGreaterThan(10);
    expect(nativeProblems(native)).toEqual([]);
  });

  it('of Python point one way, and tracing, language and corpus need the standard library only', () => {
    expect(python.size).toBeGreaterThan(10);
    expect(pythonArrows(python).filter((arrow) => arrow.inside).length).toBeGreaterThan(10);
    expect(pythonProblems(python)).toEqual([]);
  });
});

describe('the checker sees a broken arrow', () => {
  it.each([
    ['src/scheduler/bad.ts', "import { parseProgram } from '../debugger/program.js';"],
    ['src/scheduler/bad.ts', "import {\n  a,\n  b,\n} from '../session/debug-session.js';"],
    ['src/scheduler/bad.ts', "export type { A } from '../debugger/state.js';"],
    ['src/scheduler/bad.ts', "const a = await import('../server/app.js');"],
    ['src/scheduler/bad.ts', "import { readFileSync } from 'node:fs';"],
    ['src/debugger/language/bad.ts', "import type { GrammarData } from '../../native/addon-types.js';"],
    ['src/debugger/bad.ts', "import '../scheduler/request.js';"],
    ['src/debugger/bad.ts', "import table from '../../proto/other.json';"],
    ['src/native/bad.ts', "import { plan } from '../scheduler/plan.js';"],
    ['src/session/bad.ts', "import { app } from '../server/app.js';"],
    ['src/client/bad.ts', "import { createScheduler } from '../scheduler/index.js';"],
    ['src/errors.ts', "import { a } from './native/load.js';"],
    ['src/scheduler/bad.ts', "import { request } from '../../test/support/fake-engine.js';"],
    ['src/unknown/bad.ts', "import { a } from '../errors.js';"],
  ])('%s with %s', (path, text) => {
    expect(planted(typescript, typescriptProblems, path, text)).toHaveLength(1);
  });

  it.each([
    ['native/engine/bad.cc', '#include <napi.h>'],
    ['native/memory/bad.h', '#include "model/transformer.h"'],
    ['native/memory/bad.h', '#include "cpu/features.h"'],
    ['native/core/bad.h', '#include "memory/block_pool.h"'],
    ['native/cpu/bad.cc', '  #  include "engine/engine.h"'],
    ['native/cpu/bad.cc', '#include <cuda_runtime.h>'],
    ['native/engine/bad.cc', '#include "cuda_bf16.h"'],
    ['native/model/bad.cc', '#include "engine/engine.h"'],
    ['native/engine/bad.cc', '#include "core/no_such_header.h"'],
    ['native/surprise/bad.cc', '#include "core/error.h"'],
  ])('%s with %s', (path, text) => {
    expect(planted(native, nativeProblems, path, text)).toHaveLength(1);
  });

  it.each([
    ['python/foretrace/trace/bad.py', 'import numpy as np'],
    ['python/foretrace/trace/bad.py', 'import sys, torch'],
    ['python/foretrace/trace/bad.py', 'from foretrace.language import tokens'],
    ['python/foretrace/trace/bad.py', 'from ..language.program import Program'],
    ['python/foretrace/trace/bad.py', 'def f():\n    from .. import corpus'],
    ['python/foretrace/trace/bad.py', 'from foretrace import (\n    training,\n)'],
    ['python/foretrace/language/bad.py', 'from torch.nn import functional'],
    ['python/foretrace/language/bad.py', 'from ..training.model import Model'],
    ['python/foretrace/generator/bad.py', 'from ..trace.tracer import trace'],
    ['python/foretrace/corpus/bad.py', 'import torch'],
    ['python/foretrace/training/bad.py', 'import requests'],
    ['python/foretrace/surprise/bad.py', 'from ..trace.tracer import trace'],
  ])('%s with %s', (path, text) => {
    expect(planted(python, pythonProblems, path, text)).toHaveLength(1);
  });

  it('and is quiet about what only looks like one', () => {
    const comment = "/* import { a } from '../debugger/x.js'; */\n// import '../server/app.js';";
    expect(planted(typescript, typescriptProblems, 'src/scheduler/fine.ts', comment)).toEqual([]);
    expect(
      planted(native, nativeProblems, 'native/core/fine.h', '// #include <napi.h>\n#include <vector>'),
    ).toEqual([]);
    const text = '"""\nimport torch\n"""\n# import torch\nimport json\nfrom . import tracer';
    expect(planted(python, pythonProblems, 'python/foretrace/trace/fine.py', text)).toEqual([]);
  });
});
