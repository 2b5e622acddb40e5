/** The language that a model speaks, by its name or by its config.json. */
import type { ModelLanguage } from '../bench/model-shape.js';
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
export function dialectOf(
  name: DialectName,
  language: ModelLanguage,
  directory: string,
  vocabSize: number,
): Dialect | undefined {
  const isCwm = name === 'cwm' || (name === 'auto' && language.isCwm);
  return isCwm ? new CwmDialect(Vocabulary.read(directory, vocabSize)) : undefined;
}
