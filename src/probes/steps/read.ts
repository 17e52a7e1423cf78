import type { StepTrace } from '../../model/step-trace.ts';
import { importExecutionTrace } from './execution-trace/import.ts';
import type { ExecutionNodes } from './execution-trace/nodes.ts';
import { gathered } from './gathered.ts';
import type { ImportOptions, StepImporter } from './importer.ts';
import { HEAD_BYTES, headText, IMPORTERS } from './importers.ts';
import { traceBytes } from './trace-bytes.ts';
import { unreadableSteps } from './unreadable.ts';

/** A file of which the beginning was read. */
interface OpenTrace {
  readonly importer: StepImporter;
  /** All of its bytes. */
  readonly bytes: AsyncIterable<Uint8Array>;
  close(): Promise<unknown>;
}

/** Reads a trace of training steps in any of the formats. */
export async function readSteps(path: string, options: Omit<ImportOptions, 'path'> = {}): Promise<StepTrace> {
  const { importer, bytes, close } = await open(path);
  try {
    return await importer.read(bytes, { ...options, path });
  } finally {
    await close();
  }
}

/** Reads PyTorch's execution trace of a run, for the traces of its profiler. */
export const readExecutionTrace = async (path: string): Promise<ExecutionNodes> =>
  importExecutionTrace(await gathered(path, traceBytes(path)));

/**
 * Reads the files of one run together, where the format has a file for every step, as RunMetadata. Undefined where it has a file for every process, or
 * files have different formats.
 */
export async function readStepsTogether(paths: readonly string[]): Promise<StepTrace | undefined> {
  const files = [];
  let format: StepImporter | undefined;
  for (const path of paths) {
    const { importer, bytes, close } = await open(path);
    try {
      if (importer.readTogether === undefined || (format !== undefined && importer !== format)) return undefined;
      format = importer;
      files.push(await gathered(path, bytes));
    } finally {
      await close();
    }
  }
  return format?.readTogether?.(files);
}

async function open(path: string): Promise<OpenTrace> {
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
  const close = (): Promise<unknown> => pieces.return();
  if (importer !== undefined) return { importer, bytes: chain(first, pieces), close };
  await close();
  const formats = IMPORTERS.map(({ format }) => format).join('; ');
  throw unreadableSteps(path, length === 0 ? 'it is empty' : `it is none of: ${formats}`);
}

async function* chain(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* first;
  yield* rest;
}
