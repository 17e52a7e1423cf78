import { BatchFold } from '../../analysis/batches/fold.ts';
import { machineOf } from '../../model/host.ts';
import { metricOf } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { RunInfo } from '../../report/results/run-info.ts';
import { foldRecords } from '../../store/fold.ts';
import type { Run } from '../../store/run-reader.ts';
import { runInfo } from '../info.ts';
import { runSamples } from '../samples.ts';
import { type ExportTable, smallTable } from './export-table.ts';

/** Every table of a run: what verbs show in figures, and spans and counters one by one. Those that would be empty are left out. */
export async function runTables(run: Run): Promise<ExportTable[]> {
  const info = await runInfo(run.folder);
  const small: readonly (readonly [string, readonly object[]])[] = [
    ['run', [runRow(info)]],
    ['operators', info.operators],
    ['lanes', info.lanesRows],
    ['channels', info.channels],
    ...(await batchTables(run, info)),
    ...(await sampleTables(info)),
  ];
  return [...small.flatMap(([name, rows]) => smallTable(name, rows)), spanTable(run), counterTable(run)];
}

const runRow = ({ name, folder, complete, status, seconds, manifest, totals }: RunInfo): object => ({
  ...{ name, folder, complete, status, seconds },
  ...{ createdAt: manifest.createdAt, command: manifest.command.join(' '), host: machineOf(manifest), totals },
});

async function batchTables(run: Run, { batches }: RunInfo): Promise<[string, readonly object[]][]> {
  if (batches === undefined) return [];
  const fold = new BatchFold();
  await foldRecords(run.records(), [fold]);
  const { loaders } = batches;
  const of = (rows: (loader: (typeof loaders)[number]) => readonly object[]): object[] =>
    loaders.flatMap(loader => rows(loader).map(row => ({ ...row, loader: loader.name })));
  return [
    ['batches', fold.result().batches],
    ['loaders', loaders.map(({ operators, slowest, passes, ...loader }) => loader)],
    ['preparation', of(loader => loader.operators)],
    ['passes', of(loader => loader.passes.map(({ windows, ...pass }) => pass))],
    ['slowest', of(loader => loader.slowest)],
  ];
}

async function sampleTables({ folder, samples: has }: RunInfo): Promise<[string, readonly object[]][]> {
  if (has === undefined) return [];
  const { samples } = await runSamples(folder);
  return [
    ['samples', samples.operators.map(({ symbols, ...row }) => row)],
    ['symbols', samples.operators.flatMap(({ operator, symbols }) => symbols.map(row => ({ operator, ...row })))],
    ['samples-in-no-operator', samples.unattributed.map(({ symbols, ...row }) => row)],
  ];
}

const LANE = [
  ['lane', 'string'],
  ['pid', 'int64'],
  ['tid', 'int64'],
  ['subject', 'string'],
] as const;

const spanTable = (run: Run): ExportTable => ({
  name: 'spans',
  columns: new Map([...LANE, ['sequence', 'int64'], ['start_ns', 'int64'], ['duration_ns', 'int64']]),
  *rows() {
    const records = run.records();
    for (const { lane, count, kind, subject, sequence, start, duration } of records.blocks()) {
      for (let row = 0; row < count; row++) {
        if (kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) continue;
        const name = records.subjects[subject[row] ?? -1];
        yield [lane.name, lane.pid, lane.tid, name, sequence[row], start[row], duration[row]];
      }
    }
  },
});

const counterTable = (run: Run): ExportTable => ({
  name: 'counters',
  columns: new Map([...LANE, ['metric', 'string'], ['time_ns', 'int64'], ['value', 'int64']]),
  *rows() {
    const records = run.records();
    for (const { lane, count, kind, flags, subject, start, duration } of records.blocks()) {
      for (let row = 0; row < count; row++) {
        if (kind[row] !== RECORD_KIND.counter) continue;
        const metric = metricOf(flags[row] ?? 0) ?? `metric ${flags[row]}`;
        const name = records.subjects[subject[row] ?? -1];
        yield [lane.name, lane.pid, lane.tid, name, metric, start[row], duration[row]];
      }
    }
  },
});
