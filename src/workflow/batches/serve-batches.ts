import { closeSync, openSync } from 'node:fs';
import type { Run, RunSummary } from '../../engine/contract/run.ts';
import type { Parcel } from '../../engine/handover/batch-writer.ts';
import { type Handed, PASS_END } from '../../engine/handover/handed-over.ts';
import { loadServed } from '../../engine/handover/load-served.ts';
import { SlotPool } from '../../engine/handover/slot-pool.ts';
import { VenturiError } from '../../model/errors.ts';
import { availableMemory } from '../../probes/host/available-memory.ts';
import { batchCount } from '../../report/format.ts';
import { type RunRequest, runPipeline } from '../run.ts';
import { ConsumerLink } from './consumer-link.ts';
import { Starvation } from './starvation.ts';

export interface BatchesRequest
  extends Pick<
    RunRequest,
    | 'pipeline'
    | 'set'
    | 'params'
    | 'plan'
    | 'cacheFolder'
    | 'maxLanes'
    | 'epochs'
    | 'memory'
    | 'seed'
    | 'record'
    | 'inline'
    | 'signal'
    | 'onWarning'
  > {
  /** Unix socket at which the consumer waits. */
  readonly socket: string;
  /** The author's own frames in the stack of an error, for the consumer to print. */
  readonly framesOf: (error: unknown) => readonly string[];
}

const PROTOCOL = 1;

/** Batches may take up a quarter of the memory that is available, unless the consumer says how much: the rest is for the program. */
const PART_OF_MEMORY = 4;

/** Passes of a run whose consumer does not say how many it wants: more than anyone waits for. */
const ENDLESS_EPOCHS = 2 ** 31 - 1;

/** Runs a pipeline for a consumer in another process, which gets its batches in files that both have open. True where all went well. */
export async function serveBatches(request: BatchesRequest): Promise<boolean> {
  const link = await ConsumerLink.to(request.socket);
  const files: number[] = [];
  try {
    await serve(request, link, files);
    await link.close('x', '{}');
    return true;
  } catch (error) {
    await link.close('f', JSON.stringify(failure(error, request)));
    return false;
  } finally {
    for (const file of files) closeSync(file);
  }
}

async function serve(request: BatchesRequest, link: ConsumerLink, files: number[]): Promise<void> {
  const { protocol, slots, budgetBytes } = await link.hello;
  if (protocol !== PROTOCOL) {
    throw new VenturiError(
      'VENTURI_USAGE',
      `the Python package speaks protocol ${protocol}, this program ${PROTOCOL}`,
      {
        remedy: 'take both from the same version of Venturi: put python/ of this package on PYTHONPATH',
      },
    );
  }
  for (const path of slots) files.push(openSlot(path));
  await link.send('o', '{}');
  const pool = SlotPool.of(files.length, budgetBytes ?? availableMemory() / PART_OF_MEMORY);
  link.onReleased = released => {
    for (const slot of released) pool.release(slot);
  };
  const signals = [link.gone, ...(request.signal === undefined ? [] : [request.signal])];
  const { status } = await runPipeline(
    {
      ...request,
      epochs: request.epochs ?? ENDLESS_EPOCHS,
      signal: AbortSignal.any(signals),
      onWarning: warning => {
        if (link.gone.aborted) request.onWarning?.(warning);
        else void link.send('w', JSON.stringify(warning));
      },
    },
    {
      load: (pipeline, signal) => loadServed(pipeline, pool, files, signal),
      consume: run => handOut(run as Run<Handed>, link, pool),
    },
  );
  if (status === 'completed' || link.gone.aborted) return;
  throw new VenturiError('VENTURI_INTERRUPTED', 'the process that runs the pipeline was told to stop', {
    remedy: 'iterate again: that starts it anew',
  });
}

function openSlot(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new VenturiError('VENTURI_FILE_UNWRITABLE', `the slot ${path} cannot be opened: ${message}`, {
      remedy: TOO_MANY_FILES.has(code ?? '')
        ? 'ask for fewer slots=, or allow more open files (ulimit -n)'
        : "give a folder that both processes can write to: venturi.batches(…, folder='/dev/shm')",
      cause,
    });
  }
}

const TOO_MANY_FILES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

async function handOut(run: Run<Handed>, link: ConsumerLink, pool: SlotPool): Promise<RunSummary> {
  const starvation = new Starvation(pool, () => link.waits);
  link.onAsked = () => starvation.look();
  let isToldShort = false;
  try {
    for await (const handed of run) {
      starvation.fed();
      if (handed === PASS_END) {
        await link.send('e', '{}');
      } else {
        pool.arrived(handed);
        if (handed.slot !== undefined) pool.lend(handed.slot);
        if (pool.shortOf > 0 && !isToldShort) {
          isToldShort = true;
          await link.send('w', shortage(pool));
        }
        await link.wanted();
        await link.sendBatch(messageOf(handed), handed.copy);
      }
      starvation.hungry();
    }
  } finally {
    starvation.close();
  }
  return run.finished;
}

/** Put together by hand: the tree is JSON already. */
const messageOf = ({ tree, bytes, slot }: Parcel): string =>
  `{"bytes":${bytes},"slot":${slot ?? null},"batch":${tree}}`;

const shortage = (pool: SlotPool): string =>
  JSON.stringify({
    code: 'VENTURI_WARN_SLOTS_SHORT',
    message:
      `Shared memory has room for ${batchCount(pool.filledWith(pool.shortOf))} of ${pool.shortOf} bytes. Batches beyond that are copied through a socket, ` +
      'which is slower: give more room (slots_bytes=, a larger /dev/shm, or another folder=), or make batches smaller.',
  });

function failure(error: unknown, { framesOf }: BatchesRequest): object {
  if (!(error instanceof VenturiError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { code: 'VENTURI_BUG', message: text, remedy: 'please report it', frames: [] };
  }
  return { code: error.code, message: error.message, remedy: error.remedy, frames: framesOf(error.cause) };
}
