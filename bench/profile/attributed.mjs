import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { orAbsent } from '../harness.mjs';
import { profiled } from './runs.mjs';

const EXAMPLES = fileURLToPath(new URL('../../examples/pipelines/', import.meta.url));

/** Parts of the samples that find an owner, and an operator, in every example. */
export async function attributed(report, folder) {
  const seen = [];
  for (const file of readdirSync(EXAMPLES).filter(name => name.endsWith('.ts'))) {
    const name = basename(file, '.ts');
    await orAbsent(report, `attributed/${name}`, async () => {
      const profile = await profiled(folder, join(EXAMPLES, file), ['--epochs', '1000', '--for', '8s']);
      seen.push(profile);
      report({
        case: `attributed/${name}`,
        value: profile.attributed,
        unit: 'of samples',
        operators: profile.inOperators,
        samples: profile.samples,
        'held rate': profile.rateHeld,
        divided: profile.shared.reduce((sum, { share }) => sum + share, 0),
      });
    });
  }
  const least = key => Math.min(...seen.map(profile => profile[key]));
  report({ case: 'attributed/worst', value: least('attributed'), unit: 'of samples', goal: '>= 0.98' });
  report({ case: 'attributed/operators', value: least('inOperators'), unit: 'of samples', goal: '>= 0.95' });
}
