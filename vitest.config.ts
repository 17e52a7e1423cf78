import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Engine tests start threads of their own; two test files at a time keep a two-core machine honest.
    maxWorkers: 2,
    pool: 'forks',
  },
});
