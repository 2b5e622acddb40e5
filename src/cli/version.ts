import { readFileSync } from 'node:fs';

const manifest = new URL('../../package.json', import.meta.url);

export const packageVersion = (): string => JSON.parse(readFileSync(manifest, 'utf8')).version;
