/**
 * A pipeline inside a program of one's own: the file above is imported, started, consumed and stopped half-way.
 *
 *     npx tsx examples/embedded.ts
 */
import primes from './primes.ts';

const run = primes.run({ params: { below: 1_000_000 }, memory: 32 * 2 ** 20 });
let seen = 0;
for await (const batch of run) {
  seen += batch.length;
  if (seen >= 10_000) break;
}
const { status, seconds } = await run.finished;
process.stdout.write(`${seen} primes in ${seconds.toFixed(2)} s, ${status}\n`);
