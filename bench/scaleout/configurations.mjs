/**
 * What is trained on the cluster, all of it named before anything is measured. Compute is a sleep unless a set says otherwise, so that two cores host many
 * workers: a step takes 25 ms (vgg) to 45 ms (resnet) of CPU, of worker and server together, and no link lets more than 23 steps pass per second. That is
 * 52 % of two cores at most, so that no configuration is left out for want of CPU.
 */

const MODEL_BYTES = 1_000_000;
/** Compute of a step takes 75, 125 or 200 ms. The model takes 84 or 42 ms on a link, in each direction: links saturate at 2 to 6 workers. */
const SECONDS_PER_EXAMPLE = 0.0125;
const BATCHES = [6, 10, 16];
const MEDIUM = [10];
const SLOW = 100e6;
const FAST = 200e6;

/** Every combination; `recording` names the one-worker recording from which it is predicted, `job` what differs from the asynchronous default. */
const set = (name, { models, batches, bandwidths, workers, recording = 'one-server', recorded = {}, job = {} }) =>
  models.flatMap(model =>
    batches.flatMap(batch =>
      bandwidths.flatMap(bandwidth => {
        const at = `${model}/b${batch}/${bandwidth / 1e6}M`;
        const common = {
          model,
          model_bytes: MODEL_BYTES,
          batch,
          seconds_per_example: SECONDS_PER_EXAMPLE,
          bits_per_second: bandwidth,
        };
        return workers.map(count => ({
          set: name,
          id: `${name}/${at}/w${count}`,
          job: { ...common, ...job, workers: count },
          recording: { id: `${recording}/${at}`, job: { ...common, ...job, workers: 1, ...recorded } },
        }));
      }),
    ),
  );

const MODELS = ['vgg', 'resnet'];

export const CONFIGURATIONS = [
  ...set('async-ps', { models: MODELS, batches: BATCHES, bandwidths: [SLOW, FAST], workers: [1, 2, 3, 4, 5, 6] }),
  // Real compute of 1 MB of dense layers: 15 and 30 ms of CPU per step, 56 % of two cores where the link is full.
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
