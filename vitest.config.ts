import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

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

/** They take minutes: begun last, one of them runs on while nothing is left for the others to do. */
const LONG = ['pytorch.test.ts', 'deaths.test.ts', 'pytorch-libraries.test.ts', 'graphs.test.ts', 'resuming.test.ts'];

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some(name => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', unfinished],
    // Nothing rests on the clock: this is for tests that hang, on machines with other work.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Engine tests start threads of their own; two test files at a time keep a two-core machine honest.
    maxWorkers: 2,
    sequence: { sequencer: LongOnesFirst },
    pool: 'forks',
  },
});
