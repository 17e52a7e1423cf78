import { PARTS, type Part } from '../../analysis/steps/breakdown.ts';
import type { KernelRow } from '../../analysis/steps/kernels.ts';
import { PATH_PARTS, type PathPart } from '../../analysis/steps/path-summary.ts';
import type { StepsSummary } from '../../analysis/steps/summary.ts';
import { heading, list } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { byteSize, count, decimal, percent, precisePercent, preciseTime, time } from '../format.ts';
import { kernelName } from '../kernel-name.ts';
import type { Block, FactsBlock, TableBlock } from '../tree.ts';

const PART_NAMES: Readonly<Record<Part, readonly [onDevice: string, onHost: string]>> = {
  compute: ['kernels', 'operators'],
  communication: ['communication not overlapped', 'communication not overlapped'],
  copy: ['copies not overlapped', 'copies not overlapped'],
  input: ['device idle: waiting for input', 'waiting for input'],
  host: ['device idle: waiting for the host', 'outside operators'],
};

/** What a step's time goes to. Each moment counts once, from the top down. */
export function partTable({ mean, shares, hasDevice }: StepsSummary): TableBlock {
  return table(
    PARTS.filter(part => mean[part] > 0),
    [
      names('a step spends on', part => PART_NAMES[part][hasDevice ? 0 : 1]),
      figures('time', part => preciseTime(mean[part])),
      figures('share', part => precisePercent(shares[part])),
    ],
  );
}

export function stepTable({ steps }: StepsSummary): TableBlock {
  const has = (part: Part): boolean => steps.some(step => step[part] > 0);
  return table(steps, [
    figures('step', ({ number }) => String(number)),
    figures('time', ({ duration }) => preciseTime(duration)),
    figures('compute', ({ compute }) => preciseTime(compute)),
    has('communication') && figures('communication', ({ communication }) => preciseTime(communication)),
    has('copy') && optional(figures('copies', ({ copy }) => preciseTime(copy))),
    has('input') && figures('input', ({ input }) => preciseTime(input)),
    figures('host', ({ host }) => preciseTime(host)),
  ]);
}

const MOST_KERNELS = 10;

/** Ops on devices with the most time. */
export function kernelBlocks({ kernels, hasDevice, time: { count: steps } }: StepsSummary): Block[] {
  if (kernels.length === 0) return [];
  const more = kernels.length - MOST_KERNELS;
  return [
    heading(
      hasDevice ? 'Kernels' : 'Operators',
      more > 0 ? `those with the most time, of ${count(kernels.length)}` : undefined,
    ),
    table(kernels.slice(0, MOST_KERNELS), [
      figures('per step', ({ total }) => preciseTime(total / Math.max(1, steps))),
      figures('share', ({ share }: KernelRow) => precisePercent(share)),
      figures('count', row => count(row.count)),
      figures('mean', ({ mean }) => preciseTime(mean)),
      optional(figures('least', ({ least }) => preciseTime(least))),
      optional(figures('most', ({ most }) => preciseTime(most))),
      names('name', ({ name }) => kernelName(name)),
    ]),
  ];
}

export function idleBlocks({ idle, time: { count: steps } }: StepsSummary): Block[] {
  if (idle.length === 0) return [];
  const perStep = (value: number): string => preciseTime(value / Math.max(1, steps));
  return [
    heading('Streams', 'busy, and idle before an op by what it waited for; per step'),
    table(idle, [
      names('stream', ({ stream }) => stream),
      figures('busy', ({ busy }) => perStep(busy)),
      figures('for its launch', ({ forLaunch }) => perStep(forLaunch)),
      figures('for a stream', ({ forStream }) => perStep(forStream)),
      figures('hand-over', ({ handOver }) => perStep(handOver)),
    ]),
  ];
}

export function launchBlocks({ launches }: StepsSummary): Block[] {
  if (launches === undefined) return [];
  const { call, delay, queueMean, queueMost, queueEmpty } = launches;
  const spread = ({ p90, most }: typeof call): string => `p90 ${time(p90)}, at most ${time(most)}`;
  const items: FactsBlock['items'] = [
    {
      label: 'launches',
      value: count(launches.count),
      note: `${percent(launches.shorterThanCall)} of kernels take less time than their call`,
    },
    { label: 'call on the host', value: time(call.p50), note: spread(call) },
    { label: 'from call to start', value: time(delay.p50), note: spread(delay) },
    {
      label: 'queue length',
      value: decimal(queueMean),
      note: `at most ${count(queueMost)}; empty ${percent(queueEmpty)} of the time`,
    },
  ];
  return [heading('Launches'), { type: 'facts', items }];
}

export function collectiveBlocks({ collectives, parallelism }: StepsSummary): Block[] {
  if (collectives.length === 0) return [];
  const note = parallelism === undefined ? undefined : `of ${parallelism} parallelism, by their kinds`;
  return [
    heading(parallelism === undefined ? 'Transfers' : 'Collectives', note),
    table(collectives, [
      names('collective', ({ name }) => name),
      figures('per step', ({ perStep }) => decimal(perStep)),
      figures('bytes a step', ({ bytesPerStep }) => byteSize(bytesPerStep)),
      figures('time a step', ({ timePerStep }) => preciseTime(timePerStep)),
      figures('ranks', ({ groupSize }) => count(groupSize)),
    ]),
  ];
}

const PATH_NAMES: Readonly<Record<PathPart, string>> = {
  compute: 'kernels',
  communication: 'communication',
  copy: 'copies',
  input: 'input',
  operator: 'operators on the host',
  call: 'calls of the runtime',
  between: 'Python between operators',
  latency: 'latency of launches',
};

/** A smaller part of the critical path is left out. */
const LITTLE = 0.001;

/** Part of a step that has to be on no path to be told: steps and paths differ a little by what lies at their edges. A judgement. */
const UNEXPLAINED = 0.1;

/** What the critical path is made of, and the ops on it. */
export function pathBlocks({ path, hasDevice, time: { mean } }: StepsSummary): Block[] {
  const whole = Math.max(1, path.duration);
  const parts = PATH_PARTS.filter(part => path.parts[part] > LITTLE * whole).sort(
    (a, b) => path.parts[b] - path.parts[a],
  );
  return [
    heading(
      'Critical path',
      mean - path.duration > UNEXPLAINED * mean
        ? `${time(path.duration)} of ${time(mean)} a step: for the rest the trace does not tell what waits for what`
        : `${time(path.duration)} a step: what must be faster for the step to be faster`,
    ),
    table(parts, [
      names('on the path', part => (part === 'compute' && !hasDevice ? 'computation' : PATH_NAMES[part])),
      figures('time', part => preciseTime(path.parts[part])),
      figures('share', part => precisePercent(path.parts[part] / whole)),
    ]),
    table(path.ops, [
      figures('time', op => preciseTime(op.time)),
      figures('count', op => decimal(Math.round(op.count))),
      names('most of it', op => kernelName(op.name)),
    ]),
  ];
}

export function rankBlocks({ ranks }: StepsSummary): Block[] {
  if (ranks.length < 2) return [];
  const has = (part: Part): boolean => ranks.some(({ parts }) => parts[part] > 0);
  const isMoved = ranks.some(({ clockOffset }) => clockOffset !== undefined);
  return [
    heading('Ranks', isMoved ? 'clocks aligned by the ends of collectives' : undefined),
    table(ranks, [
      figures('rank', ({ rank }) => String(rank)),
      figures('step', ({ duration }) => preciseTime(duration)),
      figures('compute', ({ parts }) => preciseTime(parts.compute)),
      has('communication') && figures('communication', ({ parts }) => preciseTime(parts.communication)),
      has('input') && figures('input', ({ parts }) => preciseTime(parts.input)),
      figures('host', ({ parts }) => preciseTime(parts.host)),
      figures('waits for others', ({ waited }) => preciseTime(waited)),
      figures('last', ({ last }) => precisePercent(last)),
      isMoved &&
        optional(
          figures(
            'clock moved',
            ({ clockOffset = 0 }) => `${clockOffset < 0 ? '-' : ''}${preciseTime(Math.abs(clockOffset))}`,
          ),
        ),
    ]),
  ];
}

/** What is not in the file, and what was done about it. */
export function assumptionBlocks({ assumptions, dependencies }: StepsSummary): Block[] {
  const { count: all, guessed } = dependencies;
  const lines = assumptions.map(({ what, count: some, of }) => `${count(some)} of ${count(of)} ${what}`);
  if (guessed > 0) lines.unshift(`${count(guessed)} of ${count(all)} dependencies are concluded from times`);
  return lines.length === 0 ? [] : [heading('Not in the trace'), list(lines, 'point')];
}
