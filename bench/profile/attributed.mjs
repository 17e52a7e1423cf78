import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, orAbsent } from '../harness.mjs';
import { checksOf } from './checks.mjs';
import { atOnce, profiled, profiledQuery } from './runs.mjs';

const EXAMPLES = fileURLToPath(new URL('../../examples/pipelines/', import.meta.url));
const QUERIES = Array.from({ length: 22 }, (_, at) => `q${at + 1}`);
const SECONDS = 6;
const RATE = 2500;
const LEAST_SAMPLES = 5000;

/** Parts of the samples that find an owner, and an operator, in every query of TPC-H; and the checks of Tailored Profiling §6.3. */
export async function attributed(report, folder) {
  const seen = await atOnce(QUERIES, async query => {
    const measured = seconds => profiledQuery(folder, query, seconds, { rate: RATE, read: checksOf });
    let { profile, ...files } = await measured(SECONDS);
    // On a machine with other work, a lane is sampled less often.
    if (profile.samples < LEAST_SAMPLES)
      ({ profile, ...files } = await measured(Math.ceil((SECONDS * 1.5 * LEAST_SAMPLES) / profile.samples)));
    const ofQuery = profile.operators.filter(({ id }) => id.startsWith(`${query}: `));
    return { query, profile, ofQuery: ofQuery.reduce((sum, { hits }) => sum + hits, 0), ...files };
  });
  for (const { query, profile, ofQuery, read, bytes } of seen) {
    const { samples, shared, operators } = profile;
    report({
      case: `attributed/${query}`,
      value: profile.attributed,
      unit: 'of samples',
      operators: profile.inOperators,
      'operators of the query': ofQuery / samples,
      samples,
      'held rate': profile.rateHeld,
      ...rowsOf(profile),
      divided: shared.reduce((sum, { share }) => sum + share, 0),
      'by line': operators.reduce((sum, { by }) => sum + by.line, 0) / samples,
      'bytes a sample': bytes.samples / (samples + profile.idle),
      'bytes of dictionaries': bytes.dictionaries,
      ...read,
    });
  }
  const all = seen.reduce((sum, { profile: { samples } }) => sum + samples, 0);
  const inOperators = seen.reduce((sum, { profile: { samples, inOperators: part } }) => sum + part * samples, 0);
  const inQueries = seen.reduce((sum, { ofQuery }) => sum + ofQuery, 0);
  const of = key => seen.map(({ profile }) => profile[key]);
  const checked = key => seen.map(({ read }) => read[key]);
  report({
    case: 'attributed/worst',
    value: Math.min(...of('attributed')),
    unit: 'of samples',
    'least samples': Math.min(...of('samples')),
    goal: '>= 0.98',
  });
  report({
    case: 'attributed/operators',
    value: inOperators / all,
    unit: 'of samples',
    'operators of queries': inQueries / all,
    worst: Math.min(...of('inOperators')),
    goal: '>= 0.95',
  });
  report({
    case: 'checks/tag-at-position',
    value: Math.min(...checked('tag at position')),
    unit: 'of samples',
    goal: '= 1',
  });
  const steps = name => seen.find(({ query }) => query === name).read['steps back a run'];
  report({
    case: 'checks/steps-back-a-run',
    value: Math.max(...checked('steps back a run')),
    unit: 'times',
    ...Object.fromEntries(['q2', 'q16', 'q18'].map(name => [name, steps(name)])),
    goal: '<= 1',
  });
  report({
    case: 'checks/interval-median',
    value: median(checked('interval, µs')),
    unit: 'µs',
    'p5 / median': median(checked('p5 / median')),
    'p95 / median': median(checked('p95 / median')),
    asked: 1e6 / RATE,
  });
}

/** Collection, compilation, native code and the engine, as parts of the samples. */
function rowsOf({ rest }) {
  const sums = {};
  for (const { kind, share } of rest) sums[kind] = (sums[kind] ?? 0) + share;
  return sums;
}

/** The same for the example pipelines, where they are there. */
export async function examples(report, folder) {
  const files = existsSync(EXAMPLES) ? readdirSync(EXAMPLES).filter(name => name.endsWith('.ts')) : [];
  for (const file of files) {
    const name = basename(file, '.ts');
    await orAbsent(report, `examples/${name}`, async () => {
      const { profile } = await profiled(folder, join(EXAMPLES, file), ['--epochs', '1000', '--for', '6s']);
      report({
        case: `examples/${name}`,
        value: profile.attributed,
        unit: 'of samples',
        operators: profile.inOperators,
        samples: profile.samples,
        'held rate': profile.rateHeld,
        ...rowsOf(profile),
        divided: profile.shared.reduce((sum, { share }) => sum + share, 0),
      });
    });
  }
}
