/** `foretrace serve` as a process of its own whose memory can be asked for. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { firstLine, root } from './command.js';

const probe = fileURLToPath(new URL('./memory-probe.mjs', import.meta.url));

export class Served {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(...args: string[]): Promise<Served> {
    const child = fork(`${root}bin/foretrace.js`, ['serve', '--port', '0', '--json', ...args], {
      cwd: root,
      execArgv: ['--expose-gc', '--import', probe],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const { address } = JSON.parse(await firstLine(child)) as { address: string };
    return new Served(child, address);
  }

  get socketUrl(): string {
    return `${this.url.replace('http', 'ws')}/v1/socket`;
  }

  /** Bytes in use after a collection of garbage. */
  memory(): Promise<NodeJS.MemoryUsage> {
    return new Promise((resolve, reject) => {
      this.child.once('message', (usage) => resolve(usage as NodeJS.MemoryUsage));
      this.child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
      this.child.send('memory');
    });
  }

  /** A figure of the metrics. */
  async figure(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^foretrace_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    return new Promise((resolve) => {
      this.child.once('exit', (code) => resolve(code));
      this.child.kill(signal);
    });
  }
}
