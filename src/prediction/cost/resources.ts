import type { DiskCurve } from '../../model/disk.ts';
import type { Bytes, BytesPerSecond, Cores, Ns } from '../../model/units.ts';

/** What a pipeline is to run on; what is left out stays as it was recorded. */
export interface WhatIf {
  readonly cores?: Cores | undefined;
  readonly memory?: Bytes | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly network?: BytesPerSecond | undefined;
  /** How long the consumer works on an element. */
  readonly step?: Ns | undefined;
}

/** What a forecast takes for granted; it breaks where one of these does. */
export type Assumption =
  /** Nothing is known of storage, so it is taken to keep up. */
  | 'storage-keeps-up'
  /** Bytes came out of the page cache in the recording, and are taken to do so again. */
  | 'page-cache'
  /** More lanes than were recorded do their work as fast as those did: no contention for memory or caches. */
  | 'lanes-scale'
  /** Functions take what they took, although handing their elements on took more: without that a loop of tiny ones may take much less. */
  | 'tiny-elements'
  /** CPU outside the lanes grows with the elements. */
  | 'outside-scales'
  /** What lies upstream of a cache gives the same elements in every pass. */
  | 'same-elements'
  /** What async functions call answers as quickly as it did. */
  | 'service-answers'
  /** All that the machine received from the network in the recording was for the pipeline. */
  | 'own-network'
  /** The consumer takes no longer than in the recording. */
  | 'same-consumer';
