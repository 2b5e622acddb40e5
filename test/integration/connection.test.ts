/** The service that a command starts for itself. */
import { expect, it } from 'vitest';
import { connect } from '../../src/cli/connection.js';
import { tinyModel } from '../support/command.js';
import { call, source } from '../support/debugged-program.js';

const small = { model: tinyModel, threads: 1, pages: 1024, hostCacheBytes: 0, drafts: true };
const flags = { ...small, device: 'cpu', isa: 'auto', dtype: 'auto' } as const;

it('is there as long as its command, whatever becomes of the connection', async () => {
  const { client, stop } = await connect(flags, { reconnect: true });
  const { session } = await client.open({ source, call });
  // As where nobody has said anything for long.
  client.drop();
  expect((await client.describe(session)).current).toBe(1);
  await stop();
  await expect(client.describe(session)).rejects.toMatchObject({ code: 'disconnected' });
});
