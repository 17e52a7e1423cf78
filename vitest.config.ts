import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** A test process that dies does not say which file it was at, nor where in it. */
const unfinished: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      if (module.state() !== 'pending' && module.state() !== 'queued') continue;
      const tests = [...module.children.allTests('pending')].map(({ fullName }) => `\n  ${fullName}`);
      console.error(`UNFINISHED ${module.relativeModuleId}${tests.join('')}`);
    }
  },
};

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', unfinished],
    // Nothing rests on the clock: this is for tests that hang, on machines with other work.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Engine tests start threads of their own; two test files at a time keep a two-core machine honest.
    maxWorkers: 2,
    pool: 'forks',
  },
});
