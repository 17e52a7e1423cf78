import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { replaceFile } from '../../files/atomic-file.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { type MachineCosts, MachineCostsSchema } from '../../model/machine-costs.ts';
import { parseJson } from '../../model/parse-json.ts';
import { busyShare } from '../host/busy-share.ts';
import { bootId } from '../host/host.ts';

export interface CostsRequest {
  /** The interpreter of the recorded program. */
  readonly python: string;
  /** Bytes of a batch where no worker was recorded: what one would cost is measured too, which needs torch. */
  readonly bytes: number | undefined;
  /** Threads of the pool that helped where none was. */
  readonly threads: number;
  /** Called where it must be measured, which takes a while. */
  onMeasure?(): void;
}

const SCRIPT = fileURLToPath(new URL('../../../python/venturi_probe/pytorch/machine/costs.py', import.meta.url));
const PATIENCE_MS = 30_000;
/** A machine is what it was for so long. */
const KEPT_MS = 3600_000;
/** Costs measured while others use more than this share of the cores are those of that moment, not of the machine. */
const MOST_BUSY = 0.2;
const LOOK_MS = 200;
const MOST_KEPT_BYTES = 1 << 16;

const KeptSchema = z.object({ at: z.number(), costs: MachineCostsSchema });

/**
 * What threads cost each other on this machine, and what a worker costs. It takes a second or two, so what was measured on
 * a quiet machine is kept for recordings soon after. Undefined where it cannot be measured: forecasts then have a wider band.
 */
export async function machineCosts(
  request: CostsRequest,
  busy: () => Promise<number> = () => busyShare(LOOK_MS),
): Promise<MachineCosts | undefined> {
  const file = keptFile(request.python);
  const kept = read(file);
  if (kept !== undefined && suits(kept, request)) return kept;
  request.onMeasure?.();
  const busyBefore = await busy();
  const measured = await measure(request);
  if (measured !== undefined && Math.max(busyBefore, await busy()) <= MOST_BUSY) keep(file, measured);
  return measured;
}

/** Costs of memory grow with its bytes; those of batches that are much smaller or larger are measured anew. */
const FAR = 8;

const suits = ({ worker, pool }: MachineCosts, { bytes, threads }: CostsRequest): boolean =>
  bytes === undefined ||
  (worker !== undefined &&
    worker.bytes < FAR * bytes &&
    bytes < FAR * worker.bytes &&
    (threads <= 1 || pool?.threads === threads));

/** In the folder for what does not last: what is in it may be anybody's, and is only ever taken for numbers. */
function keptFile(python: string): string {
  const key = createHash('sha256').update(`${bootId()}\0${python}`).digest('hex').slice(0, 16);
  return join(tmpdir(), `venturi-costs-${userInfo().uid}-${key}.json`);
}

function read(file: string): MachineCosts | undefined {
  try {
    const { at, costs } = KeptSchema.parse(JSON.parse(readRegularText(file, MOST_KEPT_BYTES)));
    return Math.abs(Date.now() - at) < KEPT_MS ? costs : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, costs: MachineCosts): void {
  try {
    replaceFile(file, JSON.stringify({ at: Date.now(), costs }));
  } catch {
    // It is measured again the next time.
  }
}

function measure({ python, bytes, threads }: CostsRequest): Promise<MachineCosts | undefined> {
  const sized =
    bytes === undefined ? [] : ['--bytes', String(Math.max(1, Math.round(bytes))), '--threads', String(threads)];
  return new Promise(resolve => {
    execFile(python, [SCRIPT, ...sized], { timeout: PATIENCE_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      resolve(error === null ? parseJson(MachineCostsSchema, stdout) : undefined);
    });
  });
}
