import type { Operator } from '../model/graph.ts';
import { METRICS } from '../model/metric.ts';
import { subject } from '../model/record.ts';
import { openLane } from './lane-writer.ts';
import { createRun } from './run-writer.ts';

const START = 8_000_000_000_000_000n;
const at = (ns: number): number => Number(START) + ns;

/**
 * Writes the golden run: two lanes, every kind of record, nothing that changes from one time to the next. A release
 * keeps the run it wrote in `golden/` for good, and every later one must read it.
 */
export function writeGoldenRun(path: string): void {
  const run = createRun(path, {
    format: 'venturi-run',
    version: 1,
    writer: '0.1.0',
    id: '2f1d7c7e-58b4-4f0e-9a39-6c1f0d9e8b7a',
    name: 'golden',
    probe: 'engine',
    createdAt: '2025-01-02T03:04:05.678Z',
    command: ['venturi', 'run', 'images.ts'],
    directory: '/work',
    pid: 100,
    start: String(START),
    bootId: '7d0c4e11-9c6a-4a52-8f0e-3b2a1c0d9e8f',
    clocks: [{ monotonic: String(START), domain: 'realtime', value: '1735787045678000000' }],
    host: {
      platform: 'linux',
      arch: 'arm64',
      kernel: '6.1.0',
      cpuModel: 'Neoverse-N1',
      coresPresent: 4,
      coresUsable: 1.5,
      coresLimit: 'cgroup-v2',
      memoryPresent: 8_000_000_000,
      memoryUsable: 4_000_000_000,
      memoryLimit: 'cgroup-v2',
      runtime: 'node 20.19.0',
    },
    graph: {
      operators: [
        { id: 'files', kind: 'files', label: 'files', inputs: [], settings: {}, sequential: true },
        {
          id: 'décodage',
          kind: 'map',
          label: 'décodage',
          inputs: ['files'],
          settings: { quality: 90 },
          parallelism: 1,
          sequential: false,
          location: 'images.ts:7',
        },
        // As 0.1.0 wrote them: without traits.
      ] as unknown as Operator[],
      channels: [{ id: 'files→décodage', from: 'files', to: 'décodage', slots: 4, capacity: 65_536 }],
      stages: [
        { id: 'files', operators: ['files'], parallelism: 1 },
        { id: 'décodage', operators: ['décodage'], parallelism: 1 },
      ],
      fingerprint: '5f3759df',
    },
    parameters: { images: 12 },
    settings: { seed: 1 },
  });

  const files = openLane(run.folder, {
    name: 'files#1',
    pid: 100,
    tid: 101,
    uuid: '00000000-0000-4000-8000-000000000001',
    processStart: START - 1_000_000n,
    opened: START + 1000n,
  });
  const source = files.subjectNumber(subject.operator('files'));
  const channel = files.subjectNumber(subject.channel('files→décodage'));
  files.clockSnapshot('realtime', at(0), 1_735_787_045_678_000_000n);
  files.span(source, 0, at(2000), 500);
  files.cpu(400, 50);
  files.bytes(0, 4096);
  files.elements(0, 8);
  files.counter(channel, METRICS.occupancy.code, at(10_000), 7000, 1);
  files.counter(0, METRICS.running.code, at(10_000), 450, 1);
  files.close(at(20_000));

  const decode = openLane(run.folder, {
    name: 'décodage#1',
    pid: 100,
    tid: 102,
    uuid: '00000000-0000-4000-8000-000000000002',
    opened: START + 1500n,
  });
  const map = decode.subjectNumber(subject.operator('décodage'));
  // Longer than a u32 of ns can tell.
  decode.span(map, 0, at(3000), 5_000_000_000);
  decode.elements(8, 8);
  decode.counter(map, METRICS.elementsOut.code, at(5_000_010_000), 8, 1);
  decode.close(at(5_000_020_000));

  run.finish({
    status: 'completed',
    endedAt: '2025-01-02T03:04:10.678Z',
    monotonic: String(START + 5_000_030_000n),
    warnings: [],
  });
}
