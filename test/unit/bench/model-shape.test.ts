/** Sizes read from a config.json, and which models a conversion to a plain Llama leaves out something of. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { configOf, namedShape, requirePlainLlama, shapeOfDirectory } from '../../../src/bench/model-shape.js';

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
])('%j makes a plain Llama', (changes) => {
  expect(() => requirePlainLlama(directoryWith(changes))).not.toThrow();
});

it.each([
  { rope_scaling: { rope_type: 'llama3', factor: 8 } },
  { rope_scaling: { type: 'llama3', factor: 8 } },
  { rope_parameters: { rope_type: 'llama3', factor: 8 } },
  { sliding_window: 64 },
])('%j makes another one', (changes) => {
  expect(() => requirePlainLlama(directoryWith(changes))).toThrowError(
    expect.objectContaining({ code: 'invalid_model' }),
  );
});
