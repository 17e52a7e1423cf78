/** Calls an async function on every element, `concurrency` calls under way at once, results in the elements' order. */
export async function callAll(
  values: readonly unknown[],
  count: number,
  concurrency: number,
  call: (position: number) => unknown,
  results: unknown[],
): Promise<void> {
  let next = 0;
  let failed = false;
  const one = async (): Promise<void> => {
    while (next < count && !failed) {
      const position = next++;
      try {
        results[position] = await call(position);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // All calls settle before the first failure is reported: none is left running behind the user's back.
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(concurrency, values.length) }, one));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
}
