import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeContext } from '../src/cli/fake-context.fixture.ts';
import { runProgram } from '../src/cli/program.ts';
import { costBasisOf } from '../src/prediction/cost/basis.ts';
import { outlook, outlookOn } from '../src/prediction/cost/outlook.ts';
import type { PageSection } from '../src/report/page/document.ts';
import { decodeSection, encodePage } from '../src/report/page/encoding.ts';
import { predictionReport } from '../src/report/views/prediction.ts';
import { analyseRun } from '../src/workflow/targets/engine/analyse.ts';
import { predict } from '../src/workflow/targets/engine/predict.ts';
import { commandOf, type Positions, slidersOf, whatIfOf } from '../web/what-if/sliders.ts';

const RUNS = ['pipeline-joined', 'pipeline-profiled'];
const POSITIONS = 100;
/** So many of them by a command, which reads its run anew each time. */
const COMMANDS = 4;

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
  return { analysis, data: decoded.data, basis: decoded.extras.basis };
}

/** Where two results differ: in a number by more than 1e-9 of its size, or at all. */
function differences(one: unknown, other: unknown, place = ''): string[] {
  if (Object.is(one, other)) return [];
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.abs(other) ? [] : [`${place}: ${one} and ${other}`];
  }
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return [`${place}: ${one} and ${other}`];
  }
  const [mine, theirs] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return [...new Set([...mine.keys(), ...theirs.keys()])].flatMap(key =>
    differences(mine.get(key), theirs.get(key), `${place}.${key}`),
  );
}

test.each(RUNS)('sliders of %s forecast what venturi predict prints, at random positions', async name => {
  const path = fileURLToPath(new URL(`./golden/recordings/${name}.venturi`, import.meta.url));
  const { analysis, basis, data } = await sectionOf(path);
  const sliders = slidersOf(basis);
  expect(sliders.length).toBeGreaterThanOrEqual(3);
  const anywhere = fc.record(
    Object.fromEntries(sliders.map(({ resource, values }) => [resource, fc.nat(values.length)])),
  ) as fc.Arbitrary<Positions>;
  for (const [at, positions] of fc.sample(anywhere, { numRuns: POSITIONS, seed: 26 }).entries()) {
    const command = commandOf('RUN', sliders, positions);
    const whatIf = whatIfOf(sliders, positions);
    const shown = { ...data, whatIf, ...outlookOn(basis, whatIf) };
    expect(differences(shown, { ...data, whatIf, ...outlook(analysis, whatIf) }), command).toEqual([]);
    if (at >= COMMANDS) continue;
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
    expect(differences(JSON.parse(JSON.stringify(shown)), JSON.parse(context.stdout)), command).toEqual([]);
  }
});
