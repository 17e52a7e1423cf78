import { pipeline, range } from 'venturi/engine';

/** Keeps a core busy for so many turns. */
function turns(seed: number, count: number): number {
  let value = seed | 0;
  for (let turn = 0; turn < count; turn++) value = (Math.imul(value, 31) + turn) | 0;
  return value;
}

const both = (value: number): number => turns(value, 10_000);

/** A function of its own, one that serves two operators, and a stage with two lanes. */
export default pipeline(import.meta, { n: 5000 }, ({ n }) =>
  range(n)
    .map(value => turns(value, 20_000), { name: 'own' })
    .map(both, { name: 'left' })
    .map(both, { name: 'right' })
    .filter(value => value % 2 === 0, { name: 'even', parallelism: 2 })
    .batch(64),
);
