/**
 * Reads a source, of a long one what a call of it reaches (docs/trace-language.md, section 2): what nothing of the run needs becomes empty lines, so that
 * all others keep their numbers.
 */
import { LRUCache } from 'lru-cache';
import { ForetraceError } from '../../errors.js';
import { type LexicalToken, lex } from '../language/lexer.js';
import { sourceTokens } from '../language/source-bounds.js';
import { parseEntry } from '../language/syntax.js';
import { readSource, type SourceReading } from '../program-text.js';
import { ModuleUnits } from './module-units.js';
import { reachedUnits } from './reached-units.js';
import type { Unit } from './source-units.js';

/** Tokens above which a source is cut down, so that states and answers fit into the context beside it. */
const roomyTokens = 1024;

/**
 * Reads normalised source `source` for the call that runs it; of a source that is too long, or takes much of the context, what the call reaches. Throws
 * ForetraceError: invalid_python, invalid_entry, program_too_long, program_too_deep, too_many_names.
 */
export function readReached(source: string, call: string): SourceReading {
  const whole = readOrRefuse(source, call);
  if (!(whole instanceof ForetraceError) && whole.text.sourceTokens.length <= roomyTokens) return whole;
  const excerpt = excerptFor(source, parseEntry(call));
  const reading = excerpt === undefined ? whole : readOrRefuse(excerpt, call);
  if (!(reading instanceof ForetraceError)) return reading;
  if (excerpt === undefined || excerpt === source) throw reading;
  const message = reading.message.replace(/^The program( text)?/, 'What the call reaches of the program');
  throw new ForetraceError(reading.code, message, reading.details);
}

const tooMuch: readonly string[] = ['program_too_long', 'program_too_deep', 'too_many_names'];

/** A source that is read, or why it is too much. */
function readOrRefuse(source: string, call: string): SourceReading | ForetraceError {
  try {
    const reading = readSource(source, call);
    void reading.text;
    return reading;
  } catch (error) {
    if (error instanceof ForetraceError && tooMuch.includes(error.code)) return error;
    throw error;
  }
}

/** Modules that were taken apart: few, beside the calls that are made of them. Sizes in characters, each of which takes up to 100 bytes. */
const known = new LRUCache<string, ModuleUnits>({
  maxSize: 512 * 1024,
  sizeCalculation: (_, source) => source.length + 1,
});

/**
 * The lines of normalised `source` that a call reaches whose tokens are `call`, all others empty; undefined where it may reach all of them.
 * Throws ForetraceError: invalid_python, program_too_long, for a text that cannot be taken apart.
 */
export function excerptFor(source: string, call: readonly LexicalToken[]): string | undefined {
  const module = known.get(source) ?? new ModuleUnits(source, lex(source, sourceTokens));
  known.set(source, module);
  const reached = reachedUnits(module, call);
  if (reached === undefined) return undefined;
  const kept = new Set<number>();
  const keep = (unit: Unit): void => {
    if (!reached.has(unit)) return;
    const lastLine = unit.members.length === 0 ? unit.lastLine : unit.headLine;
    for (let line = unit.firstLine; line <= lastLine; line += 1) kept.add(line);
    for (const part of unit.members) keep(part);
  };
  for (const unit of module.units) keep(unit);
  const lines = source.split('\n');
  return lines.map((line, index) => (kept.has(index + 1) ? line : '')).join('\n');
}
