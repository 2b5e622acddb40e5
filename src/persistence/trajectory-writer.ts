/** Thread that writes rows to a file of transitions: SQLite and the disk block whoever waits for them. */
import { parentPort, workerData } from 'node:worker_threads';
import sqlite from 'node-sqlite3-wasm';
import type { WriterMessage, WriterReply, WriterStart } from './write-queue.js';

const port = parentPort;
if (port === null) throw new Error('this module is a thread of its own');
const { path, answerer } = workerData as WriterStart;
const database = new sqlite.Database(path);
database.exec('PRAGMA synchronous = NORMAL');

const reply = (message: WriterReply): void => port.postMessage(message);

/** All rows of a batch or none. */
function write(rows: readonly (readonly [string, string, string])[]): void {
  database.exec('BEGIN');
  try {
    for (const row of rows) {
      database.run(
        'INSERT OR IGNORE INTO transition (answerer, world, question, content) VALUES (?, ?, ?, ?)',
        [answerer, ...row],
      );
    }
    database.exec('COMMIT');
  } catch (error) {
    // A full disk has ended the transaction already; what is told is the first error, not one about that.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

port.on('message', (message: WriterMessage) => {
  if (message.kind === 'close') {
    database.close();
    reply({ kind: 'closed' });
    port.close();
    return;
  }
  try {
    write(message.rows);
    reply({ kind: 'written', count: message.rows.length });
  } catch (error) {
    reply({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
});
