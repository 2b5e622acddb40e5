/** API keys: who a caller is. Keys are compared as digests, so that time tells nothing about them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ForetraceError } from '../errors.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export class KeyRing {
  private readonly digests: readonly Buffer[];

  /** Without keys everybody is let in. @throws ForetraceError invalid_argument for an empty key */
  constructor(keys: readonly string[]) {
    if (keys.includes('')) {
      throw new ForetraceError('invalid_argument', 'an API key of this server is empty', {
        expected: 'keys of at least one character',
        actual: 'an empty key, which callers without a key would have',
      });
    }
    this.digests = keys.map(digest);
  }

  get required(): boolean {
    return this.digests.length > 0;
  }

  /**
   * The name of the account behind a key (a prefix of its digest, fit for logs).
   * @throws ForetraceError unauthorized
   */
  account(key: string): string {
    const given = digest(key);
    let found: Buffer | undefined;
    for (const known of this.digests) if (timingSafeEqual(known, given)) found = known;
    if (!found) {
      throw new ForetraceError('unauthorized', 'the API key is missing or not known', {
        expected: 'an API key of this server',
        actual: key === '' ? 'none' : 'an unknown key',
      });
    }
    return `key:${found.toString('hex').slice(0, 12)}`;
  }
}

/** The key of an HTTP request: `Authorization: Bearer KEY`; empty if there is none. */
export const bearerKey = (header: string | undefined): string =>
  /^Bearer (.+)$/i.exec(header ?? '')?.[1]?.trim() ?? '';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a request may come from where its `Origin` says. Browsers let any page open a WebSocket to this machine; a service without keys must not be at
 * the service of every page its user looks at. Programs send no origin.
 */
export function isTrustedOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    const { hostname } = new URL(origin);
    return loopbackNames.has(hostname) || hostname.endsWith('.localhost');
  } catch {
    return false;
  }
}
