/** The language that a model speaks, by its name or by its config.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CwmDialect } from '../dialects/cwm/dialect.js';
import { Vocabulary } from '../dialects/cwm/vocabulary.js';
import type { Dialect } from '../session/dialect.js';

export const dialectNames = ['auto', 'foretrace', 'cwm'] as const;
export type DialectName = (typeof dialectNames)[number];

/**
 * undefined: the trace language.
 * @param vocabSize tokens of the loaded model
 * @throws ForetraceError invalid_model for a tokenizer that does not fit the dialect
 */
export function dialectOf(name: DialectName, directory: string, vocabSize: number): Dialect | undefined {
  const isCwm = name === 'cwm' || (name === 'auto' && isOfCwm(directory));
  return isCwm ? new CwmDialect(Vocabulary.read(directory, vocabSize)) : undefined;
}

/** The engine has read the file already: it is JSON. */
function isOfCwm(directory: string): boolean {
  const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as { model_type?: unknown };
  return config.model_type === 'cwm';
}
