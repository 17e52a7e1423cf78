/**
 * Threefry-4x32 with 20 rounds: a bijection of a 128-bit counter under a 128-bit key whose outputs look random.
 * Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC '11), §3.3; the rotations and the parity
 * word are those of its reference implementation, Random123. It needs only additions, rotations and exclusive ors on
 * 32 bits; Philox needs the high half of a product, for which a script has no instruction.
 */
const PARITY = 0x1bd11bda;

/**
 * `input` holds the key in words 0-3 and the counter in words 4-7; the four output words go to `out`.
 * Words are bit patterns: their sign means nothing.
 */
export function threefry4x32(input: Int32Array, out: Int32Array): void {
  let k0 = input[0] ?? 0;
  let k1 = input[1] ?? 0;
  let k2 = input[2] ?? 0;
  let k3 = input[3] ?? 0;
  let k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let a = ((input[4] ?? 0) + k0) | 0;
  let b = ((input[5] ?? 0) + k1) | 0;
  let c = ((input[6] ?? 0) + k2) | 0;
  let d = ((input[7] ?? 0) + k3) | 0;

  // Four rounds with one set of rotations, then four with the other; after each four a word more of the key comes first.
  for (let turn = 1; ; turn += 2) {
    a = (a + b) | 0;
    b = ((b << 10) | (b >>> 22)) ^ a;
    c = (c + d) | 0;
    d = ((d << 26) | (d >>> 6)) ^ c;
    a = (a + d) | 0;
    d = ((d << 11) | (d >>> 21)) ^ a;
    c = (c + b) | 0;
    b = ((b << 21) | (b >>> 11)) ^ c;
    a = (a + b) | 0;
    b = ((b << 13) | (b >>> 19)) ^ a;
    c = (c + d) | 0;
    d = ((d << 27) | (d >>> 5)) ^ c;
    a = (a + d) | 0;
    d = ((d << 23) | (d >>> 9)) ^ a;
    c = (c + b) | 0;
    b = ((b << 5) | (b >>> 27)) ^ c;
    a = (a + k1) | 0;
    b = (b + k2) | 0;
    c = (c + k3) | 0;
    d = (d + k4 + turn) | 0;
    if (turn === 5) break;

    a = (a + b) | 0;
    b = ((b << 6) | (b >>> 26)) ^ a;
    c = (c + d) | 0;
    d = ((d << 20) | (d >>> 12)) ^ c;
    a = (a + d) | 0;
    d = ((d << 17) | (d >>> 15)) ^ a;
    c = (c + b) | 0;
    b = ((b << 11) | (b >>> 21)) ^ c;
    a = (a + b) | 0;
    b = ((b << 25) | (b >>> 7)) ^ a;
    c = (c + d) | 0;
    d = ((d << 10) | (d >>> 22)) ^ c;
    a = (a + d) | 0;
    d = ((d << 18) | (d >>> 14)) ^ a;
    c = (c + b) | 0;
    b = ((b << 20) | (b >>> 12)) ^ c;
    a = (a + k2) | 0;
    b = (b + k3) | 0;
    c = (c + k4) | 0;
    d = (d + k0 + turn + 1) | 0;
    const first = k0;
    const second = k1;
    k0 = k2;
    k1 = k3;
    k2 = k4;
    k3 = first;
    k4 = second;
  }

  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}
