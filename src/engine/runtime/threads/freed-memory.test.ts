import { expect, it } from 'vitest';
import { free, keepFreedMemory } from './freed-memory.ts';

const { glibcVersionRuntime } = (
  process.report.getReport() as unknown as { readonly header: { readonly glibcVersionRuntime?: string } }
).header;

const ROUNDS = 5;
/** Together a little less than is kept, and far more than the allocator may have learnt to keep from what others freed in this process. */
const ARRAYS = 56;
const ARRAY = 2 ** 20;
const PAGE = 4096;

/** Share of their pages that the kernel had to give, for arrays which are freed and made again. */
function shareGot(): number {
  const before = process.resourceUsage().minorPageFault;
  for (let round = 0; round < ROUNDS; round++) {
    const arrays = Array.from({ length: ARRAYS }, () => new Uint8Array(ARRAY).fill(1));
    free(arrays.map(({ buffer }) => buffer));
  }
  return (process.resourceUsage().minorPageFault - before) / ((ROUNDS * ARRAYS * ARRAY) / PAGE);
}

// Without it nearly all are got anew, but not in every process: one small piece behind the freed ones keeps them from being given back.
it.skipIf(glibcVersionRuntime === undefined)('what was freed is not got anew, once a run has memory to spare', () => {
  keepFreedMemory(256 * 2 ** 20);
  shareGot();
  expect(shareGot()).toBeLessThan(0.1);
});
