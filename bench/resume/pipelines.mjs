/** Pipelines to be saved and resumed. What is heavy takes about 10 µs an element. */
import { lines, pipeline, range, zip } from 'venturi/engine';

const STEPS = 5000;

function churn(seed) {
  let state = seed | 1;
  for (let step = 0; step < STEPS; step++) state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return state;
}

const row = number => ({ number, text: `row ${number}`, value: churn(number) });

const CASES = {
  shuffled: ({ count }) => range(count).map(row, { parallelism: 2 }).shuffle(10_000).batch(32),
  lines: ({ file }) =>
    lines(file)
      .map(line => churn(line.length))
      .shuffle(1000)
      .batch(32),
  joined: ({ count }) => {
    const rows = range(count).map(row);
    return zip([rows, rows.skip(100)]).batch(32);
  },
};

export default pipeline(import.meta, { name: String, count: 1_000_000, file: '' }, ({ name, ...given }) =>
  CASES[name](given),
);
