import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The command line that tests start as a process is what is in dist/; what they write goes into one folder.
    globalSetup: ['test/support/compile.ts', 'test/support/scratch.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
