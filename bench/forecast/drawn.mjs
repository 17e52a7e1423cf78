/**
 * Draws pipelines, and ways to arrange each. All constants come from the seed: a forecast cannot be fitted to them. Families take turns, so
 * that any number of pipelines has about as many of each.
 */
import { randomOf } from '../virtual/random.mjs';

const FAMILIES = { cpu, memory, sleep, tiny, filter, join, cache, mixed };

export const FAMILY_NAMES = Object.keys(FAMILIES);

/** `count` pipelines: `{ name, family, spec, ways }`. `cores` are those of the machine: as many lanes make sense as it has. */
export function drawn(seed, count, cores) {
  return Array.from({ length: count }, (_, at) => {
    const family = FAMILY_NAMES[at % FAMILY_NAMES.length];
    // A generator for each, so that one that draws once more does not change all that follow.
    const random = randomOf(seed * 1009 + at);
    for (let warm = 0; warm < 8; warm++) random.uniform();
    const spec = named({ elements: 1_000_000_000, branches: [[]], ...FAMILIES[family](random) });
    return {
      name: `${family}-${Math.floor(at / FAMILY_NAMES.length) + 1}`,
      family,
      spec,
      ways: waysOf(spec, random, cores),
    };
  });
}

export const whole = (random, low, high) => Math.floor(random.between(low, high + 1));
export const wholeLog = (random, low, high) => Math.round(random.logBetween(low, high));
const times = (count, make) => Array.from({ length: count }, make);

export const spin = (random, low = 3e3, high = 3e6) => ({ kind: 'spin', iterations: wholeLog(random, low, high) });
export const make = (random, most = 3e5) => ({
  kind: 'make',
  floats: wholeLog(random, 1e3, most),
  arrays: whole(random, 1, 4),
});
export const transform = random => ({ kind: 'transform', rounds: whole(random, 1, 3) });
export const text = random => [{ kind: 'write', words: wholeLog(random, 20, 2000) }, { kind: 'parse' }];

function cpu(random) {
  return { steps: times(whole(random, 2, 4), () => spin(random)) };
}

function memory(random) {
  const steps = [make(random), ...times(whole(random, 1, 3), () => transform(random))];
  return { steps: random.uniform() < 0.5 ? steps : [...steps, { kind: 'reduce' }] };
}

function sleep(random) {
  const wait = { kind: random.pick(['call', 'doze']), ms: random.between(1, 6) };
  return { steps: [spin(random, 1e4, 1e6), wait, spin(random, 1e4, 3e6)] };
}

function tiny(random) {
  return { steps: times(whole(random, 3, 6), () => spin(random, 5, 300)) };
}

function filter(random) {
  const keep = random.logBetween(0.05, 0.7);
  const steps = [spin(random, 1e3, 1e5), { kind: 'filter', keep }, spin(random, 3e4, 3e6)];
  return {
    steps:
      random.uniform() < 0.5
        ? steps
        : [...steps, { kind: 'expand', times: whole(random, 2, 6) }, spin(random, 1e3, 1e5)],
  };
}

function join(random) {
  const branch = () => (random.uniform() < 0.5 ? [spin(random)] : [make(random), transform(random)]);
  const kind = random.pick(['zip', 'merge']);
  const steps = kind === 'zip' ? [{ kind: 'pair' }, spin(random, 1e4, 1e6)] : [spin(random, 1e4, 1e6)];
  return { branches: [branch(), branch()], join: kind, steps };
}

/** Goes through its elements again and again: what is kept need not be made again. */
function cache(random) {
  // All of it has to fit into memory.
  const kept =
    random.uniform() < 0.5 ? [make(random, 2e4), transform(random)] : [...text(random), spin(random, 1e5, 1e6)];
  return { elements: wholeLog(random, 100, 600), steps: [...kept, spin(random, 1e4, 1e6)] };
}

function mixed(random) {
  const parts = [
    () => [spin(random)],
    () => text(random),
    () => [make(random), transform(random), { kind: 'reduce' }],
    () => [{ kind: 'filter', keep: random.between(0.3, 0.9) }],
    () => [{ kind: 'batch', size: wholeLog(random, 4, 64) }, { kind: 'gather' }],
  ];
  return {
    steps: [
      spin(random, 1e4, 3e5),
      ...times(whole(random, 2, 3), () => random.pick(parts)()).flat(),
      spin(random, 1e3, 1e5),
    ],
  };
}

/** Every step gets a name of its own, by which a change finds it. */
export function named(spec) {
  let at = 0;
  const name = step => ({ ...step, name: `${step.kind}-${at++}` });
  return { ...spec, branches: spec.branches.map(branch => branch.map(name)), steps: spec.steps.map(name) };
}

const ORDERED = new Set(['batch']);
const WAITING = new Set(['call', 'doze']);
const WAYS = 3;
/** Lanes for work that mostly waits may be more than the cores. */
const LANES_PER_CORE = 4;
const MOST_CALLS = 16;
const LIMIT = 2 ** 30;

/** Three different ones: `{ name, actions }`. */
function waysOf(spec, random, cores) {
  const steps = [...spec.branches.flat(), ...spec.steps];
  const divisible = steps.filter(({ kind }) => !ORDERED.has(kind));
  const waits = steps.filter(({ kind }) => WAITING.has(kind));
  const lanes = most => whole(random, 2, Math.max(2, most));
  const parallelism = (step, to) => ({ kind: 'parallelism', operator: step.name, to });
  const everywhere = () => {
    const to = lanes(cores);
    return { name: `all-${to}`, actions: divisible.map(step => parallelism(step, to)) };
  };
  const one = () => {
    const step = random.pick(waits.length > 0 ? waits : divisible);
    const to = lanes(waits.length > 0 ? LANES_PER_CORE * cores : cores);
    return { name: `${step.name}-${to}`, actions: [parallelism(step, to)] };
  };
  const ahead = () => {
    const step = random.pick(steps.slice(0, -1));
    return {
      name: `ahead-of-${step.name}`,
      actions: [{ kind: 'prefetch', operator: step.name, elements: wholeLog(random, 2, 256) }],
    };
  };
  const calls = () => {
    const step = waits.find(({ kind }) => kind === 'call');
    const to = lanes(MOST_CALLS);
    return { name: `${step.name}-calls-${to}`, actions: [{ kind: 'concurrency', operator: step.name, to }] };
  };
  const kept = () => {
    // Behind what makes the elements, not behind the last step: something is left to do.
    const step = steps[steps.length - 2];
    const last = steps[steps.length - 1];
    const to = whole(random, 1, cores);
    const actions = [{ kind: 'cache', operator: step.name, limit: LIMIT }];
    return { name: `kept-${to}`, actions: to === 1 ? actions : [...actions, parallelism(last, to)] };
  };
  const ways = [everywhere, one, ahead];
  if (waits.some(({ kind }) => kind === 'call')) ways.push(calls, calls);
  if (spec.elements <= 1000) ways.push(kept, kept);
  const found = new Map();
  for (let tries = 0; found.size < WAYS && tries < 100; tries++) {
    const way = random.pick(ways)();
    if (!found.has(way.name)) found.set(way.name, way);
  }
  return [...found.values()];
}
