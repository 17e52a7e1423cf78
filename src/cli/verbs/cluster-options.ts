import { type Command, Option } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { ALGORITHMS } from '../../prediction/scaleout/all-reduce.ts';
import { MODES, MULTIPLEXING, ORDERS, PARTITIONS } from '../../prediction/scaleout/cluster.ts';
import type { ClusterOptions } from '../../workflow/index.ts';
import { parseBandwidth, parseDuration, parseRate, parseSize, parseWhole } from '../quantities.ts';

/** Names of the options of clusters, as commander gives them. */
const NAMES = [
  'replicas',
  'servers',
  'bandwidth',
  'hostBandwidths',
  'profiledBandwidth',
  'alone',
  'mode',
  'order',
  'partition',
  'window',
  'multiplexing',
  'fit',
  'alpha',
  'beta',
  'parse',
  'lanes',
  'perHost',
  'algorithm',
  'insideBandwidth',
  'latency',
  'bucketBytes',
  'speeds',
  'straggling',
  'input',
  'steps',
  'seed',
  'price',
  'serverPrice',
  'epochSize',
  'wanted',
  'writeTrace',
  'threads',
] as const satisfies readonly (keyof ClusterOptions)[];

/** Options of `predict` for traces of training steps. */
export function addClusterOptions(command: Command): Command {
  const bandwidth = (option: string) => (text: string) => parseBandwidth(option, text);
  const whole = (option: string) => (text: string) => parseWhole(option, text, 1);
  return command
    .option('--replicas <n>', 'training steps: on so many workers: 8, 1,2,4 or 1..32', parseRange('--replicas'))
    .option(
      '--servers <n>',
      'training steps: parameter servers, as recorded unless given: 2, or 1,2,4',
      parseRange('--servers'),
    )
    .option('--bandwidth <rate>', 'training steps: of a host, each way: 10Gbit, 1.2GB/s', bandwidth('--bandwidth'))
    .option(
      '--host-bandwidths <rate,…>',
      'training steps: of hosts of workers, where servers have another; several: one host after the other, in turn',
      text => text.split(',').map(bandwidth('--host-bandwidths')),
    )
    .option(
      '--profiled-bandwidth <rate>',
      'training steps: at which the trace was recorded, for --fit and --alone; --bandwidth unless given',
      bandwidth('--profiled-bandwidth'),
    )
    .option(
      '--alone <rate>',
      'training steps: of one worker without a profiler, as its throughput is counted here: 10.2/s',
      text => parseRate('--alone', text),
    )
    .addOption(new Option('--mode <mode>', 'training steps: how workers share what they learn').choices(MODES))
    .option(
      '--order <order>',
      `training steps: of transfers: ${ORDERS.join(', ')}, or their names with commas between`,
      parseOrder,
    )
    .addOption(new Option('--partition <way>', 'training steps: of parameters among servers').choices(PARTITIONS))
    .option(
      '--window <size>',
      'training steps: bytes of a stream that are sent before others have their turn: 64KiB, or off',
      parseWindow,
    )
    .addOption(new Option('--multiplexing <way>', 'training steps: what follows those bytes').choices(MULTIPLEXING))
    .option(
      '--fit',
      'training steps: fit the window, the cost of parsing and the order of streams to the trace, and say how well one worker is reproduced',
    )
    .option('--alpha <time>', 'training steps: parsing of a received byte: 0.9ns', text =>
      parseDuration('--alpha', text),
    )
    .option('--beta <time>', 'training steps: parsing of a received message: 40us', text =>
      parseDuration('--beta', text),
    )
    .addOption(
      new Option('--parse <where>', 'training steps: parse on the processor, or beside it').choices([
        'worker',
        'beside',
      ]),
    )
    .option(
      '--lanes <n>',
      'training steps: ops that a worker computes at a time, as recorded unless given',
      whole('--lanes'),
    )
    .option('--per-host <n>', 'training steps: workers of a host, which share its network card', whole('--per-host'))
    .addOption(new Option('--algorithm <name>', 'training steps: of an all-reduce').choices(ALGORITHMS))
    .option(
      '--inside-bandwidth <rate>',
      'training steps: between workers of a host: 300GB/s',
      bandwidth('--inside-bandwidth'),
    )
    .option('--latency <time>', 'training steps: of a message of an all-reduce: 20us', text =>
      parseDuration('--latency', text),
    )
    .option('--bucket-bytes <size>', 'training steps: gradients that are all-reduced together: 25MiB', text =>
      parseSize('--bucket-bytes', text),
    )
    .option('--speeds <n,…>', 'training steps: speeds of workers over that of the profiled one: 1,1,0.5', parseSpeeds)
    .option(
      '--straggling <share,factor>',
      'training steps: some steps of a worker take longer: 0.05,2 is one of twenty, twice as long',
      parseStraggling,
    )
    .option('--input <rate>', 'training steps: batches that a worker is given at most: 5/s', text =>
      parseRate('--input', text),
    )
    .option('--steps <n>', 'training steps: of a worker in each simulation', parseSteps)
    .option('--seed <n>', 'training steps: of what is drawn', text => parseWhole('--seed', text, 0))
    .option('--threads <n>', 'training steps: for simulations, one for each core unless given', whole('--threads'))
    .option('--price <n>', 'training steps: of a worker for an hour', parsePositive('--price'))
    .option(
      '--server-price <n>',
      'training steps: of a server for an hour, that of a worker unless given',
      parsePositive('--server-price'),
    )
    .option('--epoch-size <n>', 'training steps: examples of an epoch', whole('--epoch-size'))
    .option('--wanted <rate>', 'training steps: find the cheapest cluster that reaches this: 500/s', text =>
      parseRate('--wanted', text),
    )
    .option(
      '--write-trace <file>',
      'training steps: write the first steps of the largest cluster as a trace for Perfetto',
    );
}

/** The options of clusters among all that were given, and the others. */
export function clusterOptions<T extends object>(
  flags: T & ClusterOptions,
): {
  readonly cluster: ClusterOptions | undefined;
  readonly others: Omit<T, keyof ClusterOptions>;
} {
  const entries = Object.entries(flags);
  const isOfCluster = ([name]: [string, unknown]): boolean => NAMES.some(each => each === name);
  const given = entries.filter(isOfCluster);
  return {
    cluster: given.length === 0 ? undefined : Object.fromEntries(given),
    others: Object.fromEntries(entries.filter(entry => !isOfCluster(entry))) as Omit<T, keyof ClusterOptions>,
  };
}

/** More workers or servers than any job of which one worker is profiled. */
const MOST_WORKERS = 65_536;
/** More clusters than anybody reads of. */
const MOST_CLUSTERS = 4096;

/** `8`, `1,2,4`, `1..32`, `1..4,8`. */
const parseRange =
  (option: string) =>
  (text: string): number[] => {
    const numbers = text.split(',').flatMap(part => {
      const [first = '', last = first] = part.split('..');
      const from = parseWhole(option, first, 1);
      const to = parseWhole(option, last, 1);
      if (to < from) throw backwards(option, part, `${to}..${from}`);
      if (to > MOST_WORKERS || to - from >= MOST_CLUSTERS) throw tooMany(option, part);
      return Array.from({ length: to - from + 1 }, (_, at) => from + at);
    });
    return [...new Set(numbers)].sort((a, b) => a - b);
  };

const backwards = (option: string, text: string, forwards: string): VenturiError =>
  new VenturiError('VENTURI_USAGE', `${option}: '${text}' ends before it begins.`, {
    remedy: `Write ${option} ${forwards}`,
  });

/** Steps of a worker, above which a throughput is told no better: a simulation of them can take minutes. */
const MOST_STEPS = 10_000;

function parseSteps(text: string): number {
  const steps = parseWhole('--steps', text, 1);
  if (steps <= MOST_STEPS) return steps;
  throw new VenturiError('VENTURI_USAGE', `--steps: '${text}' is more than is simulated: at most ${MOST_STEPS}.`, {
    remedy: 'Leave it out: 1000 steps are counted then, of all workers together, and 50 of each at least.',
  });
}

const tooMany = (option: string, text: string): VenturiError =>
  new VenturiError(
    'VENTURI_USAGE',
    `${option}: '${text}' is more than can be simulated: at most ${MOST_WORKERS} of them, and ${MOST_CLUSTERS} numbers.`,
    { remedy: `Name some numbers: ${option} 1,2,4,8,16` },
  );

const parseOrder = (text: string): NonNullable<ClusterOptions['order']> =>
  ORDERS.find(order => order === text) ?? text.split(',');

const parseWindow = (text: string): number => (text === 'off' ? Number.POSITIVE_INFINITY : parseSize('--window', text));

function parseStraggling(text: string): NonNullable<ClusterOptions['straggling']> {
  const [probability = Number.NaN, factor = Number.NaN, ...more] = text.split(',').map(Number);
  if (more.length === 0 && probability > 0 && probability <= 1 && factor >= 1 && Number.isFinite(factor)) {
    return { probability, factor };
  }
  throw new VenturiError('VENTURI_USAGE', `--straggling: '${text}' is not a share of steps and a factor from 1 up.`, {
    remedy: 'Write both: --straggling 0.05,2',
  });
}

const parseSpeeds = (text: string): number[] => text.split(',').map(parsePositive('--speeds'));

const parsePositive =
  (option: string) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
    throw new VenturiError('VENTURI_USAGE', `${option}: '${text}' is not a number above zero.`, {
      remedy: `Write it in digits: ${option} 3.06`,
    });
  };
