import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { PipelineDiagnosis } from '../src/workflow/index.ts';
import { pause, Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** A function that says when it is at element 7, from which it does not come back. */
const sticking = (name: string, parts: { is: string; ends: string }, at = shop): string =>
  at.pipeline(
    `${name}.ts`,
    "range(p.n).map(stick, { name: 'stick', parallelism: 1 })",
    `import { writeFileSync } from 'node:fs';
    const stick = ${parts.is}(x: number): ${parts.is === '' ? 'number' : 'Promise<number>'} => {
      if (x !== 7) return x;
      writeFileSync('${name}.stuck', '');
      ${parts.ends}
    };`,
  );

const LOOP = { is: '', ends: 'for (;;);' };
const PROMISE = { is: 'async ', ends: 'return new Promise(() => undefined);' };

/** As users start it: in a process of its own that starts another. */
const restarting = new Workshop({});
afterAll(() => restarting.remove());

// They wait side by side: each has 5 s to return.
describe.concurrent('a function that does not return', () => {
  it('and keeps the only thread is ended by a second signal', { timeout: 60_000 }, async ({ skip }) => {
    const name = sticking('inline', LOOP, restarting);
    const started = restarting.startVenturi(['run', name, '--inline']);
    while (!existsSync(restarting.path('inline.stuck'))) await pause();
    if (restarting.processes().length < 2) skip('there is one process only, for want of the GNU library');
    started.child.kill('SIGINT');
    // Two that come at once are one.
    await pause(200);
    started.child.kill('SIGINT');
    const { code, stderr } = await started.finished;
    expect(stderr).toMatch(/^the process did not respond and was killed/m);
    expect(code).toBe(130);
    while (restarting.processes().length > 0) await pause();
  });

  it.each([
    ['loop', LOOP, []],
    ['promise', PROMISE, []],
    ['promise-inline', PROMISE, ['--inline']],
  ])('is named when the run is interrupted, and by diagnose: %s', { timeout: 60_000 }, async (name, parts, flags) => {
    sticking(name, parts);
    const started = shop.startVenturi(['run', `${name}.ts`, '--record', name, ...flags]);
    while (!existsSync(shop.path(`${name}.stuck`))) await pause();
    // A call is asked for four times a second how old it is.
    await pause(600);
    started.child.kill('SIGINT');
    const { code, stderr } = await started.finished;
    expect(stderr).toMatch(/^warning: .*'stick' has been at (element 7|one of the elements \d+ to \d+) since/m);
    expect(code).toBe(130);
    expect(await shop.info(name)).toMatchObject({ complete: true, status: 'interrupted' });
    const { stdout } = await shop.venturi('diagnose', name, '--json');
    const { verdict } = JSON.parse(stdout) as PipelineDiagnosis;
    expect(verdict).toMatchObject({ kind: 'stuck-operator', operators: ['stick'] });
    if (verdict.kind !== 'stuck-operator') return;
    const { element = 0, elements } = verdict.figures;
    expect(element <= 7 && 7 < element + elements).toBe(true);
    expect((await shop.venturi('diagnose', name)).stdout).toMatch(/^stick is stuck: it has not come back from/);
  });
});
