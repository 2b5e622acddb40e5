import type { RawPort } from '../../src/bench/agents/raw-agent.js';

export interface Peer {
  readonly facts: Readonly<Record<string, unknown>>;
  connect(): Promise<RawPort>;
  close(): Promise<void>;
}
export function llamaServerAt(base: string): Peer;
export function startLlamaServer(options: {
  binary: string;
  gguf: string;
  parallel: number;
  threads: number;
  contextSize: number;
  port?: number;
}): Promise<Peer>;
