import type { StepFile } from './step-file.ts';
import { unreadableSteps } from './unreadable.ts';

/** Files that are read whole: as many bytes as fit into one text of V8, 2^29 - 24 characters. */
const MOST_BYTES = 2 ** 29 - 24;

/** All bytes of a file. */
export async function gathered(path: string, pieces: AsyncIterable<Uint8Array>): Promise<StepFile> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > MOST_BYTES) throw unreadableSteps(path, `it has more than ${MOST_BYTES} bytes, decompressed`);
    all.push(piece);
  }
  return { name: path, bytes: Buffer.concat(all, length) };
}
