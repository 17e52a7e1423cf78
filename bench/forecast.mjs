/**
 * How far forecasts are off, on pipelines that nobody fitted anything to: drawn from a seed (`--seed N`), each recorded once as its author
 * would write it, in one lane, and then measured in three other arrangements (`forecast/drawn.mjs`). Measured is the median of three
 * rounds, in each of which the recorded arrangement is measured too: its spread is the machine's own noise. A forecast that cannot be told
 * counts as a miss. `--only=cpu,tiny` leaves out the other families, `--pipelines=8` draws another number.
 */
import { availableParallelism } from 'node:os';
import { measureCosts } from 'venturi';
import { drawn, FAMILY_NAMES } from './forecast/drawn.mjs';
import { withFreshCosts } from './forecast/fresh-costs.mjs';
import { outcome } from './forecast/outcome.mjs';
import { errorsOf, noiseFigure } from './forecast/summary.mjs';
import { option, orAbsent } from './harness.mjs';

const PIPELINES = 24;
const TIMES = { rounds: 3, recordedSeconds: 3.5, seconds: 0.7, warm: 0.25 };

export default async function forecast(report, { args }) {
  const seed = Number(option(args, 'seed') ?? 1);
  const families = option(args, 'only')?.split(',') ?? FAMILY_NAMES;
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number, not ${option(args, 'seed')}.`);
  await withFreshCosts(async folder => {
    await measureCosts();
    const pipelines = drawn(seed, Number(option(args, 'pipelines') ?? PIPELINES), availableParallelism());
    const results = [];
    for (const pipeline of pipelines.filter(({ family }) => families.includes(family))) {
      const result = await orAbsent(report, pipeline.name, () => outcome(pipeline, folder, TIMES));
      if (result === undefined) continue;
      for (const facts of result.forecasts) report(facts);
      results.push(result);
    }
    const facts = { seed, pipelines: results.length };
    const forecasts = results.flatMap(result => result.forecasts);
    for (const figure of errorsOf(forecasts, facts)) report(figure);
    const noises = results.map(({ noise }) => noise);
    report(noiseFigure(noises, { ...facts, forecasts: forecasts.length, rounds: TIMES.rounds }));
  });
}
