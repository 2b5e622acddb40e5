/**
 * Predicted transitions in an SQLite file, so that a restarted service is warm. Rows carry the identity of who answered: model, dialect, language
 * version and setting; rows of another are left alone and never read. One process uses a file at a time.
 */
import sqlite from 'node-sqlite3-wasm';
import { ForetraceError } from '../errors.js';
import type { AnswererIdentity, StateStore } from '../trajectory/index.js';
import { canonicalPath, leave, takeOver } from './file-owner.js';
import { fromText } from './transition-text.js';
import { WriteQueue } from './write-queue.js';

/** "FTRC": marks the file as one of these. */
const applicationId = 0x46_54_52_43;
const schemaVersion = 1;
/** Rows of all answerers that a file keeps; above, the oldest go when it is opened. */
const mostRows = 1_000_000;

export class TrajectoryFile {
  private queue: WriteQueue | undefined;

  private constructor(
    private readonly path: string,
    private readonly database: sqlite.Database,
    private readonly answerer: string,
  ) {}

  /**
   * Opens the file, or makes it.
   * @throws ForetraceError unreadable_file when it is something else, damaged, of another version, or in use
   */
  static open(file: string, identity: AnswererIdentity): TrajectoryFile {
    const path = owned(file);
    const { model, dialect, language, setting } = identity;
    const answerer = JSON.stringify([model, dialect, language, setting]);
    let database: sqlite.Database | undefined;
    try {
      database = new sqlite.Database(path);
      prepare(database);
      return new TrajectoryFile(path, database, answerer);
    } catch (cause) {
      database?.close();
      leave(path);
      throw unusable(path, cause);
    }
  }

  /** Puts what the file holds of this answerer into the store, oldest first. @throws ForetraceError unreadable_file */
  restore(store: StateStore): number {
    try {
      const rows = this.database.all('SELECT world, content FROM transition WHERE answerer = ? ORDER BY id', [
        this.answerer,
      ]);
      for (const { world, content } of rows as { world: string; content: string }[])
        store.restore({ world, ...fromText(content) });
      return rows.length;
    } catch (cause) {
      throw unusable(this.path, cause);
    }
  }

  /** From now on what is put into the store is written, a little later and by another thread. Nothing can be read from the file any more. */
  follow(store: StateStore): void {
    this.database.close();
    const queue = new WriteQueue({ path: this.path, answerer: this.answerer });
    this.queue = queue;
    store.onPut((kept) => queue.add(kept));
  }

  /** Writes what waits, and closes the file. @throws ForetraceError unreadable_file when something could not be written */
  async close(): Promise<void> {
    if (this.queue === undefined) this.database.close();
    try {
      await this.queue?.close();
    } catch (cause) {
      throw unusable(this.path, cause);
    } finally {
      leave(this.path);
    }
  }
}

/** The path of a file that is now this process's. @throws ForetraceError unreadable_file */
function owned(file: string): string {
  try {
    const path = canonicalPath(file);
    takeOver(path);
    return path;
  } catch (cause) {
    throw unusable(file, cause);
  }
}

function prepare(database: sqlite.Database): void {
  const numberOf = (pragma: string): unknown => Object.values(database.get(`PRAGMA ${pragma}`) ?? {})[0];
  const tables = Number(Object.values(database.get('SELECT count(*) FROM sqlite_master') ?? {})[0]);
  if (tables === 0) {
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion};
      CREATE TABLE transition (id INTEGER PRIMARY KEY, answerer TEXT NOT NULL, world TEXT NOT NULL, question TEXT NOT NULL,
        content TEXT NOT NULL, UNIQUE (answerer, world, question));`);
  }
  if (numberOf('application_id') !== applicationId) throw new TypeError('another kind of database');
  if (numberOf('user_version') !== schemaVersion) throw new TypeError(`version ${numberOf('user_version')}`);
  const health = numberOf('quick_check');
  if (health !== 'ok') throw new TypeError(String(health));
  database.exec(`DELETE FROM transition WHERE id <= (SELECT max(id) FROM transition) - ${mostRows};`);
}

const unusable = (path: string, cause: unknown): ForetraceError =>
  new ForetraceError(
    'unreadable_file',
    `the trajectory store ${path} cannot be used`,
    {
      expected: 'a file that foretrace serve --store has written and nobody else uses, or a new one',
      actual: cause instanceof Error ? cause.message : String(cause),
    },
    { cause },
  );
