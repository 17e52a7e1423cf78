/**
 * Pipelines whose speed depends on lanes, drawn from a seed: two of each family, one recorded in one lane, the other in two, both with steps of
 * `../forecast/steps.mjs`. Their ways are numbers of lanes, the same for all steps that can be divided.
 */
import { make, named, spin, text, transform, whole, wholeLog } from '../forecast/drawn.mjs';
import { randomOf } from '../virtual/random.mjs';

const FAMILIES = {
  compute: [arithmetic, arrays],
  images: [photos, batches],
  text: [lines, words],
  sleeping: [asks, waits],
};

export const PIPELINE_FAMILIES = Object.keys(FAMILIES);

/** No pass ends while it is measured. */
const ELEMENTS = 1_000_000_000;

function arithmetic(random) {
  return [spin(random, 1e5, 1e6), spin(random, 3e4, 3e6), spin(random, 1e4, 1e6)];
}

function arrays(random) {
  return [make(random, 1e5), transform(random), { kind: 'reduce' }, spin(random, 1e5, 1e6)];
}

const photo = random => ({ kind: 'photo', side: whole(random, 96, 256) });

function photos(random) {
  return [photo(random), transform(random), { kind: 'reduce' }];
}

/** Tensors leave it, batch by batch. */
function batches(random) {
  return [photo(random), { kind: 'batch', size: wholeLog(random, 8, 32) }];
}

function lines(random) {
  return [...text(random), spin(random, 1e4, 3e5)];
}

function words(random) {
  return [...text(random), { kind: 'filter', keep: random.between(0.3, 0.9) }, ...batchOfNumbers(random)];
}

const batchOfNumbers = random => [{ kind: 'batch', size: wholeLog(random, 16, 128) }, { kind: 'gather' }];

function asks(random) {
  return [spin(random, 1e4, 1e6), { kind: 'call', ms: random.between(5, 30) }, spin(random, 1e4, 1e6)];
}

function waits(random) {
  return [spin(random, 1e4, 1e6), { kind: 'doze', ms: random.between(3, 20) }, ...batchOfNumbers(random)];
}

/** `{ name, family, spec, asRecorded, ways }` of each. `photos`: where they are and how many. */
export function pipelinesOf(seed, lanes, photosAt) {
  return PIPELINE_FAMILIES.flatMap((family, at) =>
    FAMILIES[family].map((drawSteps, which) => {
      const random = randomOf(seed * 2003 + 2 * at + which);
      const recordedLanes = which + 1;
      const steps = drawSteps(random).map(step => (step.kind === 'photo' ? { ...step, ...photosAt } : step));
      const spec = named({ elements: ELEMENTS, branches: [[]], steps });
      return {
        name: `${family}-${which + 1}-from-${recordedLanes}`,
        family,
        spec,
        asRecorded: inLanes(spec, recordedLanes),
        ways: lanes
          .filter(each => each > recordedLanes)
          .map(each => ({ name: `lanes-${each}`, actions: inLanes(spec, each) })),
      };
    }),
  );
}

/** What sees all elements in order keeps its place: a batch rides in the lanes, or gets one. */
const inLanes = ({ steps }, to) =>
  steps.filter(({ kind }) => kind !== 'batch').map(({ name }) => ({ kind: 'parallelism', operator: name, to }));
