/** The forward DCT of 8 x 8 levels, in place, times 8: bit for bit libjpeg's accurate integer one (its "islow"). */
export function forwardTransform(block: Int32Array): void {
  for (let row = 0; row < 64; row += 8) pass(block, row, 1, 11, 2);
  for (let column = 0; column < 8; column++) pass(block, column, 8, 15, -2);
}

/** Eight values: even ones are shifted by `scale`, odd ones rounded off by `shift` bits (C. Loeffler and others, 1989). */
function pass(block: Int32Array, from: number, step: number, shift: number, scale: number): void {
  const at = (index: number): number => block[from + index * step] as number;
  const put = (index: number, value: number): void => {
    block[from + index * step] = value;
  };
  const round = 1 << (shift - 1);
  const [t0, t7] = [at(0) + at(7), at(0) - at(7)];
  const [t1, t6] = [at(1) + at(6), at(1) - at(6)];
  const [t2, t5] = [at(2) + at(5), at(2) - at(5)];
  const [t3, t4] = [at(3) + at(4), at(3) - at(4)];
  const [t10, t13] = [t0 + t3, t0 - t3];
  const [t11, t12] = [t1 + t2, t1 - t2];
  put(0, scale > 0 ? (t10 + t11) << scale : (t10 + t11 + 2) >> 2);
  put(4, scale > 0 ? (t10 - t11) << scale : (t10 - t11 + 2) >> 2);
  const even = (t12 + t13) * 4433;
  put(2, (even + t13 * 6270 + round) >> shift);
  put(6, (even - t12 * 15137 + round) >> shift);

  const z5 = (t4 + t6 + t5 + t7) * 9633;
  const z1 = (t4 + t7) * -7373;
  const z2 = (t5 + t6) * -20995;
  const z3 = (t4 + t6) * -16069 + z5;
  const z4 = (t5 + t7) * -3196 + z5;
  put(7, (t4 * 2446 + z1 + z3 + round) >> shift);
  put(5, (t5 * 16819 + z2 + z4 + round) >> shift);
  put(3, (t6 * 25172 + z2 + z3 + round) >> shift);
  put(1, (t7 * 12299 + z1 + z4 + round) >> shift);
}
