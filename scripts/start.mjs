// `npm start`: builds what is missing, then serves in this very process, so that its signals reach the service.
import { join } from 'node:path';

await import('./setup.mjs');
const { main } = await import(join(import.meta.dirname, '../dist/cli/main.js'));
process.exitCode = await main(['serve', ...process.argv.slice(2)]);
