import { availableParallelism, totalmem } from 'node:os';
import { isOwnWorker } from '../../io/storage/own-worker.ts';
import { VenturiError } from '../../model/errors.ts';
import { wholeNumber } from '../../model/option.ts';
import type { Run, RunOptions } from '../contract/run.ts';
import { type Blueprint, buildGraph, type Origin, parametersOf } from '../description/definition.ts';
import { unsealed } from './checkpoint/checkpoint-record.ts';
import { InlineRun } from './inline/inline-run.ts';
import type { RunSettings } from './run/base-run.ts';
import { planResumed } from './run/resumed-plan.ts';
import { heedLimits } from './run/run-plan.ts';
import { ThreadedRun } from './threads/threaded-run.ts';

const SNAPSHOT_MS = 500;
/** Unless it is told, a run has so much memory for each core, and never more than this part of the machine's. */
const MEMORY_PER_CORE = 512 * 2 ** 20;
const LEAST_MEMORY = 256 * 2 ** 20;
const SHARE_OF_MACHINE = 1 / 4;

/** Starts a pipeline: works out its plan now, its threads start at once, and elements flow when asked for. */
export function launch<P, T>(origin: Origin, blueprint: Blueprint<P, T>, options: RunOptions<P> = {}): Run<T> {
  if (isOwnWorker()) {
    throw new VenturiError(
      'VENTURI_RUN_IN_WORKER',
      `${origin.path ?? origin.url} starts a run while a worker imports it`,
      {
        remedy: 'put the pipeline into a file of its own, which only exports it, and start it from another',
      },
    );
  }
  const inline = options.parallelism === 0;
  const given = settingsOf(blueprint, options);
  const graph = buildGraph(blueprint, given.params);
  heedLimits(graph, given.plan, inline);
  const { plan, settings } = planResumed(graph, given, inline);
  return inline ? new InlineRun<T>(plan, settings) : new ThreadedRun<T>(origin, plan, settings);
}

/**
 * Grows with the cores, as the threads among which it is divided do: a thread whose share is smaller than a few of its elements collects garbage for each, and
 * V8 lets only one thread of a process do that for its old objects at a time. With two channels, each of which has a quarter of it for two large slots for each
 * lane and two more, a batch of 64 images of 224 x 224 floats, 38.5 MB, passes whole. What no chunk needs is never touched.
 */
function defaultMemory(): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.max(
    LEAST_MEMORY,
    Math.floor(Math.min(MEMORY_PER_CORE * availableParallelism(), machine * SHARE_OF_MACHINE)),
  );
}

/** The options of a run, checked and complete. */
export function settingsOf<P, T>(blueprint: Blueprint<P, T>, options: RunOptions<P>): RunSettings {
  const resume = options.resume === undefined ? undefined : unsealed(options.resume);
  const { resumable = resume !== undefined } = options;
  const { params: had, seed: hadSeed, epochs: hadEpochs } = resume?.checkpoint ?? {};
  return {
    params: parametersOf(blueprint, { ...had, ...options.params }),
    set: options.set ?? {},
    plan: options.plan,
    epochs: wholeNumber('run', 'epochs', options.epochs ?? hadEpochs ?? 1, 1),
    memory: wholeNumber('run', 'memory', options.memory ?? defaultMemory(), 1),
    slots: options.slots === undefined ? undefined : wholeNumber('run', 'slots', options.slots, 1),
    chunkElements:
      options.chunkElements === undefined ? undefined : wholeNumber('run', 'chunkElements', options.chunkElements, 1),
    seed: wholeNumber('run', 'seed', options.seed ?? hadSeed ?? 0, 0),
    probe: options.probe,
    deadLetter: options.deadLetter,
    trial: options.trial ?? false,
    borrow: options.borrow ?? false,
    signal: options.signal,
    resume,
    everyMs:
      typeof resumable === 'object'
        ? wholeNumber('run', 'resumable.everyMs', resumable.everyMs, 0)
        : resumable
          ? SNAPSHOT_MS
          : undefined,
  };
}
