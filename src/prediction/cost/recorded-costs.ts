import { mostBandwidth } from '../../model/disk.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { exactly } from './amount.ts';
import type { CostModel } from './model.ts';
import type { WhatIf } from './resources.ts';

/** A recording's cost model with what other resources are related to. Plain data. */
export interface RecordedCosts {
  /** On the machine of the recording. */
  readonly model: CostModel;
  /** Bytes received from the network per counted element. */
  readonly received: number;
  /** Elements of the consumer's own among those counted. */
  readonly visits: number;
}

/** The cost model on other resources; what `whatIf` leaves out is as it was recorded. */
export function onResources({ model, received, visits }: RecordedCosts, whatIf: WhatIf): CostModel {
  const { cores = model.cores, disk, network, step } = whatIf;
  // What nothing of the pipeline uses changes nothing.
  const isOther =
    cores !== model.cores ||
    (disk !== undefined && model.operators.some(({ asked }) => asked > 0)) ||
    (network !== undefined && received > 0) ||
    step !== undefined;
  return {
    ...model,
    cores,
    asRecorded: !isOther,
    ...(disk === undefined ? {} : { storage: mostBandwidth(disk) }),
    ...(step === undefined ? {} : { consumer: { step: exactly((visits * step) / NS_PER_SECOND), visits } }),
    ...(network === undefined ? {} : { network: { bytesPerSecond: network, received } }),
  };
}
