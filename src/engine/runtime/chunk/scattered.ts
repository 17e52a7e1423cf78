import { IN_HEAP_BYTES } from '../../contract/element-size.ts';
import type { Scratch } from './scratch.ts';
import { bytesOf, offsetIn, viewCodeOf } from './view.ts';

export const areOfCode = (code: number, values: readonly unknown[], from: number, to: number): boolean => {
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (typeof value !== 'object' || value === null || viewCodeOf(value) !== code) return false;
  }
  return true;
};

/**
 * Writes where views lie that were made in the chunk itself, `made`, and those that were not behind that. Gives how many have memory
 * of their own.
 */
export function writeScattered(
  scratch: Scratch,
  made: Uint8Array,
  code: number,
  values: readonly unknown[],
  from: number,
  to: number,
): number {
  const head = scratch.take(8) / 4;
  const places = scratch.take((to - from) * 8) / 4;
  const start = scratch.used;
  let arrays = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] as ArrayBufferView;
    if (value.byteLength > IN_HEAP_BYTES) arrays++;
    const place = places + 2 * (i - from);
    let at = offsetIn(made, value);
    if (at === undefined) {
      at = scratch.take(value.byteLength);
      scratch.u8.set(bytesOf(value), at);
    }
    scratch.u32[place] = at;
    scratch.u32[place + 1] = value.byteLength;
  }
  scratch.u32[head] = code;
  scratch.u32[head + 1] = scratch.used - start;
  return arrays;
}
