import type { Distribution } from '../../analysis/batches/distribution.ts';
import type { LateShare } from '../../analysis/batches/late-shares.ts';
import type { BatchSummary, LoaderSummary } from '../../analysis/batches/summary.ts';
import { WAIT_PARTS, type WaitPart } from '../../analysis/batches/wait-split.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { batchCount, byteSize, count, percent, plural, precisePercent, preciseTime, time } from '../format.ts';
import type { Block, FactsBlock, GraphBlock, TableBlock } from '../tree.ts';

/** Times per batch: a row for each phase (T1, T2 and their kin). */
export function batchTable(loader: LoaderSummary): TableBlock {
  const rows: readonly (readonly [string, Distribution])[] = [
    ['preparation (T1)', loader.preparation],
    ['  CPU of it', loader.cpu],
    ['  queued for a core', loader.runDelay],
    ['wait (T2)', loader.wait],
    ['delay', loader.delay],
    [consumptionName(loader), loader.consume],
    ['  on the device', loader.deviceStep],
    ['  device without work', loader.deviceWait],
  ];
  return table(
    rows.filter(([, times]) => times.count > 0),
    [
      names('per batch', ([name]) => name),
      figures('mean', ([, times]) => preciseTime(times.mean)),
      optional(figures('deviation', ([, times]) => preciseTime(times.deviation))),
      figures('p50', ([, times]) => preciseTime(times.p50)),
      figures('p90', ([, times]) => preciseTime(times.p90)),
      figures('p99', ([, times]) => preciseTime(times.p99)),
      optional(figures('<10 ms', ([, times]) => percent(times.below10ms))),
      optional(figures('<100 µs', ([, times]) => percent(times.below100us))),
    ],
  );
}

/** A device works asynchronously: the host's time of a step is a lower bound of its duration. */
function consumptionName({ accelerator, deviceStep }: LoaderSummary): string {
  if (deviceStep.count > 0) return 'consumption (host)';
  return accelerator === undefined ? 'consumption' : 'consumption (lower bound)';
}

const WAITED_FOR: Readonly<Record<WaitPart, string>> = {
  notBegun: 'not begun: no worker had taken it up',
  preparing: 'being prepared',
  behindOthers: 'prepared, behind other batches',
  transfer: 'prepared, in transfer',
  pinning: 'being pinned',
  queued: 'pinned, in the queue',
  rest: 'arrived, being handed out',
  forCore: 'prepared, its consumer queued for a core',
};

export function waitTable({ waitSplit }: LoaderSummary): TableBlock {
  const whole = WAIT_PARTS.reduce((sum, part) => sum + waitSplit[part], 0);
  return table(
    WAIT_PARTS.filter(part => waitSplit[part] > 0),
    [
      names('state of the awaited batch', part => WAITED_FOR[part]),
      figures('time', part => preciseTime(waitSplit[part])),
      figures('share', part => precisePercent(whole > 0 ? waitSplit[part] / whole : 0)),
    ],
  );
}

export function lateTable({ late }: LoaderSummary): TableBlock {
  const rows = [
    { name: 'wait (T2)', shareOf: ({ waits }: LateShare) => waits },
    { name: 'delay', shareOf: ({ delays }: LateShare) => delays },
  ];
  return table(rows, [
    names('batches', ({ name }) => name),
    ...late.map(each =>
      figures(`> ${time(each.longerThan)}`, ({ shareOf }: (typeof rows)[number]) => percent(shareOf(each))),
    ),
  ]);
}

export function operatorTimes({ operators }: LoaderSummary): TableBlock {
  return table(operators, [
    names('operator (T3)', ({ operator }) => operator),
    figures('mean', ({ mean }) => preciseTime(mean)),
    figures('p50', ({ p50 }) => preciseTime(p50)),
    figures('p90', ({ p90 }) => preciseTime(p90)),
    figures('p99', ({ p99 }) => preciseTime(p99)),
    optional(figures('<10 ms', ({ below10ms }) => percent(below10ms))),
    optional(figures('<100 µs', ({ below100us }) => percent(below100us))),
    figures('share', ({ share }) => precisePercent(share)),
    optional(figures('timed', ({ timed }) => count(timed))),
  ]);
}

/** Operators in the order of an element's way, with their shares of the preparation. */
export function loaderGraphBlock({ operators, name, workers }: LoaderSummary): GraphBlock {
  const most = Math.max(...operators.map(row => row.share));
  return {
    type: 'graph',
    nodes: operators.map((row, at) => ({
      id: `${name}/${row.operator}`,
      label: row.operator,
      inputs: at === 0 ? [] : [`${name}/${operators[at - 1]?.operator}`],
      share: row.share,
      figure: time(row.mean),
      emphasis: row.share === most,
    })),
    groups: [
      {
        nodes: operators.map(row => `${name}/${row.operator}`),
        label: workers === 0 ? 'no workers' : plural(workers, 'worker'),
      },
    ],
    edges: [],
  };
}

export function loaderFacts(loader: LoaderSummary): FactsBlock {
  const { firstWaits, idleShare, outOfOrder, batches, unconsumed, workerMemory } = loader;
  return {
    type: 'facts',
    items: [
      { label: 'elements', value: count(loader.elements), note: `in ${batchCount(batches)}` },
      ...(unconsumed > 0
        ? [{ label: 'never consumed', value: count(unconsumed), note: 'batches that were requested' }]
        : []),
      {
        label: 'out of order',
        value: count(outOfOrder),
        note: batches > 0 ? `batches, ${percent(outOfOrder / batches)}, arrived before an earlier one` : '',
      },
      {
        label: 'first wait of a pass',
        value: time(firstWaits.mean),
        note: loader.workers === 0 ? 'the first batch is prepared' : 'workers start, and the first batch is prepared',
      },
      ...(idleShare === undefined
        ? []
        : [
            { label: 'workers idle', value: percent(idleShare), note: 'of their time, because no batch was requested' },
          ]),
      ...(workerMemory === undefined
        ? []
        : [{ label: 'memory of a worker', value: byteSize(workerMemory), note: 'at most' }]),
    ],
  };
}

export function slowestTable({ slowest }: LoaderSummary): TableBlock {
  return table(slowest, [
    figures('time', ({ duration }) => preciseTime(duration)),
    names('element', ({ name }) => name),
  ]);
}

/** Work on datasets before any loader, and shared memory, through which workers send batches. */
export function besideLoaders({ ahead, sharedSpace }: BatchSummary): Block[] {
  const blocks: Block[] = [];
  if (ahead.length > 0) {
    blocks.push(
      heading('Before the first loader', 'work on a whole dataset, done or found in a cache'),
      table(ahead, [names('work', ({ name }) => name), figures('time', ({ start, end }) => preciseTime(end - start))]),
    );
  }
  if (sharedSpace !== undefined && sharedSpace.present > 0) {
    const note = `at most, by all programs, of ${byteSize(sharedSpace.present)} in /dev/shm`;
    blocks.push({ type: 'facts', items: [{ label: 'shared memory', value: byteSize(sharedSpace.used), note }] });
  }
  return blocks;
}

/** Passes shown: the first, which finds caches cold, and the latest. */
const MOST_PASSES = 12;
const shownPasses = (passes: LoaderSummary['passes']) =>
  passes
    .map((pass, at) => ({ pass, at }))
    .filter(({ at }) => passes.length <= MOST_PASSES || at === 0 || at > passes.length - MOST_PASSES);

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

export function passTable({ passes }: LoaderSummary): TableBlock {
  return table(shownPasses(passes), [
    figures('pass', ({ at }) => count(at + 1)),
    figures('batches', ({ pass }) => count(pass.batches)),
    figures('duration', ({ pass }) => preciseTime(pass.end - pass.start)),
    figures('waiting', ({ pass }) => precisePercent(pass.verdict.waitShare)),
    names('limited by', ({ pass }) => pass.verdict.bound),
    optional(names('waiting over time', ({ pass }) => pass.windows.map(({ waitShare }) => barOf(waitShare)).join(''))),
  ]);
}

const barOf = (share: number): string => BARS[Math.min(BARS.length - 1, Math.floor(share * BARS.length))] ?? '';
