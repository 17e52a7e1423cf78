import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Run } from './run-reader.ts';
import { createRun, type RunFacts, type RunWriter } from './run-writer.ts';

/** A temporary folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Moment at which the runs of these tests begin. */
export const START = 5_000_000_000_000;

export const FACTS: RunFacts = {
  format: 'venturi-run',
  version: 1,
  writer: '0.1.0',
  id: '6e7ab0c4-1d5e-4c6f-9a57-0f8b1c2d3e4f',
  name: 'test',
  probe: 'engine',
  createdAt: '2025-01-02T03:04:05.000Z',
  command: ['venturi', 'record'],
  directory: '/tmp',
  pid: 4242,
  start: String(START),
  bootId: 'b1946ac9-2492-4d23-8a1c-0d1e2f3a4b5c',
  clocks: [],
  host: {
    platform: 'linux',
    arch: 'arm64',
    kernel: '6.1.0',
    cpuModel: 'Neoverse-N1',
    coresPresent: 4,
    coresUsable: 2,
    coresLimit: 'cgroup-v2',
    memoryPresent: 8e9,
    memoryUsable: 4e9,
    memoryLimit: 'cgroup-v2',
    runtime: 'node 20.19.0',
  },
};

export const newRun = (folder = temporaryFolder(), facts: Partial<RunFacts> = {}): RunWriter =>
  createRun(join(folder, 'test'), { ...FACTS, ...facts });

export interface ReadRecord {
  readonly lane: string;
  readonly kind: number;
  readonly flags: number;
  readonly subject: string | undefined;
  readonly sequence: number;
  readonly start: number;
  readonly duration: number;
}

/** Every record of a run as an object. */
export function readAll(run: Run): ReadRecord[] {
  const records: ReadRecord[] = [];
  const source = run.records();
  for (const block of source.blocks()) {
    for (let index = 0; index < block.count; index++) {
      records.push({
        lane: block.lane.name,
        kind: block.kind[index] ?? 0,
        flags: block.flags[index] ?? 0,
        subject: source.subjects[block.subject[index] ?? -1],
        sequence: block.sequence[index] ?? 0,
        start: block.start[index] ?? 0,
        duration: block.duration[index] ?? 0,
      });
    }
  }
  return records;
}
