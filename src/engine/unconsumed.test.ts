import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** What a program says that starts runs of the fixture; killed, and so a failure, where it does not end. */
async function output(program: string): Promise<{ stdout: string; stderr: string }> {
  const fixture = new URL('./fixtures/lanes.fixture.ts', import.meta.url).pathname;
  const text = `
    import { loadPipeline } from 'venturi/engine';
    const { definition } = await loadPipeline(${JSON.stringify(fixture)});
    ${program}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    cwd: new URL('../..', import.meta.url).pathname,
    timeout: 60_000,
  });
}

describe('a run whose elements nobody takes', { timeout: 90_000 }, () => {
  it('does not keep its program from ending', async () => {
    const endless = "definition.run({ params: { name: 'endless' } });";
    const { stdout, stderr } = await output(`const run = ${endless} console.log('left alone');`);
    expect(stdout).toBe('left alone\n');
    expect(stderr).toContain('VenturiWarning: a run stands still, for nobody takes its elements');
  });

  it('can still be consumed after a while', async () => {
    const program = `
      const run = definition.run({ params: { name: 'endlessTaken', count: 200_000 } });
      await new Promise(resolve => setTimeout(resolve, 1000));
      const { elements } = await run.drain();
      console.log(elements);`;
    expect((await output(program)).stdout).toBe('200000\n');
  });
});
