import { expect, it } from 'vitest';
import { free, keepFreedMemory } from './freed-memory.ts';

const { glibcVersionRuntime } = (
  process.report.getReport() as unknown as { readonly header: { readonly glibcVersionRuntime?: string } }
).header;

/** Pages that the kernel had to give for arrays of 8 MB together, which were freed and made again. */
function pagesGot(): number {
  const before = process.resourceUsage().minorPageFault;
  for (let round = 0; round < 20; round++) {
    const arrays = Array.from({ length: 8 }, () => new Uint8Array(2 ** 20).fill(1));
    free(arrays.map(({ buffer }) => buffer));
  }
  return process.resourceUsage().minorPageFault - before;
}

it.skipIf(glibcVersionRuntime === undefined)('what was freed is not got anew, once a run has memory to spare', () => {
  keepFreedMemory(64 * 2 ** 20);
  const small = pagesGot();
  keepFreedMemory(256 * 2 ** 20);
  pagesGot();
  const large = pagesGot();
  expect(small).toBeGreaterThan(10_000);
  expect(large).toBeLessThan(small / 10);
});
