/** What this thread has read whole, as long as somebody has it. */
const paths = new WeakMap<Uint8Array, string>();

/** Notes which file bytes are, so that whoever finds them broken can say so. */
export function fileBytes<B extends Uint8Array>(path: string, bytes: B): B {
  paths.set(bytes, path);
  return bytes;
}

/** The file they were read from, in this thread; undefined of any other bytes. */
export const fileOf = (bytes: Uint8Array): string | undefined => paths.get(bytes);
