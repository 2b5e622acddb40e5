// A client that asks without end and is killed in the middle: node crashing-client.mjs URL SESSION. Writes a line at the first part of each answer.
import { ForetraceClient } from '../../dist/client/index.js';

const [, , url, session] = process.argv;
const client = await ForetraceClient.connect(url);
for (;;) {
  await client.act(
    { session, from: 1, action: { kind: 5, lines: [] }, fresh: true },
    { onPart: () => process.stdout.write('part\n') },
  );
}
