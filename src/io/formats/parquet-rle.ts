/**
 * Checks Parquet's hybrid of run-length encoding and bit packing: a header whose lowest bit tells the two apart and whose other bits
 * are the number of values (packed: of groups of eight), then the value or the packed ones. Throws where `data` has a run longer than
 * the `count` values there are.
 */
export function checkRle(data: Uint8Array, width: number, count: number): void {
  let at = 0;
  for (let seen = 0; seen < count && at < data.length; ) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = data[at++];
      if (byte === undefined || shift > 28) throw new Error('the length of a run is cut short');
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const half = Math.floor(header / 2);
    const isPacked = header % 2 === 1;
    // Packed values come in eights, the last of which may be padding.
    const length = isPacked ? half * 8 : half;
    if (length > count - seen + (isPacked ? 7 : 0)) throw new Error(`a run of ${length} values is too long`);
    at += isPacked ? half * width : Math.ceil(width / 8);
    seen += length;
  }
}

/** The same with its size in bytes in front, at `at`; gives where it ends. */
export function checkSizedRle(data: Uint8Array, at: number, width: number, count: number): number {
  if (at + 4 > data.length) throw new Error('a page is cut short');
  const size = new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true);
  const end = at + 4 + size;
  if (end > data.length) throw new Error('levels go beyond their page');
  // The decoder does not heed the size where values follow.
  checkRle(data.subarray(at + 4), width, count);
  return end;
}
