import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeContext } from '../src/cli/fake-context.fixture.ts';
import { runProgram } from '../src/cli/program.ts';
import { costBasisOf } from '../src/prediction/cost/basis.ts';
import { outlookOn } from '../src/prediction/cost/outlook.ts';
import type { PageSection } from '../src/report/page/document.ts';
import { decodeSection, encodePage } from '../src/report/page/encoding.ts';
import { predictionReport } from '../src/report/views/prediction.ts';
import { analyseRun } from '../src/workflow/targets/engine/analyse.ts';
import { predict } from '../src/workflow/targets/engine/predict.ts';
import { commandOf, type Positions, slidersOf, whatIfOf } from '../web/what-if/sliders.ts';

/** Runs, and positions that are tried: a command reads its run anew each time. */
const RUNS = [
  ['pipeline-joined', 20],
  ['pipeline-profiled', 180],
] as const;

/** The section of a run as a page gets it: through text. */
async function sectionOf(path: string) {
  const data = await predict(path);
  const { analysis } = await analyseRun(path);
  const section: PageSection = {
    kind: 'prediction',
    id: 'prediction',
    title: '',
    blocks: predictionReport(data),
    data,
    extras: { basis: costBasisOf(analysis) },
  };
  const decoded = decodeSection(encodePage(section));
  if (decoded.kind !== 'prediction' || decoded.extras === undefined) throw new Error('no prediction');
  return { data: decoded.data, basis: decoded.extras.basis };
}

/** Where two results differ: in a number by more than 1e-9 of its size, or at all. */
function differences(one: unknown, other: unknown, place = ''): string[] {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.abs(other) ? [] : [`${place}: ${one} and ${other}`];
  }
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return one === other ? [] : [`${place}: ${one} and ${other}`];
  }
  const [mine, theirs] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return [...new Set([...mine.keys(), ...theirs.keys()])].flatMap(key =>
    differences(mine.get(key), theirs.get(key), `${place}.${key}`),
  );
}

test.each(RUNS)('sliders of %s forecast what venturi predict prints, at %d random positions', async (name, numRuns) => {
  const path = fileURLToPath(new URL(`./golden/recordings/${name}.venturi`, import.meta.url));
  const { basis, data } = await sectionOf(path);
  const sliders = slidersOf(basis);
  expect(sliders.length).toBeGreaterThanOrEqual(3);
  const anywhere = fc.record(
    Object.fromEntries(sliders.map(({ resource, values }) => [resource, fc.nat(values.length)])),
  ) as fc.Arbitrary<Positions>;
  for (const positions of fc.sample(anywhere, { numRuns, seed: 26 })) {
    const command = commandOf('RUN', sliders, positions);
    const context = new FakeContext();
    await runProgram(
      [
        ...command
          .split(' ')
          .slice(1)
          .map(word => (word === 'RUN' ? path : word)),
        '--json',
      ],
      context,
    );
    const printed = JSON.parse(context.stdout) as object;
    const whatIf = whatIfOf(sliders, positions);
    const shown: unknown = JSON.parse(JSON.stringify({ ...data, whatIf, ...outlookOn(basis, whatIf) }));
    expect(differences(shown, printed), command).toEqual([]);
  }
});
