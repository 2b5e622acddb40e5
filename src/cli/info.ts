/** `foretrace info`: model, device, instruction set, pool, versions. */
import { Command } from 'commander';
import { features } from '../native/load.js';
import { addEngineOptions, type EngineFlags } from './engine-options.js';
import { startRuntime } from './runtime.js';
import { packageVersion } from './version.js';

export function infoCommand(): Command {
  const command = new Command('info').description('show the model, the device, the KV pool and versions');
  return addEngineOptions(command).option('--json', 'print one JSON object').action(info);
}

async function info(flags: EngineFlags & { json?: boolean }): Promise<void> {
  const runtime = await startRuntime(flags);
  const facts = {
    foretrace: packageVersion(),
    node: process.versions.node,
    addon: features(),
    engine: runtime.engine.info,
    pool: runtime.engine.stats(),
  };
  await runtime.close();
  if (flags.json) return console.log(JSON.stringify(facts));
  console.log(`foretrace ${facts.foretrace}, Node.js ${facts.node}`);
  for (const [name, value] of Object.entries({ ...facts.addon, ...facts.engine, ...facts.pool })) {
    console.log(`  ${name.padEnd(20)} ${Array.isArray(value) ? value.join(', ') || '-' : value}`);
  }
}
