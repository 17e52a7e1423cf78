/** Position of the first of `length` for which `isBefore` no longer holds, which it does for all before that: by halving. */
export function partitionPoint(length: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
