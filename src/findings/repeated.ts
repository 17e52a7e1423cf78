import type { LoaderSummary } from '../analysis/batches/summary.ts';
import { sumOf } from '../math/totals.ts';
import { type Share, share } from '../model/units.ts';
import { forecastLoader } from '../prediction/loader/forecast.ts';
import { percent, plural } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainTo, LEAST_GAIN } from './loader.ts';

/** Parts of the preparation above which it is worth a word. */
const REPEATED = 0.3;

/** Work that gives the same result in every pass: keeping it spares its part of the preparation. */
export const repeated: Definition<{ readonly until: string; readonly share: Share; readonly elements: number }> = {
  inLoader({ loader, profile, choice }) {
    const steady = steadyOf(loader);
    const until = steady.at(-1)?.operator;
    const part = sumOf(steady, row => row.share);
    if (until === undefined || part < REPEATED || profile === undefined || choice === undefined) return undefined;
    if (loader.verdict.bound !== 'preparation' || loader.settings?.stream === true) return undefined;
    const cheaper = {
      ...profile,
      preparing: profile.preparing.map(each => ({ ...each, cpu: each.cpu * (1 - part) })),
    };
    const { rate } = forecastLoader(cheaper, choice.best.setting, choice.whatIf);
    if (rate.estimate < LEAST_GAIN * choice.best.rate.estimate) return undefined;
    return {
      limits: false,
      operators: [loader.name, ...steady.map(({ operator }) => operator)],
      figures: { until, share: share(part), elements: loader.settings?.length ?? 0 },
      gain: gainTo(rate, choice),
    };
  },

  words: ({ figures: { until, share: part, elements } }, { name }) => ({
    text: `Every pass of ${name} does the work up to ${until} again, ${percent(part)} of it, with the same result`,
    advice: `Keep what ${until} gives${elements > 0 ? ` of the ${plural(elements, 'element')}` : ''} (a file per element, read instead)`,
  }),
};

/** Opening, decoding and the transforms up to the first that may be random: they give the same in every pass. */
function steadyOf({ operators }: LoaderSummary): LoaderSummary['operators'] {
  const onElements = operators.filter(({ traits }) => !traits.fetches && traits.per === 'element');
  const end = onElements.findIndex(({ traits }) => !traits.steady);
  return end === -1 ? onElements : onElements.slice(0, end);
}
