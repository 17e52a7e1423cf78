import type { StepTrace } from '../../model/step-trace.ts';
import type { ImportOptions } from './importer.ts';
import { HEAD_BYTES, headText, IMPORTERS } from './importers.ts';
import { traceBytes, unreadableSteps } from './trace-bytes.ts';

/** Reads a trace of training steps in any of the formats. */
export async function readSteps(path: string, options: Omit<ImportOptions, 'path'> = {}): Promise<StepTrace> {
  const pieces = traceBytes(path);
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    first.push(value);
    length += value.length;
  }
  const head = headText(Buffer.concat(first));
  const importer = IMPORTERS.find(each => each.recognises(head));
  if (importer === undefined) {
    const formats = IMPORTERS.map(({ format }) => format).join(', ');
    throw unreadableSteps(path, length === 0 ? 'it is empty' : `it is none of: ${formats}`);
  }
  return importer.read(chain(first, pieces), { ...options, path });
}

async function* chain(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* first;
  yield* rest;
}
