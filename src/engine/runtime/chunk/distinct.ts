/** Slots looked at per object before the numbers are taken to be too much alike. */
const MOST_LOOKS = 4;
const LEAST_SLOTS = 64;

/**
 * Whether objects [from, to) are all different ones, told by a number that each of them holds: only those that hold the same can be the
 * same. Undefined where too many do, or some hold none. A set of the objects would tell it, too, but takes ten times as long.
 */
export function areDistinct(
  objects: readonly unknown[],
  from: number,
  to: number,
  numbers: readonly unknown[],
): boolean | undefined {
  const count = to - from;
  if (isRising(numbers, count)) return true;
  const slots = Math.max(LEAST_SLOTS, 2 ** Math.ceil(Math.log2(2 * count)));
  const table = new Int32Array(slots);
  let looks = MOST_LOOKS * count;
  for (let i = 0; i < count; i++) {
    const number = numbers[i];
    if (typeof number !== 'number') return undefined;
    // By Knuth's multiplicative method; the bits above the lower ones are those that differ.
    let at = ((number * 2654435761) >>> 8) & (slots - 1);
    for (;;) {
      const other = table[at] as number;
      if (other === 0) break;
      if (objects[from + other - 1] === objects[from + i]) return false;
      if (looks-- === 0) return undefined;
      at = (at + 1) & (slots - 1);
    }
    table[at] = i + 1;
  }
  return true;
}

function isRising(numbers: readonly unknown[], count: number): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const number = numbers[i];
    if (typeof number !== 'number' || !(number > before)) return false;
    before = number;
  }
  return true;
}
