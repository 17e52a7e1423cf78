/** What is known of one component of an image, in memory of its own. */
@unmanaged
export class Component {
  /** Blocks in a unit, across and down. */
  horizontal: i32;
  vertical: i32;
  /** How many times as many samples the image has, across and down. */
  across: i32;
  down: i32;
  /** Its own samples and blocks, without what fills the last unit. */
  columns: i32;
  rows: i32;
  blocksAcross: i32;
  blocksDown: i32;
  plane: usize;
  stride: usize;
  /** Of files that come in many scans, 64 numbers a block. */
  coefficients: usize;
  blocksStride: usize;
  /** Words in the file's zigzag order, each a quantizer above and the place in the block below; behind the 64 the place is outside. */
  quantizers: usize;
  /** The same 64 as they lie in a block, 16 bits each. */
  quantizerBlock: usize;
  dc: usize;
  ac: usize;
  /** The mean of the block before, which the next one's differs from. */
  level: i32;
  /** The row of it that `upsampled` has made. */
  wide: usize;
}

export const COMPONENT_BYTES: usize = offsetof<Component>();
export const zigzag = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42,
  49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);
