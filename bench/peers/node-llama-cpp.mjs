/**
 * node-llama-cpp under the raw workload, in this process: no socket lies between it and the agents. Not a dependency of the service: it is installed by
 * `npm install --prefix bench/peers`, which pins its version and runs none of its scripts.
 */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Slots } from './slots.mjs';

/**
 * @param {{folder: string, gguf: string, parallel: number, threads: number, contextSize: number}} options contextSize: tokens of one sequence
 */
export async function openNodeLlamaCpp({ folder, gguf, parallel, threads, contextSize }) {
  const require = createRequire(join(resolve(folder), 'package.json'));
  const { getLlama, LlamaLogLevel } = await import(pathToFileURL(require.resolve('node-llama-cpp')).href);
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    logLevel: LlamaLogLevel.error,
    maxThreads: threads,
  });
  const model = await llama.loadModel({ modelPath: gguf });
  const context = await model.createContext({
    sequences: parallel,
    contextSize,
    batchSize: 512,
    flashAttention: true,
    threads: { ideal: threads, min: threads },
  });
  const slots = new Slots(Array.from({ length: parallel }, () => context.getSequence()));
  /** @type {Map<string, number[]>} */
  const contexts = new Map();
  return {
    facts: { name: 'node-llama-cpp', weights: 'Q8_0', parallel, threads, flash_attention: true },
    /** A port for each agent; all share the one model. */
    connect: async () => ({
      open: async (name, tokens) => void contexts.set(name, [...tokens]),
      turn: (name, tokens, generate, onFirst) =>
        slots.use(name, (sequence) => turn(sequence, [...contexts.get(name), ...tokens], generate, onFirst)),
      close: async () => {},
    }),
    close: () => llama.dispose(),
  };
}

/** Keeps what the sequence shares with the prompt, computes the rest, and goes on greedily. */
async function turn(sequence, prompt, generate, onFirst) {
  await sequence.adaptStateToTokens(prompt, false);
  // The last token must be computed again if everything is there: generation starts from it.
  const kept = Math.min(sequence.nextTokenIndex, prompt.length - 1);
  if (kept < sequence.nextTokenIndex) {
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }]);
  }
  let count = 0;
  for await (const _ of sequence.evaluate(prompt.slice(kept), { temperature: 0, yieldEogToken: true })) {
    if (count === 0) onFirst();
    count += 1;
    if (count === generate) break;
  }
  return count;
}
