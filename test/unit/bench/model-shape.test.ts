/** Sizes read from a config.json, and which models a conversion leaves out something of. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { configOf, namedShape, requireUnscaled, shapeOfDirectory } from '../../../src/bench/model-shape.js';

const directory = mkdtempSync(join(tmpdir(), 'foretrace-shape-'));
afterAll(() => rmSync(directory, { recursive: true }));

function directoryWith(changes: Record<string, unknown>): string {
  const config = { ...configOf(namedShape('S30')), ...changes };
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
  return directory;
}

it.each([
  [{}, 10_000],
  [{ rope_theta: 500_000 }, 500_000],
  [{ rope_theta: undefined, rope_parameters: { rope_type: 'default', rope_theta: 1e6 } }, 1e6],
  [{ rope_scaling: { rope_type: 'llama3', factor: 8 } }, 10_000],
])('the rotary base of %j is %d', (changes, expected) => {
  expect(shapeOfDirectory(directoryWith(changes)).ropeTheta).toBe(expected);
});

it.each([
  {},
  { rope_scaling: null, sliding_window: null },
  { rope_parameters: { rope_type: 'default' } },
  { sliding_window: 64, use_sliding_window: false },
  { model_type: 'qwen2', sliding_window: 64 },
  { model_type: 'qwen3', sliding_window: 64, use_sliding_window: false },
])('%j has neither scaled positions nor windows', (changes) => {
  expect(() => requireUnscaled(directoryWith(changes))).not.toThrow();
});

it.each([
  { rope_scaling: { rope_type: 'llama3', factor: 8 } },
  { rope_scaling: { type: 'llama3', factor: 8 } },
  { rope_parameters: { rope_type: 'llama3', factor: 8 } },
  { sliding_window: 64 },
  { model_type: 'qwen2', sliding_window: 64, use_sliding_window: true },
])('%j is not converted', (changes) => {
  expect(() => requireUnscaled(directoryWith(changes))).toThrowError(
    expect.objectContaining({ code: 'invalid_model' }),
  );
});

it.each([
  ['Q494', 'qwen2', 64],
  ['Q596', 'qwen3', 128],
])('%s comes back from its config.json as a %s with heads of %d', (name, kind, headSize) => {
  const path = mkdtempSync(join(directory, 'named-'));
  writeFileSync(join(path, 'config.json'), JSON.stringify(configOf(namedShape(name))));
  const { name: _, ...found } = shapeOfDirectory(path);
  const { name: __, ...expected } = namedShape(name);
  expect(found).toEqual(expected);
  expect(found).toMatchObject({ kind, headSize });
});
