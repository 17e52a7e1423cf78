import { narrowPlace } from '../analysis/bottleneck/narrow.ts';
import { type Share, share } from '../model/units.ts';
import { percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly channel: string;
  readonly from: string;
  readonly to: string;
  readonly full: Share;
}

/** A channel is full although its reader is idle: transport of its elements is the bottleneck. */
export const channelBound: Definition<Figures> = {
  inPipeline(analysis) {
    const place = narrowPlace(analysis);
    if (place?.type !== 'channel') return undefined;
    const { edge } = place;
    const from = edge.from.operators.at(-1)?.id ?? edge.from.id;
    const to = edge.to.operators[0]?.id ?? edge.to.id;
    return {
      limits: true,
      cause: { type: 'hardware', resource: 'network', full: share(place.share) },
      operators: [from, to],
      figures: { channel: edge.id, from, to, full: share(place.share) },
    };
  },

  words({ figures: { from, to, full } }, { label, now }) {
    const [writer, reader] = [label(from), label(to)];
    return {
      text: `The channel from ${writer} to ${reader} limits this pipeline: it is full ${percent(full)} of the time while ${reader} has time to spare; ${rate(now)}`,
      advice: `Send less from ${writer} to ${reader}, or bring the two closer together: more lanes get no more`,
    };
  },
};
