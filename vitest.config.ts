import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Nothing rests on the clock: this is for tests that hang, on machines with other work.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Engine tests start threads of their own; two test files at a time keep a two-core machine honest.
    maxWorkers: 2,
    pool: 'forks',
  },
});
