import type { Analysis } from '../analysis/analysis.ts';
import { type Share, share } from '../model/units.ts';
import { percent, rate } from '../report/format.ts';
import type { Definition, Found } from './definition.ts';

export interface Figures {
  readonly nearest: string;
  readonly busy: Share;
}

/** No place stands out. */
export const unclear: Definition<Figures> = {
  words: ({ figures: { nearest, busy } }, { now }) => ({
    text: `Nothing clearly limits this pipeline: even its busiest stage (${nearest}) has time to spare, busy ${percent(busy)} of the time; ${rate(now)}`,
    advice: 'Give its channels more room (prefetch): the load seems bursty',
  }),
};

/** Always applies: what to say of a pipeline where nothing else does. */
export function nothingNarrow({ states }: Analysis): Found<Figures> {
  const { nearest } = states;
  const vertex = nearest?.type === 'vertex' ? nearest.vertex : undefined;
  return {
    limits: true,
    operators: vertex?.operators.map(({ id }) => id) ?? [],
    figures: { nearest: vertex?.id ?? '', busy: share(nearest?.share ?? 0) },
  };
}
