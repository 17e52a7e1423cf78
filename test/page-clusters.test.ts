/** Clusters that a page simulates are those of `venturi predict --replicas`. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { decodeSection, encodePage } from '../src/report/page/encoding.ts';
import type { ScaleoutBasis } from '../src/report/page/scaleout-basis.ts';
import { stepsSections } from '../src/workflow/targets/steps/page.ts';
import { predictCluster } from '../src/workflow/targets/steps/predict.ts';
import { type ClusterChoice, optionsOf } from '../web/scaleout/cluster-choice.ts';
import { simulateClusters } from '../web/scaleout/simulation.ts';

const TRACE = fileURLToPath(new URL('../examples/steps/vgg11-one-worker.json.gz', import.meta.url));
/** Short: what matters is that both are the same. */
const QUICK = { replicas: [1, 2, 3], steps: 20, threads: 1 };

it('gives the same for the same options, after the way into a page', async () => {
  const made = await stepsSections(TRACE)[1]?.();
  if (made?.kind !== 'cluster-prediction') throw new Error('no section of clusters');
  const section = decodeSection(encodePage(made));
  const basis = section.kind === 'cluster-prediction' ? section.extras : undefined;
  if (basis === undefined) throw new Error('nothing to simulate from');
  const quick: ScaleoutBasis = { ...basis, options: { ...basis.options, ...QUICK } };
  const choices: ClusterChoice[] = [
    { gigabits: 1, servers: undefined, mode: 'async' },
    { gigabits: 10, servers: 2, mode: 'async' },
    { gigabits: 2.5, servers: 1, mode: 'sync' },
    { gigabits: 25, servers: undefined, mode: 'allreduce' },
  ];
  for (const choice of choices) {
    const { servers, mode, gigabits } = choice;
    const asked = { ...QUICK, mode, bandwidth: (gigabits * 1e9) / 8, servers: servers === undefined ? [1] : [servers] };
    const { points, saturation, cheapest, whatIf, clusterAssumptions, aloneSeconds } = await predictCluster(
      TRACE,
      asked,
    );
    const said = { points, saturation, cheapest, whatIf, clusterAssumptions, aloneSeconds };
    expect(simulateClusters(quick, optionsOf(quick, choice))).toEqual(said);
  }
});
