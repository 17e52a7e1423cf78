/** Functions of the drawn pipelines: what each takes follows from its constants, which come from the seed. Elements are numbers or records `{ id, data }`. */
import { join } from 'node:path';
import { decodeJpeg, normalise, readFile, resize } from 'venturi/engine';

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Arithmetic that the compiler can neither leave out nor do at once. */
function spin(seed, iterations) {
  let state = seed | 0;
  for (let at = 0; at < iterations; at++) state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return state >>> 1;
}

const idOf = element => (typeof element === 'number' ? element : element.id);

const withId = (element, id) => (typeof element === 'number' ? id : { ...element, id });

const MEAN = [0.485, 0.456, 0.406];
const STD = [0.229, 0.224, 0.225];

/** By the kind of a step: the pipeline behind it, from the one before it. */
const STEPS = {
  spin: (before, { name, iterations }) =>
    before.map(element => withId(element, spin(idOf(element), iterations)), { name }),
  /** Makes typed arrays. */
  make: (before, { name, floats, arrays }) =>
    before.map(
      element => {
        const id = idOf(element);
        const data = Array.from({ length: arrays }, () => new Float32Array(floats).fill(id % 1000));
        return { id, data };
      },
      { name },
    ),
  /** Reads one of `count` photos (images16/images.mjs) and makes floats of it. */
  photo: (before, { name, folder, count, side }) =>
    before.map(
      element => {
        const id = idOf(element);
        const path = join(folder, String((id % count) % 10), `${id % count}.jpg`);
        return { id, data: [normalise(resize(decodeJpeg(readFile(path)), side, side), MEAN, STD)] };
      },
      { name },
    ),
  /** Goes through all numbers and makes new ones of them. */
  transform: (before, { name, rounds }) =>
    before.map(
      ({ id, data }) => {
        let made = data;
        for (let round = 0; round < rounds; round++) made = made.map(array => array.map(value => value * 0.5 + id));
        return { id, data: made };
      },
      { name },
    ),
  /** Leaves a number of them. */
  reduce: (before, { name }) =>
    before.map(
      ({ id, data }) => {
        let sum = id;
        for (const array of data) for (let at = 0; at < array.length; at++) sum += array[at];
        return Math.abs(sum) | 0;
      },
      { name },
    ),
  /** A line of so many words, and what stands in one. */
  write: (before, { name, words }) =>
    before.map(
      element => {
        const id = idOf(element);
        return { id, line: Array.from({ length: words }, (_, at) => (id * 31 + at * 7919) % 99991).join(' ') };
      },
      { name },
    ),
  parse: (before, { name }) =>
    before.map(
      ({ id, line }) => {
        const counts = new Map();
        for (const word of line.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
        return { id, words: counts.size, longest: Math.max(...[...counts.keys()].map(({ length }) => length)) };
      },
      { name },
    ),
  /** Waits for an answer, and for a device. */
  call: (before, { name, ms }) =>
    before.map(
      async element => {
        await pause(ms);
        return element;
      },
      { name },
    ),
  doze: (before, { name, ms }) =>
    before.map(
      element => {
        Atomics.wait(sleeper, 0, 0, ms);
        return element;
      },
      { name },
    ),
  filter: (before, { name, keep }) => before.filter(element => spin(idOf(element), 8) % 1000 < keep * 1000, { name }),
  expand: (before, { name, times }) =>
    before.flatMap(element => Array.from({ length: times }, (_, at) => withId(element, idOf(element) + at)), { name }),
  batch: (before, { name, size }) => before.batch(size, { name }),
  /** Of a batch, one number. */
  gather: (before, { name }) =>
    before.map(batch => batch.reduce((sum, element) => (sum + idOf(element)) | 0, 0) >>> 1, { name }),
  /** Of a pair, one record. */
  pair: (before, { name }) =>
    before.map(([left, right]) => ({ ...left, id: (idOf(left) + idOf(right)) | 0 }), { name }),
};

export const carryOut = (steps, source) => steps.reduce((before, step) => STEPS[step.kind](before, step), source);
