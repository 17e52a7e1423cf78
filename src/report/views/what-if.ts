import { mostBandwidth } from '../../model/disk.ts';
import type { WhatIf } from '../../prediction/cost/resources.ts';
import type { LoaderWhatIf } from '../../prediction/loader/forecast.ts';
import { byteRate, byteSize, coreCount, count, plural, time } from '../format.ts';

/** Resources that were asked for: `16 cores, 64.0 GB of memory`. Empty where all are as recorded. */
export function whatIfWords({ cores, memory, disk, network, step, batchSize, epochs }: WhatIf & LoaderWhatIf): string {
  return [
    ...(cores === undefined ? [] : [coreCount(cores)]),
    ...(memory === undefined ? [] : [`${byteSize(memory)} of memory`]),
    ...(disk === undefined ? [] : [`storage of ${byteRate(mostBandwidth(disk))}`]),
    ...(network === undefined ? [] : [`a network of ${byteRate(network)}`]),
    ...(step === undefined ? [] : [`a consumer step of ${time(step)}`]),
    ...(batchSize === undefined ? [] : [`a batch_size of ${count(batchSize)}`]),
    ...(epochs === undefined ? [] : [plural(epochs, 'epoch')]),
  ].join(', ');
}
