import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asForetraceError } from '../../../src/errors.js';
import { TrajectoryFile } from '../../../src/persistence/trajectory-file.js';
import { fromText, toText } from '../../../src/persistence/transition-text.js';
import { StateStore } from '../../../src/trajectory/index.js';
import { firstLine, root } from '../../support/command.js';
import { identity, runNamed, trueRuns, worldOf } from '../../support/true-runs.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foretrace-store-'));
  path = join(folder, 'store.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = runNamed('recursion');
const newStore = (): StateStore => new StateStore(1 << 24);

/** Writes the transitions of a run to the file, as a service would. */
async function fill(by = identity): Promise<StateStore> {
  const store = newStore();
  const file = TrajectoryFile.open(path, by);
  file.follow(store);
  worldOf(run, ({ action }) => action.kind === 'step_into', store);
  await file.close();
  return store;
}

async function restored(by = identity): Promise<StateStore> {
  const store = newStore();
  const file = TrajectoryFile.open(path, by);
  file.restore(store);
  await file.close();
  return store;
}

const refusal = async (): Promise<{ code: string; actual: string | undefined }> => {
  try {
    await restored();
  } catch (error) {
    const { code, details } = asForetraceError(error);
    return { code, actual: details.actual };
  }
  throw new Error('the file was not refused');
};

describe('a file of transitions', () => {
  it('gives a restarted store everything back, bit for bit', async () => {
    const before = await fill();
    const after = await restored();
    expect(after.stats().transitions).toBe(run.states.length - 1);
    expect(after.stats().bytes).toBe(before.stats().bytes);
    const { key } = worldOf(run, () => false);
    const step = { kind: 'step_into', lines: [] } as const;
    for (const state of run.states) expect(after.get(key, state, step)).toEqual(before.get(key, state, step));
    expect(readdirSync(folder)).toEqual(['store.sqlite']);
  });

  it.each([
    'model',
    'dialect',
    'language',
    'setting',
  ] as const)('gives nothing to another %s, and keeps what it has', async (name) => {
    await fill();
    expect((await restored({ ...identity, [name]: 'other' })).stats().transitions).toBe(0);
    expect((await restored()).stats().transitions).toBe(run.states.length - 1);
  });

  it('writes every transition as text and back', () => {
    for (const one of trueRuns.slice(0, 12)) {
      const store = newStore();
      store.onPut((kept) => {
        const { world: _, ...rest } = kept;
        expect(fromText(toText(kept))).toEqual(rest);
        const { state } = kept.transition;
        const frames = state.frames.map((frame, at) => ({ ...frame, lineBefore: at }));
        const later = { ...rest, transition: { ...rest.transition, state: { ...state, frames } } };
        expect(fromText(toText({ ...kept, ...later }))).toEqual(later);
      });
      worldOf(one, () => true, store);
      expect(store.stats().transitions).toBeGreaterThan(0);
    }
  });

  it.each([
    '',
    '[]',
    '{"a": 1}',
    '[null,["fly",[]],null,null]',
    '[[],["step_into",[]],[],[]]',
  ])('refuses %s as a transition', (text) => {
    expect(() => fromText(text)).toThrow();
  });
});

describe('a file that cannot be written any more', () => {
  it.each([
    'ROLLBACK',
    'ABORT',
  ])('is given up with the error of the disk (after %s), and belongs to nobody then', async (end) => {
    await fill();
    const database = new sqlite.Database(path);
    // As SQLite does on a full disk: the statement fails, and with it all of the transaction or not.
    database.exec(`DELETE FROM transition WHERE id > 3; CREATE TRIGGER full BEFORE INSERT ON transition
      BEGIN SELECT RAISE(${end}, 'database or disk is full'); END`);
    database.close();
    const actual = await fill().catch((error) => asForetraceError(error).details.actual);
    expect(actual).toContain('database or disk is full');
    expect(readdirSync(folder)).toEqual(['store.sqlite']);
  });
});

describe('a file that cannot be used', () => {
  it('is not a database', async () => {
    writeFileSync(path, 'not a database at all, but long enough to be read as one'.repeat(100));
    expect((await refusal()).code).toBe('unreadable_file');
    expect(readFileSync(path, 'utf8').startsWith('not a database')).toBe(true);
    expect(existsSync(`${path}.owner`)).toBe(false);
  });

  it('is a database of something else, and stays as it is', async () => {
    const other = new sqlite.Database(path);
    other.exec('CREATE TABLE people (name TEXT)');
    other.close();
    expect(await refusal()).toEqual({ code: 'unreadable_file', actual: 'another kind of database' });
    const again = new sqlite.Database(path);
    expect(again.all("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([{ name: 'people' }]);
    again.close();
  });

  it('is of another version', async () => {
    await fill();
    const database = new sqlite.Database(path);
    database.exec('PRAGMA user_version = 2');
    database.close();
    expect(await refusal()).toEqual({ code: 'unreadable_file', actual: 'version 2' });
  });

  it('has rows that are no transitions', async () => {
    await fill();
    const database = new sqlite.Database(path);
    database.exec("UPDATE transition SET content = '[1]' WHERE id = 3");
    database.close();
    expect((await refusal()).code).toBe('unreadable_file');
  });

  it('is in use under another name: a link to it, to its folder, or to where it will be', async () => {
    const names = [join(folder, 'link.sqlite'), join(folder, 'folder', 'store.sqlite')];
    symlinkSync('store.sqlite', names[0] as string);
    symlinkSync('.', join(folder, 'folder'));
    const inUse = async (): Promise<void> => {
      for (const name of names) {
        const file = TrajectoryFile.open(name, identity);
        expect((await refusal()).actual).toBe(`in use by process ${process.pid}`);
        await file.close();
      }
    };
    await inUse();
    await fill();
    await inUse();
    expect(readdirSync(folder).sort()).toEqual(['folder', 'link.sqlite', 'store.sqlite']);
  });

  it('lies in a folder that is not there', async () => {
    path = join(folder, 'nowhere', 'store.sqlite');
    expect((await refusal()).actual).toContain('ENOENT');
  });

  it.skipIf(!existsSync('/proc/self/stat'))(
    'belongs to one of many processes that start in the same moment, also where a dead one left its mark',
    async () => {
      const module = pathToFileURL(join(root, 'dist', 'persistence', 'file-owner.js')).href;
      const script = `const { takeOver } = await import('${module}');
        const [path, at] = process.argv.slice(1);
        while (Date.now() < Number(at));
        try { takeOver(path); console.log('got'); } catch (error) { console.log(error.message); }
        process.stdin.resume();`;
      for (const mark of [undefined, '4194999 1', '', '4194999 1']) {
        if (mark === undefined) rmSync(`${path}.owner`, { force: true });
        else writeFileSync(`${path}.owner`, mark);
        const at = String(Date.now() + 400);
        const children = Array.from({ length: 6 }, () =>
          spawn(process.execPath, ['--input-type=module', '-e', script, path, at]),
        );
        const said = await Promise.all(children.map(firstLine));
        expect(said.filter((line) => line === 'got')).toHaveLength(1);
        for (const line of said) expect(line).toMatch(/^got$|^in use by process \d+$/);
        await Promise.all(
          children.map((child) => new Promise((done) => child.once('close', done).stdin.end())),
        );
      }
      expect(readdirSync(folder)).toEqual(['store.sqlite.owner']);
    },
  );

  it.skipIf(!existsSync('/proc/self/stat'))(
    'is in use, here or by another process, but not when that one was killed',
    async () => {
      await fill();
      const file = TrajectoryFile.open(path, identity);
      expect((await refusal()).actual).toBe(`in use by process ${process.pid}`);
      await file.close();
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      const start = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\)\s/s, '')
        .split(' ')[19];
      const owned = (text: string): void => writeFileSync(`${path}.owner`, text);
      owned(`${child.pid} ${start}`);
      expect((await refusal()).actual).toBe(`in use by process ${child.pid}`);
      // The number is in use again by a younger process; no process has it; it is ours, from before a restart.
      for (const text of [`${child.pid} 1`, '4194999 1', `${process.pid} 1`]) {
        owned(text);
        mkdirSync(`${path}.lock`);
        expect((await restored()).stats().transitions).toBe(run.states.length - 1);
      }
      child.kill('SIGKILL');
    },
  );
});
