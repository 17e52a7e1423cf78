import type { Cause } from '../../model/finding.ts';
import { count, decimal, percent, plural, precisePercent, time } from '../format.ts';
import { fileName } from '../paths.ts';
import type { Fleet, FleetRow } from '../results/fleet.ts';
import type { Block, Report } from '../tree.ts';

/** A row, and where its run lies. */
export interface JudgedRun extends FleetRow {
  readonly folder: string;
}

/** Hosts below this part of their cores have room (Plumber, Fig. 3: most jobs that wait do). */
const HALF = 0.5;

/** Many runs: who waits, and whether the CPU is why. */
export function fleetReport({ runs, folder }: Fleet, judged: readonly JudgedRun[]): Report {
  const waiting = judged.filter(({ isWaiting }) => isWaiting);
  const idle = waiting.filter(({ utilisation }) => utilisation < HALF);
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
      rows: byWait(judged).map(run => [
        fileName(run.folder, '.venturi'),
        run.waitShare === undefined ? '' : precisePercent(run.waitShare),
        run.wait === undefined ? '' : time(run.wait),
        precisePercent(run.utilisation),
        run.rate,
        run.limit,
        causeOf(run.cause),
        run.gain === undefined ? '' : `${decimal(Math.round(run.gain.factor * 10) / 10)} ×`,
      ]),
    });
    blocks.push({
      type: 'heading',
      text: 'Wait against CPU',
      note: 'runs by how long they wait and how much CPU they use',
    });
    blocks.push(waitAgainstCpu(judged));
  }
  const failed = runs.flatMap(run => ('failure' in run ? [run] : []));
  if (failed.length > 0) {
    blocks.push({ type: 'heading', text: 'Not judged' });
    blocks.push({
      type: 'list',
      items: failed.map(run => ({ text: `${fileName(run.folder)}: ${run.failure.message}`, mark: 'warn' })),
    });
  }
  return blocks;
}

const byWait = (runs: readonly JudgedRun[]): JudgedRun[] =>
  [...runs].sort((a, b) => (b.waitShare ?? 0) - (a.waitShare ?? 0));

const worst = (runs: readonly JudgedRun[]): JudgedRun | undefined => byWait(runs)[0];

function causeOf(cause: Cause): string {
  if (cause.type === 'none') return '';
  return cause.type === 'hardware' ? `${cause.resource} full` : 'nothing full';
}

const WAITS = [0, 0.1, 0.5, 0.9, Number.POSITIVE_INFINITY] as const;
const USES = [0, 0.25, 0.5, 0.75, Number.POSITIVE_INFINITY] as const;

const bandOf = (bounds: readonly number[], value: number): number =>
  bounds.findIndex((low, at) => value >= low && value < (bounds[at + 1] ?? Number.POSITIVE_INFINITY));

const bandName = (bounds: readonly number[], at: number): string => {
  const high = bounds[at + 1] ?? 0;
  return high === Number.POSITIVE_INFINITY ? `${percent(bounds[at])} up` : `${percent(bounds[at])} to ${percent(high)}`;
};

function waitAgainstCpu(runs: readonly JudgedRun[]): Block {
  const cells = WAITS.slice(0, -1).map(() => USES.slice(0, -1).map(() => 0));
  for (const { waitShare, utilisation } of runs) {
    // Nobody takes what ends in sinks, and nobody waits for it.
    if (waitShare === undefined) continue;
    const row = cells[bandOf(WAITS, waitShare)];
    const column = bandOf(USES, utilisation);
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
