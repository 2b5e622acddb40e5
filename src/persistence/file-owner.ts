/** Which process uses a file. SQLite's own lock does not survive a kill well: nobody removes it. */
import { randomBytes } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const ownerOf = (path: string): string => `${path}.owner`;

/** Files this process uses: its own number in an owner file may be that of a process that is gone. */
const held = new Set<string>();

/** When a process began, in the system's ticks, and that it is no corpse; undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    // The name in the second field may hold blanks and brackets; the state is the third field, the start the 22nd.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, start: string): boolean {
  if (pid === process.pid) return false;
  if (startOf(process.pid) !== undefined) return startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The one path of a file, whatever links lead to it and whether it is there or not: two names must not make two owners. */
export function canonicalPath(file: string): string {
  const path = resolve(file);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    return join(realpathSync(dirname(path)), basename(path));
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // A link to a file that is still to be made.
    return canonicalPath(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a file system says that knows no links. */
const noLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Makes a file that names this process; false if there is one. It appears with its content or not at all, also on a full disk. */
function isMade(file: string): boolean {
  const text = `${process.pid} ${startOf(process.pid) ?? ''}`;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!noLinks.has(codeOf(error))) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Makes the file that names this process, in place of one that a dead process left. Who removes such a file first claims another beside it in the same
 * way: else the second of two that saw the dead one's would remove the file of the first.
 * @throws Error with the number of the living process that the file names
 */
function claim(file: string): void {
  while (!isMade(file)) {
    const text = textOf(file);
    if (text === undefined) continue;
    const [pid, start = ''] = text.split(' ');
    if (isAlive(Number(pid), start)) throw new Error(`in use by process ${pid}`);
    const removal = `${file}.stale`;
    claim(removal);
    try {
      if (textOf(file) === text) rmSync(file);
    } finally {
      rmSync(removal, { force: true });
    }
  }
}

/**
 * Makes this process the owner of the file and removes the lock that a killed one left.
 * @param path as `canonicalPath` gives it
 * @throws Error with the number of the process that uses it, or what the file system says
 */
export function takeOver(path: string): void {
  if (held.has(path)) throw new Error(`in use by process ${process.pid}`);
  claim(ownerOf(path));
  held.add(path);
  rmSync(`${path}.lock`, { recursive: true, force: true });
}

export function leave(path: string): void {
  held.delete(path);
  rmSync(ownerOf(path), { force: true });
}
