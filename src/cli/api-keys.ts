/** The API keys of a service, from its flags and its environment. */
import { ForetraceError } from '../errors.js';

/**
 * All keys without the spaces around them. A service that was meant to have keys must not start without, so a list that yields none, or an empty one, is an error.
 * @param flags keys of `--api-key`
 * @param listed value of `FORETRACE_API_KEYS`; undefined: it is not set
 * @throws ForetraceError invalid_argument
 */
export function apiKeysOf(flags: readonly string[] = [], listed?: string): string[] {
  // `--api-key $KEY --host H` with an empty KEY would make keys of the words behind it.
  if (flags.some((key) => key.trim().startsWith('-')))
    throw new ForetraceError('invalid_argument', 'an API key begins with a dash', {
      expected: '--api-key KEY; such a key goes into FORETRACE_API_KEYS',
      actual: 'a word that looks like an option',
    });
  const keys = [...flags, ...(listed?.split(',') ?? [])].map((key) => key.trim());
  if (!keys.includes('')) return keys;
  throw new ForetraceError('invalid_argument', 'an API key is empty', {
    expected: '--api-key KEY, or FORETRACE_API_KEYS unset or with keys separated by commas',
    actual: 'an empty key',
  });
}
