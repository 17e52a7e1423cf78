import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { isLong } from './test/fixtures/depth.ts';

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

/** On a machine that others use a test is tried once more in CI; what only then held is told with what it said at first. */
const flaky: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if (test.diagnostic()?.flaky !== true) continue;
        const said = test.result().errors?.map(({ message }) => `\n  ${message.replaceAll('\n', '\n  ')}`) ?? [];
        console.error(`FLAKY ${module.relativeModuleId}\n  ${test.fullName}${said.join('')}`);
      }
    }
  },
};

/** They take the longest: begun last, one of them runs on while nothing is left for the others to do. */
const SLOWEST = [
  'pytorch.test.ts',
  'terminations.long.test.ts',
  'pytorch-libraries.long.test.ts',
  'wild.long.test.ts',
  'pytorch-tuning.long.test.ts',
  'deaths.test.ts',
  'graphs.test.ts',
  'resuming.test.ts',
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOWEST.some(name => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter(file => !isSlow(file))];
  }
}

const LONG_ONLY = '**/*.long.test.ts';

/** Tests beside their code, which can share a process: that spares half a second of start-up for each file. */
const UNITS = [
  'src/{model,math,files,errors,graph,io,appliers,analysis,prediction,tuning,findings,report,store,probes}/**/*.test.ts',
  'src/cli/**/*.test.ts',
  'web/**/*.test.ts',
  'src/engine/{api,compile,handover,operators,runtime,sources}/**/*.test.ts',
];
/** What they see depends on the memory that others freed in their process. */
const ALONE = ['src/engine/runtime/threads/freed-memory.test.ts'];
const OTHERS = ['src/**/*.test.ts', 'test/**/*.test.ts'];

/** Files with tests that go deeper in `npm run test:long`, and those that run there alone. */
function deepFiles(): string[] {
  const files = ['src', 'test'].flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
  );
  return files.filter(
    file =>
      file.endsWith('.long.test.ts') ||
      (file.endsWith('.test.ts') && /fixtures\/depth(-tests)?\.ts'|triedTorches/.test(readFileSync(file, 'utf8'))),
  );
}

const setupFiles = ['test/fixtures/second-try.ts'];
const projects = isLong
  ? [{ extends: true as const, test: { name: 'long', include: deepFiles(), setupFiles } }]
  : [
      {
        extends: true as const,
        test: { name: 'units', include: UNITS, exclude: [LONG_ONLY, ...ALONE], isolate: false },
      },
      { extends: true as const, test: { name: 'alone', include: ALONE } },
      { extends: true as const, test: { name: 'whole', include: OTHERS, exclude: [...UNITS, LONG_ONLY], setupFiles } },
    ];

export default defineConfig({
  test: {
    projects,
    reporters: ['default', unfinished, flaky],
    retry: process.env.CI === undefined ? 0 : 1,
    // Nothing rests on the clock: this is for tests that hang, on machines with other work.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Many tests wait, for a signal or a function that sleeps: three files at a time keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
  },
});
