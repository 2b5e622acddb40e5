/** Where a service is, from what people write: the address that `serve` prints, or that of its socket. */
import { ForetraceError } from '../errors.js';

const socketPath = '/v1/socket';
const protocols: Readonly<Record<string, string>> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
};

/** @throws ForetraceError unusable_address */
export function socketUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const protocol = url === null ? undefined : protocols[url.protocol];
  if (url === null || protocol === undefined || url.hash !== '') {
    throw new ForetraceError('unusable_address', 'this is no address of a service', {
      expected: 'for example ws://127.0.0.1:7331/v1/socket or http://127.0.0.1:7331',
      actual: address,
    });
  }
  const path = url.pathname === '/' ? socketPath : url.pathname;
  return `${protocol}//${url.host}${path}${url.search}`;
}
