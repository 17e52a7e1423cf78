import { share } from '../../model/units.ts';
import { type Detector, narrowPlace } from './narrow.ts';

/** A channel is full while whoever reads from it has time: what carries its elements is the limit. */
export const channelBound: Detector<'channel-bound'> = analysis => {
  const place = narrowPlace(analysis);
  if (place?.type !== 'channel') return undefined;
  const { edge } = place;
  const from = edge.from.operators.at(-1)?.id ?? edge.from.id;
  const to = edge.to.operators[0]?.id ?? edge.to.id;
  return {
    kind: 'channel-bound',
    limits: true,
    cause: { type: 'hardware', resource: 'network', full: share(place.share) },
    operators: [from, to],
    figures: { channel: edge.id, from, to, full: share(place.share) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
