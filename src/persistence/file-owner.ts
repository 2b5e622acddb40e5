/** Which process uses a file. SQLite's own lock does not survive a kill well: nobody removes it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

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

/** The living process that uses the file. */
function livingOwner(path: string): number | undefined {
  if (held.has(path)) return process.pid;
  let text: string;
  try {
    text = readFileSync(ownerOf(path), 'utf8');
  } catch {
    return undefined;
  }
  const [pid, start = ''] = text.split(' ');
  return isAlive(Number(pid), start) ? Number(pid) : undefined;
}

/**
 * Makes this process the owner of the file and removes the lock that a killed one left.
 * @throws Error with the number of the process that uses it, or what the file system says
 */
export function takeOver(path: string): void {
  const owner = livingOwner(path);
  if (owner !== undefined) throw new Error(`in use by process ${owner}`);
  rmSync(`${path}.lock`, { recursive: true, force: true });
  writeFileSync(ownerOf(path), `${process.pid} ${startOf(process.pid) ?? ''}`);
  held.add(path);
}

export function leave(path: string): void {
  held.delete(path);
  rmSync(ownerOf(path), { force: true });
}
