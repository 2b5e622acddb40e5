import { describe, expect, it } from 'vitest';
import { socketUrl } from '../../../src/client/address.js';
import { ForetraceClient } from '../../../src/client/client.js';
import { asForetraceError } from '../../../src/errors.js';

describe('the address of a service', () => {
  it.each([
    ['ws://127.0.0.1:7331/v1/socket', 'ws://127.0.0.1:7331/v1/socket'],
    ['http://127.0.0.1:7331', 'ws://127.0.0.1:7331/v1/socket'],
    ['https://service.example/', 'wss://service.example/v1/socket'],
    ['ws://[::1]:7331', 'ws://[::1]:7331/v1/socket'],
    ['wss://service.example/behind/a/proxy?to=7331', 'wss://service.example/behind/a/proxy?to=7331'],
  ])('%s is %s', (address, url) => expect(socketUrl(address)).toBe(url));

  it.each([
    'nonsense',
    '',
    '127.0.0.1:7331',
    'localhost:7331',
    'file:///v1/socket',
    'ws://127.0.0.1:7331/#x',
  ])('%j is none', async (address) => {
    const error = asForetraceError(await ForetraceClient.connect(address).catch((thrown) => thrown));
    expect([error.code, error.details.actual]).toEqual(['unusable_address', address]);
  });
});
