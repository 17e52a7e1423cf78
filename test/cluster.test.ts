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
      // A host that has a part of the link for itself saves it up while it is idle, and then goes before the others.
      granted: ['8Kbit'],
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
  const measured = (moments: number[][], warmUp: number): unknown =>
    JSON.parse(
      inCluster(`import json, throughput; print(json.dumps(throughput.between(${JSON.stringify(moments)}, ${warmUp})))`)
        .stdout,
    );

  it('counts from the last worker to have warmed up to the first to end', () => {
    const steady = [0, 1, 2, 3, 4, 5, 6];
    const late = [0, 3, 4, 5, 6, 7];
    // Between 4 and 6: two steps of each.
    expect(measured([steady, late], 2)).toEqual({ steps_per_second: 2, counted_steps: 4, counted_s: 2 });
  });

  it('is refused where a worker never warmed up', () => {
    const { status, stdout } = inCluster('import throughput; throughput.between([[0, 1, 2, 3], [0, 2]], 2)');
    expect([status, stdout]).toEqual([1, '']);
  });
});

describe.skipIf(anyPython === undefined)('frames of captured packets', () => {
  /** Two responses, the first one cut in two by the second; packets come twice, late and in the wrong order, and numbers wrap. */
  const CODE = `
import json, http2
from capture import Packet

def frame(stream, payload, kind=http2.DATA):
    return len(payload).to_bytes(3, "big") + bytes([kind, 0]) + stream.to_bytes(4, "big") + payload

data = frame(1, b"a" * 30) + frame(3, b"b" * 20) + frame(0, b"", 4) + frame(1, b"a" * 10)
first = 2**32 - 15
cuts = [0, 25, 50, 60, len(data)]
order = [0, 2, 1, 1, 3]
packet = lambda moment, at: Packet(moment, ("s", 1), ("c", 2), (first + 1 + cuts[at]) % 2**32, False, data[cuts[at]:cuts[at + 1]])
opening = Packet(0, ("s", 1), ("c", 2), first, True, b"")
stray = Packet(0, ("x", 1), ("c", 2), 7, False, b"no connection")
packets = [opening, stray] + [packet(1 + number, at) for number, at in enumerate(order)]
found = http2.frames(packets)[(("s", 1), ("c", 2))]
print(json.dumps([[one.kind, one.stream, one.first, one.last, len(one.payload)] for one in found]))
`;

  it('come in order, each with the moments of its first and its last byte', () => {
    expect(JSON.parse(inCluster(CODE).stdout)).toEqual([
      // kind, stream, first, last, bytes: what came early counts when it came.
      [0, 1, 1, 3, 30],
      [0, 3, 3, 5, 20],
      [4, 0, 5, 5, 0],
      [0, 1, 5, 5, 10],
    ]);
  });
});
