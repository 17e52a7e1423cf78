import { memoryToPassWhole } from '../../graph/channel-shape.ts';
import { sumOf } from '../../math/totals.ts';
import type { Channel, ChannelSizing } from '../../model/graph.ts';
import type { Bytes, Share } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';

/** A channel much of whose traffic goes in parts, because single elements are larger than its large slots. */
export interface PassedInParts {
  readonly channel: Channel;
  readonly chunks: number;
  readonly largest: Bytes;
  /** Of the channel's bytes. */
  readonly share: Share;
  /** Bytes of the largest chunk that passes whole. */
  readonly slotBytes: number;
}

/** Part of a channel's bytes below which those that go in parts are exceptions. */
const LEAST_SHARE = 0.1;

/** Channels whose elements go in parts, those with most bytes in parts first. Fewer chunks than the channel holds at once are no stream. */
export function passedInParts({ graph, rows }: Analysis): PassedInParts[] {
  return graph.channels
    .flatMap((channel): PassedInParts[] => {
      const { largeSlotBytes: slotBytes, sizing } = channel;
      const row = rows.channels.find(({ id }) => id === channel.id);
      const { chunksInParts: chunks, largestInParts: largest, shareInParts: share } = row ?? {};
      if (slotBytes === undefined || sizing === undefined) return [];
      if (chunks === undefined || largest === undefined || share === undefined) return [];
      if (largest <= slotBytes || chunks <= sizing.largeSlots || share < LEAST_SHARE) return [];
      return [{ channel, chunks, largest, share, slotBytes }];
    })
    .sort((a, b) => b.chunks * b.largest - a.chunks * a.largest);
}

/** Memory of a run, in bytes, with which the largest chunks of these channels pass whole; undefined where none is enough. */
export function memoryFor({ graph }: Analysis, passed: readonly PassedInParts[]): number | undefined {
  const { channels, stages, memory } = graph;
  const sizings = channels.flatMap(({ sizing }): ChannelSizing[] => (sizing === undefined ? [] : [sizing]));
  if (memory === undefined || sizings.length < channels.length) return undefined;
  const lanes = sumOf(stages, ({ parallelism }) => parallelism);
  const chunks = channels.map(channel => passed.find(each => each.channel === channel)?.largest ?? 0);
  return memoryToPassWhole({ sizings, lanes, memory }, chunks);
}
