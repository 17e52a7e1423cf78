import { greatest, least } from '../../math/totals.ts';
import type { StepResource, StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { appendTrace } from './append-trace.ts';

/** From the first step to the end of the last, ns on the clock of the file. */
export interface Extent {
  readonly start: bigint;
  readonly end: bigint;
}

export function extentOf({ base, steps }: StepTrace): Extent {
  const moment = (ns: number): bigint => BigInt(base) + BigInt(Math.round(ns));
  return {
    start: moment(least(steps.map(({ start }) => start))),
    end: moment(greatest(steps.map(({ start, duration }) => start + duration))),
  };
}

/**
 * Files of one rank, in the order of their times, as one recording: a profiler with a schedule that repeats writes one for each cycle. A step keeps the number the program
 * gave it, unless an earlier file has it already, as where each epoch has a profiler of its own: then numbers go on.
 */
export function joinFiles(files: readonly [StepTrace, ...StepTrace[]]): StepTrace {
  const [earliest] = files;
  const builder = new StepTraceBuilder();
  for (const rank of earliest.ranks) builder.rank(rank);
  const resources = new Map<string, number>();
  const resourceOf = (resource: StepResource): number => {
    const key = JSON.stringify([resource.kind, resource.name, resource.server, resource.device]);
    const known = resources.get(key) ?? builder.resource(resource);
    resources.set(key, known);
    return known;
  };
  let last = Number.NEGATIVE_INFINITY;
  for (const file of files) {
    const numbers = file.steps.map(({ number }) => number);
    const first = least(numbers);
    const numberShift = first > last ? 0 : last + 1 - first;
    const shift = Number(BigInt(file.base) - BigInt(earliest.base));
    appendTrace(builder, file, { rank: 0, resources: file.resources.map(resourceOf), shift, numberShift });
    last = greatest(numbers) + numberShift;
  }
  builder.assume(
    'files of one rank: taken together as one recording, in the order of their times',
    files.length,
    files.length,
  );
  return builder.build(earliest.source, earliest.base);
}
