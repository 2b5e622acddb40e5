/** `foretrace info`: model, device, instruction set, memory, pool, versions. */
import { statSync } from 'node:fs';
import { Command } from 'commander';
import { tensorsOf } from '../bench/safetensors.js';
import type { EngineInfo } from '../native/addon-types.js';
import { features } from '../native/load.js';
import { addEngineOptions, type EngineFlags, shippedModel } from './engine-options.js';
import { startRuntime } from './runtime.js';
import { packageVersion } from './version.js';

export function infoCommand(): Command {
  const command = new Command('info').description('show the model, the device, the KV pool and versions');
  return addEngineOptions(command).option('--json', 'print one JSON object').action(info);
}

/** Bytes. The files are mapped while the weights are packed and let go then; the packed copy and the pool stay. */
interface Memory {
  weight_files: number;
  packed_weights: number;
  kv_pool: number;
}

function memoryOf(engine: EngineInfo, modelDir: string): Memory {
  const files = new Set([...tensorsOf(modelDir).values()].map(({ file }) => file));
  return {
    weight_files: [...files].reduce((sum, file) => sum + statSync(file).size, 0),
    packed_weights: engine.weightBytes,
    kv_pool: engine.pages * engine.pageTokens * engine.kvBytesPerToken,
  };
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

async function info(flags: EngineFlags & { json?: boolean }): Promise<void> {
  const runtime = await startRuntime(flags);
  const facts = {
    foretrace: packageVersion(),
    node: process.versions.node,
    addon: features(),
    dialect: runtime.access.dialect?.name ?? 'foretrace',
    engine: runtime.engine.info,
    memory: memoryOf(runtime.engine.info, flags.model ?? shippedModel()),
    pool: runtime.engine.stats(),
  };
  await runtime.close();
  if (flags.json) return console.log(JSON.stringify(facts));
  console.log(`foretrace ${facts.foretrace}, Node.js ${facts.node}, a model of the dialect ${facts.dialect}`);
  for (const [name, value] of Object.entries({ ...facts.addon, ...facts.engine, ...facts.pool })) {
    console.log(`  ${name.padEnd(20)} ${Array.isArray(value) ? value.join(', ') || '-' : value}`);
  }
  const { weight_files, packed_weights, kv_pool } = facts.memory;
  console.log(
    `  memory: packed weights (${facts.engine.dtype}) ${mebibytes(packed_weights)}, KV pool ${mebibytes(kv_pool)};`,
  );
  console.log(`    weight files ${mebibytes(weight_files)}, mapped only while loading`);
}
