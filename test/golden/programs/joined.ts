import { concat, pipeline, range, zip } from 'venturi/engine';

/** Keeps a core busy for about this many milliseconds. */
function work(ms: number): number {
  const end = performance.now() + ms;
  let turns = 0;
  while (performance.now() < end) turns++;
  return turns;
}

/** Two sources that are joined, a cache, and the heaviest operator behind it. */
export default pipeline(import.meta, { n: 40, passes: 5 }, ({ n, passes }) => {
  const images = range(n).map(i => (work(6), new Float32Array(256).fill(i)), { name: 'decode', parallelism: 2 });
  const labels = concat([range(n / 2), range(n / 2)]).map(i => i % 10, { name: 'label' });
  return zip([images, labels])
    .cache()
    .repeat(passes)
    .map(([image, label]) => (work(15), { image, label }), { name: 'augment' })
    .batch(4);
});
