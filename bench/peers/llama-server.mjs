/**
 * llama.cpp's own server under the raw workload, over its HTTP API: prompts as token ids, `cache_prompt`, one slot for each of `--parallel`.
 * Where there is a binary: `--llama-server PATH`; or give the address of one that runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const startMillis = 120_000;

/**
 * @param {{binary: string, gguf: string, parallel: number, threads: number, contextSize: number, port?: number}} options contextSize: tokens of one slot
 */
export async function startLlamaServer({ binary, gguf, parallel, threads, contextSize, port = 8497 }) {
  const args = [
    ...['--model', gguf, '--host', '127.0.0.1', '--port', String(port)],
    ...['--parallel', String(parallel), '--ctx-size', String(parallel * contextSize)],
    ...['--threads', String(threads), '--threads-batch', String(threads), '--flash-attn', 'on', '--no-webui'],
  ];
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const base = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startMillis;
  while (!(await isReady(base))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${binary} did not start`);
    await sleep(100);
  }
  const peer = llamaServerAt(base);
  const close = async () => {
    process.removeListener('exit', kill);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { ...peer, facts: { ...peer.facts, parallel, threads, flash_attention: true }, close };
}

const isReady = (base) =>
  fetch(`${base}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** @param {string} base for example `http://127.0.0.1:8080` */
export function llamaServerAt(base) {
  /** @type {Map<string, number[]>} */
  const contexts = new Map();
  return {
    facts: { name: 'llama-server', address: base },
    connect: async () => ({
      open: async (name, tokens) => void contexts.set(name, [...tokens]),
      turn: (name, tokens, generate, onFirst) =>
        complete(base, [...contexts.get(name), ...tokens], generate, onFirst),
      close: async () => {},
    }),
    close: async () => {},
  };
}

/** Streams one completion; gives the number of generated tokens as the server counts them. */
async function complete(base, prompt, generate, onFirst) {
  const response = await fetch(`${base}/completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt,
      n_predict: generate,
      temperature: 0,
      ignore_eos: true,
      cache_prompt: true,
      stream: true,
    }),
  });
  if (!response.ok) throw new Error(`llama-server: ${response.status} ${await response.text()}`);
  let text = '';
  let count = 0;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter((one) => one.startsWith('data: '))) {
      const event = JSON.parse(line.slice('data: '.length));
      if (event.error) throw new Error(`llama-server: ${JSON.stringify(event.error)}`);
      onFirst();
      count = event.timings?.predicted_n ?? event.tokens_predicted ?? count + 1;
    }
  }
  return count;
}
