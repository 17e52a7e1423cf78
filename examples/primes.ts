/**
 * Counting and dividing the work among threads: a costly function on 2 of them, order kept.
 *
 *     venturi run examples/primes.ts --record primes --param below=200000
 *     venturi run examples/primes.ts --set isPrime.parallelism=1
 */
import { pipeline, range } from 'venturi/engine';

function isPrime(candidate: number): boolean {
  if (candidate < 2) return false;
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
    if (candidate % divisor === 0) return false;
  }
  return true;
}

export default pipeline(import.meta, { below: 100_000, batch: 100 }, ({ below, batch }) =>
  range(below).filter(isPrime, { name: 'isPrime', parallelism: 2 }).batch(batch),
);
