import { basename } from 'node:path';
import { SHORT_WAIT_NS } from '../../analysis/findings/consumer-bound.ts';
import { count, decimal, percent, plural, precisePercent, rate, time } from '../../report/format.ts';
import type { Block, Report } from '../../report/tree.ts';
import type { Diagnosis, Fleet, FleetRun } from '../../workflow/index.ts';

type Judged = Extract<FleetRun, { readonly diagnosis: Diagnosis }>;
const isJudged = (run: FleetRun): run is Judged => 'diagnosis' in run;

/** Hosts below this part of their cores have room (Plumber, Fig. 3: most jobs that wait do). */
const HALF = 0.5;

/** Many runs: who waits, and whether the CPU is why. */
export function fleetReport({ runs, folder }: Fleet): Report {
  const judged = runs.filter(isJudged);
  const waiting = judged.filter(({ diagnosis }) => isWaiting(diagnosis));
  const idle = waiting.filter(({ diagnosis }) => diagnosis.cpu.utilisation < HALF);
  const blocks: Block[] = [
    {
      type: 'verdict',
      text:
        `${count(waiting.length)} of ${plural(judged.length, 'run')} wait for their input` +
        (waiting.length === 0 ? '' : `; in ${count(idle.length)} of these less than half of the CPU is in use`),
      ...(waiting.length > 0 ? { fix: `the longest first: venturi diagnose ${worst(waiting)?.folder ?? folder}` } : {}),
    },
  ];
  if (judged.length > 0) {
    blocks.push({ type: 'heading', text: 'Runs', note: 'those that wait longest first' });
    blocks.push({
      type: 'table',
      columns: [
        { title: 'run', align: 'left' },
        { title: 'waits', align: 'right' },
        { title: 'each time', align: 'right' },
        { title: 'CPU in use', align: 'right' },
        { title: 'rate', align: 'right' },
        { title: 'what limits it', align: 'left' },
        { title: 'why', align: 'left', optional: true },
        { title: 'gain', align: 'right', optional: true },
      ],
      rows: byWait(judged).map(({ folder: path, diagnosis }) => [
        basename(path, '.venturi'),
        diagnosis.consumer === undefined ? '' : precisePercent(diagnosis.consumer.waitShare),
        diagnosis.consumer === undefined ? '' : time(diagnosis.consumer.wait),
        precisePercent(diagnosis.cpu.utilisation),
        rate(diagnosis.rate.estimate),
        limitOf(diagnosis),
        diagnosis.verdict.cause.type === 'none' ? '' : causeOf(diagnosis),
        diagnosis.verdict.gain === undefined ? '' : `${decimal(Math.round(diagnosis.verdict.gain.factor * 10) / 10)} ×`,
      ]),
    });
    blocks.push({
      type: 'heading',
      text: 'Wait against CPU',
      note: 'runs by how long they wait and how much CPU they use',
    });
    blocks.push(waitAgainstCpu(judged));
  }
  const failed = runs.filter(run => !isJudged(run));
  if (failed.length > 0) {
    blocks.push({ type: 'heading', text: 'Not judged' });
    blocks.push({
      type: 'list',
      items: failed.flatMap(run =>
        isJudged(run) ? [] : [{ text: `${basename(run.folder)}: ${run.failure.message}`, mark: 'warn' as const }],
      ),
    });
  }
  return blocks;
}

const isWaiting = ({ consumer, verdict }: Diagnosis): boolean =>
  consumer !== undefined && consumer.wait >= SHORT_WAIT_NS && verdict.kind !== 'consumer-bound';

const byWait = (runs: readonly Judged[]): Judged[] =>
  [...runs].sort((a, b) => (b.diagnosis.consumer?.waitShare ?? 0) - (a.diagnosis.consumer?.waitShare ?? 0));

const worst = (runs: readonly Judged[]): Judged | undefined => byWait(runs)[0];

function limitOf({ verdict, graph }: Diagnosis): string {
  const first = graph.operators.find(({ id }) => id === verdict.operators[0])?.label;
  return first === undefined ? verdict.kind : `${verdict.kind}: ${first}`;
}

const causeOf = ({ verdict: { cause } }: Diagnosis): string =>
  cause.type === 'hardware' ? `${cause.resource} full` : 'nothing full';

const WAITS = [0, 0.1, 0.5, 0.9, Number.POSITIVE_INFINITY] as const;
const USES = [0, 0.25, 0.5, 0.75, Number.POSITIVE_INFINITY] as const;

const bandOf = (bounds: readonly number[], value: number): number =>
  bounds.findIndex((low, at) => value >= low && value < (bounds[at + 1] ?? Number.POSITIVE_INFINITY));

const bandName = (bounds: readonly number[], at: number): string => {
  const high = bounds[at + 1] ?? 0;
  return high === Number.POSITIVE_INFINITY ? `${percent(bounds[at])} up` : `${percent(bounds[at])} to ${percent(high)}`;
};

function waitAgainstCpu(runs: readonly Judged[]): Block {
  const cells = WAITS.slice(0, -1).map(() => USES.slice(0, -1).map(() => 0));
  for (const { diagnosis } of runs) {
    const row = cells[bandOf(WAITS, diagnosis.consumer?.waitShare ?? 0)];
    const column = bandOf(USES, diagnosis.cpu.utilisation);
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  return {
    type: 'table',
    columns: [
      { title: 'waits', align: 'left' },
      ...USES.slice(0, -1).map((_, at) => ({ title: `CPU ${bandName(USES, at)}`, align: 'right' as const })),
    ],
    rows: cells.map((row, at) => [bandName(WAITS, at), ...row.map(n => (n === 0 ? '·' : count(n)))]),
  };
}
