import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { Cluster } from '../bench/scaleout/cluster.mjs';
import { clusterRefusal, inCluster } from './fixtures/cluster.ts';
import { anyPython } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

const note = clusterRefusal === '' ? '' : ` (skipped: ${clusterRefusal})`;

const links = (): string => spawnSync('ip', ['-brief', 'link'], { encoding: 'utf8' }).stdout;

describe.skipIf(clusterRefusal !== '')(`a cluster on one machine${note}`, () => {
  const open = (): Cluster => new Cluster(anyPython ?? '', { ...process.env, TMPDIR: shop.temporary });

  it('has hosts that reach each other, and the machine outside sees nothing of them', async () => {
    const before = links();
    const cluster = open();
    const answer = await cluster.request({ hosts: true });
    expect(answer).toEqual({
      hosts: ['ps0', 'ps1', ...Array.from({ length: 8 }, (_, at) => `worker${at}`)],
      silent: [],
    });
    expect(links()).toBe(before);
    await cluster.close();
    expect(shop.processes()).toEqual([]);
  });

  it('answers a request that fails and goes on', async () => {
    const cluster = open();
    await expect(cluster.train({ colour: 'red' })).rejects.toThrow(/TypeError: .*colour/);
    await expect(cluster.request({ hosts: true })).resolves.toHaveProperty('silent', []);
    await cluster.close();
  });

  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('leaves no process and no link behind after %s', async signal => {
    const before = links();
    const cluster = open();
    await cluster.request({ hosts: true });
    expect(shop.processes()).not.toEqual([]);
    cluster.child.kill(signal);
    await cluster.ended;
    await expect.poll(() => shop.processes(), { timeout: 20_000 }).toEqual([]);
    expect(links()).toBe(before);
    await expect(cluster.request({ hosts: true })).rejects.toThrow(/the cluster ended/);
  });
});

describe.skipIf(anyPython === undefined)('throughput of a training', () => {
  const measured = (moments: number[][], steps: number, warmUp: number): unknown =>
    JSON.parse(
      inCluster(
        `import json, throughput; print(json.dumps(throughput.between(${JSON.stringify(moments)}, ${steps}, ${warmUp})))`,
      ).stdout,
    );

  it('counts from the last worker to have warmed up to the first to be done', () => {
    const steady = [0, 1, 2, 3, 4, 5, 6];
    const late = [0, 3, 4, 5, 6, 7];
    // Between 4 and 6: two steps of each.
    expect(measured([steady, late], 6, 2)).toEqual({ steps_per_second: 2, counted_steps: 4, counted_s: 2 });
  });

  it('is refused where a worker never warmed up', () => {
    const { status, stdout } = inCluster('import throughput; throughput.between([[0, 1, 2, 3], [0, 2]], 3, 2)');
    expect([status, stdout]).toEqual([1, '']);
  });
});
