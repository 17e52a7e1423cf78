/**
 * What is trained on the cluster, all of it named before anything is measured. Compute is a sleep unless a set says otherwise, so that two cores host many
 * workers: a step takes some 25 ms of CPU, of worker and server together, and no link lets more than 36 steps pass per second. That is
 * about 45 % of two cores, so that no configuration is left out for want of CPU.
 */

const MODEL_BYTES = 500_000;
/** Takes 0.8 s on the slow link, as ResNet-50 does at 1 Gbit/s: what hosts do for a request is small beside that, as it is in real clusters. */
export const LARGE_MODEL_BYTES = 10_000_000;
/**
 * Compute of a step takes 62, 100 or 150 ms on average. The model takes 42 or 28 ms on a link, in each direction, of which a third to a half overlaps with compute: one worker alone
 * does 15 to 38 % of the steps that a link lets pass. So in 24 of 36 configurations of a model all workers together would do 0.55 to 1.75 times as many as the link lets
 * pass, were there no link between them: those are at the knee.
 */
const SECONDS_PER_EXAMPLE = 0.00625;
const BATCHES = [10, 16, 24];
const MEDIUM = [10];
/** Compute takes about as long as the large model on the link. */
const LONG = [160];
const SLOW = 100e6;
const FAST = 150e6;

/** Every combination; `recording` names the one-worker recording from which it is predicted, `job` what differs from the asynchronous default. */
const set = (
  name,
  { models, batches, bandwidths, workers, bytes = MODEL_BYTES, recording = 'one-server', recorded = {}, job = {} },
) =>
  models.flatMap(model =>
    batches.flatMap(batch =>
      bandwidths.flatMap(bandwidth => {
        const at = `${model}/b${batch}/${bandwidth / 1e6}M`;
        const common = {
          model,
          model_bytes: bytes,
          batch,
          seconds_per_example: SECONDS_PER_EXAMPLE,
          bits_per_second: bandwidth,
        };
        // Workers of asynchronous training wait their turn: the same processes train with one of them, then with two.
        const started = (job.mode ?? 'async') === 'async' ? Math.max(...workers) : undefined;
        return workers.map(count => ({
          set: name,
          id: `${name}/${at}/w${count}`,
          job: { ...common, ...job, workers: count, started },
          recording: { id: `${recording}/${at}`, job: { ...common, ...job, workers: 1, started, ...recorded } },
        }));
      }),
    ),
  );

const MODELS = ['vgg', 'resnet'];

export const CONFIGURATIONS = [
  ...set('async-ps', { models: MODELS, batches: BATCHES, bandwidths: [SLOW, FAST], workers: [1, 2, 3, 4, 5, 6] }),
  // For the moments at which streams end, beside those of the small models; one step is as long as twenty of theirs.
  ...set('large', {
    models: MODELS,
    batches: LONG,
    bandwidths: [SLOW],
    workers: [1],
    bytes: LARGE_MODEL_BYTES,
    recording: 'large',
    recorded: { steps: 50 },
    job: { warm_up: 10, steps: 40 },
  }),
  // Real compute of dense layers, on the machine's two cores: few workers and short computations leave most of them idle.
  ...set('async-ps-real', {
    models: ['dense'],
    batches: [512, 1024],
    bandwidths: [SLOW],
    workers: [1, 2, 3, 4],
    recording: 'one-server-real',
    job: { compute: 'real' },
  }),
  ...set('sync-ps', {
    models: MODELS,
    batches: MEDIUM,
    bandwidths: [SLOW, FAST],
    workers: [2, 4, 6],
    recorded: { mode: 'async' },
    job: { mode: 'sync' },
  }),
  // Servers with 58 % and 42 % of the bytes.
  ...set('two-servers', {
    models: ['resnet'],
    batches: MEDIUM,
    bandwidths: [SLOW],
    workers: [1, 2, 4, 6],
    recording: 'two-servers',
    job: { servers: 2 },
  }),
  // 80 % and 20 %.
  ...set('two-servers', {
    models: ['vgg'],
    batches: MEDIUM,
    bandwidths: [SLOW],
    workers: [1, 2, 4, 6],
    recording: 'two-servers',
    job: { servers: 2, split: 'greedy' },
  }),
  // Layers in order is what TIC gives for a chain of layers. A random order is recorded by itself.
  ...[
    { order: 'layer', recording: 'ordered', recorded: 'layer' },
    { order: 'reverse', recording: 'ordered', recorded: 'layer' },
    { order: 'random', recording: 'ordered-at-random', recorded: 'random' },
  ].flatMap(({ order, recording, recorded }) =>
    set(`order-${order}`, {
      models: ['resnet'],
      batches: MEDIUM,
      bandwidths: [SLOW],
      workers: [1, 2, 4],
      recording,
      recorded: { order: recorded },
      job: { order },
    }),
  ),
  ...set('allreduce', {
    models: MODELS,
    batches: MEDIUM,
    bandwidths: [SLOW, FAST],
    workers: [2, 4, 6],
    recording: 'allreduce',
    recorded: { workers: 2 },
    job: { mode: 'allreduce' },
  }),
];

/** What processes of a training are built for: those for which it is the same can follow each other on them, see test/cluster. */
export function built({
  mode = 'async',
  compute = 'sleep',
  order = 'default',
  servers = 1,
  split,
  model,
  model_bytes,
  ...job
}) {
  const counted = mode === 'async' ? (job.started ?? job.workers) : job.workers;
  return [
    mode,
    model,
    model_bytes,
    compute,
    order,
    servers,
    split,
    counted,
    compute === 'real' ? job.batch : undefined,
  ].join(' ');
}
