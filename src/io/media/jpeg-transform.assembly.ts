/** The inverse DCT, bit for bit libjpeg's accurate integer one (its "islow"). */

/** Of a block that is nothing but its mean, to 8 rows of 8 levels. */
@inline
export function spread(block: usize, out: usize, stride: usize): void {
  const mean = (i32(load<i16>(block)) + 4) >> 3;
  const levels = i8x16.splat(i8(min(max(mean + 128, 0), 255)));
  for (let row = 0; row < 8; row++) v128.store_lane<i64>(out + usize(row) * stride, levels, 0);
}

/** Of any block, which it overwrites. */
export function transform(block: usize, out: usize, stride: usize): void {
  pass(block, 1 << 10, 11);
  pass(block, 1 << 17, 18);
  const centre = i8x16.splat(-128);
  for (let row: usize = 0; row < 8; row += 2) {
    const pair = i8x16.narrow_i16x8_s(v128.load(block + (row << 4)), v128.load(block + (row << 4), 16));
    const levels = v128.xor(pair, centre);
    v128.store_lane<i64>(out + row * stride, levels, 0);
    v128.store_lane<i64>(out + (row + 1) * stride, levels, 1);
  }
}

/** Eight transforms of eight values, one in each lane, rounded by `bias` and `shift`; what comes out lies transposed. */
@inline
function pass(block: usize, bias: i32, shift: i32): void {
  const r0 = v128.load(block);
  const r1 = v128.load(block, 16);
  const r2 = v128.load(block, 32);
  const r3 = v128.load(block, 48);
  const r4 = v128.load(block, 64);
  const r5 = v128.load(block, 80);
  const r6 = v128.load(block, 96);
  const r7 = v128.load(block, 112);

  // Constants are those of libjpeg's jidctint.c times 2^13, with the products of each rotation brought together so that
  // one dot product does two of them.
  const c2 = i16x8(4433, -10704, 4433, -10704, 4433, -10704, 4433, -10704);
  const c3 = i16x8(10703, 4433, 10703, 4433, 10703, 4433, 10703, 4433);
  const even = i16x8.add(r0, r4);
  const odd = i16x8.sub(r0, r4);
  const round = i32x4.splat(bias);
  const low26 = low(r2, r6);
  const high26 = high(r2, r6);
  const t0l = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(even), 13), round);
  const t0h = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(even), 13), round);
  const t1l = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(odd), 13), round);
  const t1h = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(odd), 13), round);
  const t2l = i32x4.dot_i16x8_s(low26, c2);
  const t2h = i32x4.dot_i16x8_s(high26, c2);
  const t3l = i32x4.dot_i16x8_s(low26, c3);
  const t3h = i32x4.dot_i16x8_s(high26, c3);
  const t10l = i32x4.add(t0l, t3l);
  const t10h = i32x4.add(t0h, t3h);
  const t13l = i32x4.sub(t0l, t3l);
  const t13h = i32x4.sub(t0h, t3h);
  const t11l = i32x4.add(t1l, t2l);
  const t11h = i32x4.add(t1h, t2h);
  const t12l = i32x4.sub(t1l, t2l);
  const t12h = i32x4.sub(t1h, t2h);

  const z3 = i16x8.add(r7, r3);
  const z4 = i16x8.add(r5, r1);
  const low34 = low(z3, z4);
  const high34 = high(z3, z4);
  const k3 = i16x8(-6436, 9633, -6436, 9633, -6436, 9633, -6436, 9633);
  const k4 = i16x8(9633, 6437, 9633, 6437, 9633, 6437, 9633, 6437);
  const z3l = i32x4.dot_i16x8_s(low34, k3);
  const z3h = i32x4.dot_i16x8_s(high34, k3);
  const z4l = i32x4.dot_i16x8_s(low34, k4);
  const z4h = i32x4.dot_i16x8_s(high34, k4);
  const low71 = low(r7, r1);
  const high71 = high(r7, r1);
  const low53 = low(r5, r3);
  const high53 = high(r5, r3);
  const k0 = i16x8(-4927, -7373, -4927, -7373, -4927, -7373, -4927, -7373);
  const k9 = i16x8(-7373, 4926, -7373, 4926, -7373, 4926, -7373, 4926);
  const k1 = i16x8(-4176, -20995, -4176, -20995, -4176, -20995, -4176, -20995);
  const k2 = i16x8(-20995, 4177, -20995, 4177, -20995, 4177, -20995, 4177);
  const s0l = i32x4.add(i32x4.dot_i16x8_s(low71, k0), z3l);
  const s0h = i32x4.add(i32x4.dot_i16x8_s(high71, k0), z3h);
  const s3l = i32x4.add(i32x4.dot_i16x8_s(low71, k9), z4l);
  const s3h = i32x4.add(i32x4.dot_i16x8_s(high71, k9), z4h);
  const s1l = i32x4.add(i32x4.dot_i16x8_s(low53, k1), z4l);
  const s1h = i32x4.add(i32x4.dot_i16x8_s(high53, k1), z4h);
  const s2l = i32x4.add(i32x4.dot_i16x8_s(low53, k2), z3l);
  const s2h = i32x4.add(i32x4.dot_i16x8_s(high53, k2), z3h);

  const o0 = packed(i32x4.add(t10l, s3l), i32x4.add(t10h, s3h), shift);
  const o7 = packed(i32x4.sub(t10l, s3l), i32x4.sub(t10h, s3h), shift);
  const o1 = packed(i32x4.add(t11l, s2l), i32x4.add(t11h, s2h), shift);
  const o6 = packed(i32x4.sub(t11l, s2l), i32x4.sub(t11h, s2h), shift);
  const o2 = packed(i32x4.add(t12l, s1l), i32x4.add(t12h, s1h), shift);
  const o5 = packed(i32x4.sub(t12l, s1l), i32x4.sub(t12h, s1h), shift);
  const o3 = packed(i32x4.add(t13l, s0l), i32x4.add(t13h, s0h), shift);
  const o4 = packed(i32x4.sub(t13l, s0l), i32x4.sub(t13h, s0h), shift);

  // 8 x 8 values change places in three rounds: neighbours, pairs, fours.
  const a0 = low(o0, o1);
  const a1 = high(o0, o1);
  const a2 = low(o2, o3);
  const a3 = high(o2, o3);
  const a4 = low(o4, o5);
  const a5 = high(o4, o5);
  const a6 = low(o6, o7);
  const a7 = high(o6, o7);
  const b0 = v128.shuffle<i32>(a0, a2, 0, 4, 1, 5);
  const b1 = v128.shuffle<i32>(a0, a2, 2, 6, 3, 7);
  const b2 = v128.shuffle<i32>(a1, a3, 0, 4, 1, 5);
  const b3 = v128.shuffle<i32>(a1, a3, 2, 6, 3, 7);
  const b4 = v128.shuffle<i32>(a4, a6, 0, 4, 1, 5);
  const b5 = v128.shuffle<i32>(a4, a6, 2, 6, 3, 7);
  const b6 = v128.shuffle<i32>(a5, a7, 0, 4, 1, 5);
  const b7 = v128.shuffle<i32>(a5, a7, 2, 6, 3, 7);
  v128.store(block, v128.shuffle<i64>(b0, b4, 0, 2));
  v128.store(block, v128.shuffle<i64>(b0, b4, 1, 3), 16);
  v128.store(block, v128.shuffle<i64>(b1, b5, 0, 2), 32);
  v128.store(block, v128.shuffle<i64>(b1, b5, 1, 3), 48);
  v128.store(block, v128.shuffle<i64>(b2, b6, 0, 2), 64);
  v128.store(block, v128.shuffle<i64>(b2, b6, 1, 3), 80);
  v128.store(block, v128.shuffle<i64>(b3, b7, 0, 2), 96);
  v128.store(block, v128.shuffle<i64>(b3, b7, 1, 3), 112);
}

@inline
export function low(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
export function high(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

@inline
export function packed(first: v128, second: v128, shift: i32): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(first, shift), i32x4.shr_s(second, shift));
}
