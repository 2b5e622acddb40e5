/** Files of JSON objects, one a line, with coded errors that name the line. */
import { ForetraceError } from '../errors.js';
import { readText } from './files.js';

/** What the lines of a file are. */
export interface LineKind {
  /** `operation`, with its article where one is needed. */
  readonly one: string;
  readonly article: 'a' | 'an';
  /** The fields of a line: `{id, code}`. */
  readonly fields: string;
}

/**
 * The lines of a file that are not blank, each read by `parse`; at most `limit`.
 * @throws ForetraceError unreadable_file, also for a file without such lines
 */
export function readLines<Read>(
  file: string,
  kind: LineKind,
  parse: (line: JsonLine) => Read,
  limit = Number.POSITIVE_INFINITY,
): Read[] {
  const found: Read[] = [];
  for (const [index, line] of readText(file, `a file of ${kind.one}s`).split('\n').entries()) {
    if (found.length >= limit) break;
    if (line.trim() !== '') found.push(parse(new JsonLine(line, index + 1, file, kind)));
  }
  if (found.length > 0) return found;
  throw new ForetraceError('unreadable_file', `${file} holds no ${kind.one}`, {
    expected: `at least one line ${kind.fields}`,
    actual: 'none',
  });
}

/** One line, whose fields are asked for by name. Each method throws ForetraceError unreadable_file. */
export class JsonLine {
  private readonly fields: Record<string, unknown>;

  constructor(
    line: string,
    readonly number: number,
    private readonly file: string,
    private readonly kind: LineKind,
  ) {
    this.fields = this.object(this.parsed(line), 'a JSON object');
  }

  private parsed(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch (error) {
      return this.fail('a JSON object', error instanceof Error ? error.message : String(error));
    }
  }

  /** A field as it is; undefined where there is none. */
  field(name: string): unknown {
    return this.fields[name];
  }

  text(name: string, fallback?: string): string {
    return this.asText(this.fields[name] ?? fallback, name);
  }

  /** A whole number from 0 on. */
  count(name: string): number {
    const value = this.fields[name];
    return typeof value === 'number' && Number.isInteger(value) && value >= 0
      ? value
      : this.fail(`${name}: a whole number from 0 on`, shown(value));
  }

  /** An object whose values are strings. */
  texts(name: string): Record<string, string> {
    const values = this.object(this.fields[name], `${name}: an object`);
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, this.asText(value, `${name}.${key}`)]),
    );
  }

  fail(expected: string, actual: string): never {
    const { one, article } = this.kind;
    throw new ForetraceError(
      'unreadable_file',
      `line ${this.number} of ${this.file} is not ${article} ${one}`,
      {
        expected,
        actual,
        line: this.number,
      },
    );
  }

  private asText(value: unknown, name: string): string {
    return typeof value === 'string' ? value : this.fail(`${name}: a string`, shown(value));
  }

  private object(value: unknown, expected: string): Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : this.fail(expected, shown(value));
  }
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
