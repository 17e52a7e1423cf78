import type { Cause } from '../../findings/finding.ts';
import { heading, list } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, decimal, orBlank, percent, plural, precisePercent, time } from '../format.ts';
import { fileName } from '../paths.ts';
import type { Fleet, FleetRow } from '../results/fleet.ts';
import type { Block, Report } from '../tree.ts';

/** A row, and where its run lies. */
export interface JudgedRun extends FleetRow {
  readonly folder: string;
}

/** CPU utilisation below which a host has room (Plumber, Fig. 3: most jobs that wait do). */
const HALF = 0.5;

/** Many runs: which of them wait, and whether the CPU is the cause. */
export function fleetReport({ runs, folder }: Fleet, judged: readonly JudgedRun[]): Report {
  const waiting = judged.filter(({ isWaiting }) => isWaiting);
  const idle = waiting.filter(({ utilisation }) => utilisation < HALF);
  const blocks: Block[] = [
    {
      type: 'verdict',
      text:
        `${count(waiting.length)} of ${plural(judged.length, 'run')} wait for their input` +
        (waiting.length === 0 ? '' : `; in ${count(idle.length)} of these less than half of the CPU is in use`),
      fix:
        waiting.length > 0 ? `the longest first: venturi diagnose ${byWait(waiting)[0]?.folder ?? folder}` : undefined,
    },
  ];
  if (judged.length > 0) {
    blocks.push(
      heading('Runs', 'those that wait longest first'),
      table(byWait(judged), [
        names('run', ({ folder: path }) => fileName(path, '.venturi')),
        figures('waiting', ({ waitShare }) => orBlank(precisePercent, waitShare)),
        figures('mean wait', ({ wait }) => orBlank(time, wait)),
        figures('CPU in use', ({ utilisation }) => precisePercent(utilisation)),
        figures('throughput', run => run.rate),
        names('bottleneck', ({ limit }) => limit),
        optional(names('cause', ({ cause }) => causeOf(cause))),
        optional(
          figures('gain', ({ gain }) => (gain === undefined ? '' : `${decimal(Math.round(gain.factor * 10) / 10)} ×`)),
        ),
      ]),
      heading('Waiting by CPU utilisation', 'number of runs'),
      waitAgainstCpu(judged),
    );
  }
  const failed = runs.flatMap(run => ('failure' in run ? [run] : []));
  if (failed.length > 0) {
    const reasons = failed.map(run => `${fileName(run.folder)}: ${run.failure.message}`);
    blocks.push(heading('Not judged'), list(reasons, 'warn'));
  }
  return blocks;
}

const byWait = (runs: readonly JudgedRun[]): JudgedRun[] =>
  [...runs].sort((a, b) => (b.waitShare ?? 0) - (a.waitShare ?? 0));

function causeOf(cause: Cause): string {
  if (cause.type === 'none') return '';
  return cause.type === 'hardware' ? `${cause.resource} saturated` : 'software';
}

interface Band {
  readonly low: number;
  readonly high: number;
}

const bandsFrom = (...lows: readonly number[]): Band[] =>
  lows.map((low, at) => ({ low, high: lows[at + 1] ?? Number.POSITIVE_INFINITY }));

const WAITS = bandsFrom(0, 0.1, 0.5, 0.9);
const USES = bandsFrom(0, 0.25, 0.5, 0.75);

const bandName = ({ low, high }: Band): string =>
  Number.isFinite(high) ? `${percent(low)} to ${percent(high)}` : `${percent(low)} up`;

/** A run whose elements end in sinks has no consumer that could wait: it is in no band. */
const isIn = ({ low, high }: Band, value: number | undefined): boolean =>
  value !== undefined && value >= low && value < high;

function waitAgainstCpu(runs: readonly JudgedRun[]): Block {
  const runsIn = (wait: Band, use: Band): string => {
    const found = runs.filter(({ waitShare, utilisation }) => isIn(wait, waitShare) && isIn(use, utilisation));
    return found.length === 0 ? '·' : count(found.length);
  };
  return table(WAITS, [
    names('waiting', bandName),
    ...USES.map(use => figures(`CPU ${bandName(use)}`, (wait: Band) => runsIn(wait, use))),
  ]);
}
