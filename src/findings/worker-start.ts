import { type Ns, ns, type Share, share } from '../model/units.ts';
import { forecastLoader } from '../prediction/loader/forecast.ts';
import { percent, time } from '../report/format.ts';
import type { Definition, Found, JudgedLoader } from './definition.ts';
import { gainTo } from './loader.ts';

export interface Figures {
  readonly start: Ns;
  readonly ofPass: Share;
}

/** Parts of a pass above which it is worth a word. */
const START = 0.03;

/** Workers are started anew for every pass, and that takes a part of it. */
export const workerStart: Definition<Figures> = {
  // As the verdict it is not said twice.
  inLoader: judged => (judged.loader.verdict.bound === 'start' ? undefined : startOf(judged)),

  words: ({ figures: { start, ofPass } }, { name }) => ({
    text: `Workers of ${name} are started anew for every pass: ${time(start)}, ${percent(ofPass)} of it`,
  }),
};

export function startOf({ loader, profile, choice }: JudgedLoader): Found<Figures> | undefined {
  const { passes, firstWaits, settings, workers, preparation } = loader;
  if (workers === 0 || passes.length < 2 || settings?.persistent_workers === true) return undefined;
  const lasted = passes.reduce((sum, pass) => sum + pass.end - pass.start, 0) / passes.length;
  const start = Math.max(0, firstWaits.mean - preparation.mean);
  if (start < START * lasted) return undefined;
  // The first start is paid all the same, so what is spared is for the forecast to say.
  const staying = profile && forecastLoader(profile, { ...profile.setting, persistent: true }, choice?.whatIf);
  return {
    limits: false,
    figures: { start: ns(start), ofPass: share(start / lasted) },
    fix: { type: 'arguments', loader: loader.name, changes: { persistent_workers: true } },
    gain: staying === undefined || choice === undefined ? undefined : gainTo(staying.rate, choice),
  };
}
