/** An array that a result goes into has room for it and no more. */
export function checkLength(out: Uint8Array | Float32Array, length: number): void {
  if (out.length === length) return;
  throw new RangeError(`${length} numbers do not go into an array of ${out.length}`);
}

/** The same, and what it is made of does not lie there: it would be written over before it is read. */
export function checkOut(out: Uint8Array | Float32Array, length: number, source: Uint8Array): void {
  checkLength(out, length);
  const isApart =
    out.byteOffset >= source.byteOffset + source.byteLength || source.byteOffset >= out.byteOffset + out.byteLength;
  // Small arrays of their own would have to be moved to be asked for their buffer.
  if (isApart || out.buffer !== source.buffer) return;
  throw new RangeError('an image cannot be written over itself: give memory of its own');
}

/** Memory of an image's own, every byte of which is about to be written: clearing it first would be a pass over memory more. */
export const bytesFor = (length: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);

/** A copy of an image's bytes in memory of its own. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = bytesFor(bytes.length);
  copy.set(bytes);
  return copy;
}
