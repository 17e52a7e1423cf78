import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEPENDENCY_CAUSES, type StepTrace } from '../../../model/step-trace.ts';
import { type FakeEvent, kinetoText } from '../../../probes/steps/kineto/trace.fixture.ts';
import { openSteps } from './read.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-pairs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** A step in which an operator of another thread reads what one of the first wrote. */
const step = (number: number, records: readonly [number, number]): FakeEvent[] => {
  const at = 5000 * number;
  return [
    { cat: 'user_annotation', name: `ProfilerStep#${number}`, at, for: 1000 },
    { cat: 'cpu_op', name: 'writer', at: at + 100, for: 100, args: { 'Record function id': records[0] } },
    { cat: 'cpu_op', name: 'reader', at: at + 300, for: 100, thread: 7001, args: { 'Record function id': records[1] } },
  ];
};

const profiled = (process: number, rank: number, ...steps: readonly FakeEvent[][]): string =>
  kinetoText(steps.flat(), { distributedInfo: { rank, world_size: 2 } }).replaceAll('"pid":7000', `"pid":${process}`);

const tensor = (storage: number): unknown => [1, storage, 0, 4, 4, 'cpu'];
const executionTrace = (process: number | undefined, ...pairs: readonly (readonly [number, number])[]): string =>
  JSON.stringify({
    schema: '1.1.1-chakra.0.0.4',
    pid: process,
    nodes: pairs.flatMap(([writer, reader]) => [
      { id: writer + 10, name: 'writer', ctrl_deps: 1, rf_id: writer, outputs: [tensor(writer)] },
      { id: reader + 10, name: 'reader', ctrl_deps: 1, rf_id: reader, inputs: [tensor(writer)] },
    ]),
  });

const flows = ({ dependencies: { cause, count } }: StepTrace): number =>
  Array.from({ length: count }, (_, at) => cause[at]).filter(each => each === DEPENDENCY_CAUSES.indexOf('data')).length;
const read = async (): Promise<StepTrace> => (await openSteps(folder, undefined)).trace;
const unknownOf = ({ assumptions }: StepTrace): unknown =>
  assumptions.find(({ what }) => what.startsWith('operators that the execution trace does not have'));

describe('an execution trace', () => {
  it('belongs to every cycle that the profiler of its process recorded', async () => {
    write('cycle-1.json', profiled(42, 0, step(1, [1, 2]), step(2, [3, 4])));
    write('cycle-2.json', profiled(42, 0, step(6, [5, 6])));
    write('et.json', executionTrace(42, [1, 2], [3, 4], [5, 6]));
    const trace = await read();
    expect(trace.steps).toHaveLength(3);
    expect(flows(trace)).toBe(3);
    expect(unknownOf(trace)).toBeUndefined();
  });

  it('belongs to its process, whatever files are called', async () => {
    write('a.json', profiled(42, 0, step(1, [1, 2])));
    write('b.json', profiled(43, 1, step(1, [7, 8]), step(2, [9, 10])));
    write('et-a.json', executionTrace(43, [7, 8], [9, 10]));
    write('et-b.json', executionTrace(42, [1, 2]));
    expect(flows(await read())).toBe(3);
  });

  it('of one rank is enough; nothing is known of the data of others', async () => {
    write('a.json', profiled(42, 0, step(1, [1, 2])));
    write('b.json', profiled(43, 1, step(1, [1, 2])));
    write('et.json', executionTrace(43, [1, 2]));
    const trace = await read();
    expect(flows(trace)).toBe(1);
    expect(unknownOf(trace)).toMatchObject({ count: 2, of: 4 });
  });

  it('is paired by the order of names where processes have the same number, or do not say it', async () => {
    for (const process of [1, undefined]) {
      write('a.json', profiled(1, 0, step(1, [1, 2])));
      write('b.json', profiled(1, 1, step(1, [3, 4])));
      write('et-0.json', executionTrace(process, [1, 2]));
      write('et-1.json', executionTrace(process, [3, 4]));
      expect(flows(await read())).toBe(2);
    }
  });

  it('of another process is refused by name', async () => {
    write('a.json', profiled(42, 0, step(1, [1, 2])));
    write('et.json', executionTrace(42, [1, 2]));
    write('other.json', executionTrace(99, [1, 2]));
    await expect(read()).rejects.toMatchObject({
      code: 'VENTURI_STEPS_UNREADABLE',
      message: 'other.json is an execution trace of process 99, of which there is no trace of the profiler.',
    });
  });
});
