export function probe(command: string, args: readonly string[]): string | null;
export function findPython(module?: string): string | null;
export function requireTools(): void;
export function run(label: string, command: string, args: readonly string[], options?: object): void;
