import { join } from 'node:path';
import { BatchFold } from '../../analysis/batches/fold.ts';
import { machineOf } from '../../model/host.ts';
import { metricOf } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import { csvLine, csvTable } from '../../report/csv.ts';
import type { RunInfo } from '../../report/results/run-info.ts';
import { foldRecords } from '../../store/fold.ts';
import type { Run } from '../../store/run-reader.ts';
import { runInfo } from '../info.ts';
import { runSamples } from '../samples.ts';
import type { Exported, Exporter, ExportJob } from './exporter.ts';

/** Every table of a run as a CSV file of its own. Those that would be empty are left out. */
export const csvExporter: Exporter = {
  run: exportCsv,
  steps: undefined,
  takes: [],
};

async function exportCsv(run: Run, { out, files }: ExportJob): Promise<Exported> {
  const written: string[] = [];
  files.folder(out);
  const info = await runInfo(run.folder);
  const tables = new Map<string, readonly object[]>([
    ['run', [runRow(info)]],
    ['operators', info.operators],
    ['lanes', info.lanesRows],
    ['channels', info.channels],
    ...(await batchTables(run, info)),
    ...(await sampleTables(info)),
  ]);
  for (const [name, rows] of tables) {
    if (rows.length === 0) continue;
    await files.write(join(out, `${name}.csv`), csvTable(rows));
    written.push(`${name}.csv`);
  }
  await files.write(join(out, 'spans.csv'), spanLines(run));
  await files.write(join(out, 'counters.csv'), counterLines(run));
  return { files: [...written, 'spans.csv', 'counters.csv'], leftOut: [] };
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

function* spanLines(run: Run): Generator<string, void, undefined> {
  yield csvLine(['lane', 'pid', 'tid', 'subject', 'sequence', 'start_ns', 'duration_ns']);
  const records = run.records();
  for (const { lane, count, kind, subject, sequence, start, duration } of records.blocks()) {
    for (let row = 0; row < count; row++) {
      if (kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) continue;
      const name = records.subjects[subject[row] ?? -1];
      yield csvLine([lane.name, lane.pid, lane.tid, name, sequence[row], start[row], duration[row]]);
    }
  }
}

function* counterLines(run: Run): Generator<string, void, undefined> {
  yield csvLine(['lane', 'pid', 'tid', 'subject', 'metric', 'time_ns', 'value']);
  const records = run.records();
  for (const { lane, count, kind, flags, subject, start, duration } of records.blocks()) {
    for (let row = 0; row < count; row++) {
      if (kind[row] !== RECORD_KIND.counter) continue;
      const metric = metricOf(flags[row] ?? 0) ?? `metric ${flags[row]}`;
      yield csvLine([
        lane.name,
        lane.pid,
        lane.tid,
        records.subjects[subject[row] ?? -1],
        metric,
        start[row],
        duration[row],
      ]);
    }
  }
}
