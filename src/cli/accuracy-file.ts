/** The measured accuracies that lie beside a model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AccuracyTable, defaultAccuracy, readAccuracy } from '../session/accuracy.js';

/** `accuracy.json` of a model directory; the defaults where there is none. @throws ForetraceError invalid_model */
export function accuracyOf(modelDir: string): AccuracyTable {
  const path = join(modelDir, 'accuracy.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return defaultAccuracy;
  }
  return readAccuracy(text, path);
}
