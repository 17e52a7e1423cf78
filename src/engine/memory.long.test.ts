import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const MB = 1e6;
/** What threads, their code and the collector's habits may come to beyond the budget. */
const BEYOND = 20 * MB;

interface Measured {
  readonly baseline: number;
  readonly peak: number;
  readonly bytes: number;
}

/** How far the memory of a process rises above what it is while the pipeline rests with all its threads up. */
async function measure(params: object, memory: number): Promise<Measured> {
  const fixture = new URL('./fixtures/expanding.fixture.ts', import.meta.url).pathname;
  const program = `
    import { readFileSync } from 'node:fs';
    import { loadPipeline } from 'venturi/engine';
    const { definition, dispose } = await loadPipeline(${JSON.stringify(fixture)});
    let [bytes, last, baseline] = [0, 0];
    const poll = setInterval(() => {
      if (bytes > 0 && baseline === undefined && performance.now() - last > 500) baseline = process.memoryUsage.rss();
    }, 20);
    for await (const length of definition.run({ params: ${JSON.stringify(params)}, memory: ${memory} })) {
      bytes += length;
      last = performance.now();
    }
    clearInterval(poll);
    const peak = Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
    console.log(JSON.stringify({ baseline, peak, bytes }));
    await dispose();`;
  const cwd = new URL('../..', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd });
  return JSON.parse(stdout) as Measured;
}

describe.runIf(process.platform === 'linux')('what is made of one element', () => {
  it.each([
    [100_000, 1e4, 0, 64],
    [100_000, 1e4, 2, 32],
    [1000, 1e6, 2, 64],
  ])('%i arrays of %i bytes, for %i threads, stays within %i MB', async (count, bytes, readers, budget) => {
    const measured = await measure({ count, bytes, readers }, budget * MB);
    expect(measured.bytes).toBe(count * bytes);
    expect(measured.peak - measured.baseline).toBeLessThan(budget * MB + BEYOND);
  });
});
