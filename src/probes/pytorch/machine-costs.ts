import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type MachineCosts, MachineCostsSchema } from '../../model/machine-costs.ts';
import { parseJson } from '../../model/parse-json.ts';
import { measureAndKeep, readKept } from '../host/kept-measurement.ts';

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

/**
 * What threads cost each other on this machine, and what a worker costs. It takes a second or two, so what was measured on
 * a quiet machine is kept for recordings soon after. Undefined where it cannot be measured: forecasts then have a wider band.
 */
export async function machineCosts(
  request: CostsRequest,
  busy?: () => Promise<number>,
): Promise<MachineCosts | undefined> {
  const measurement = {
    name: 'costs',
    facts: [request.python],
    schema: MachineCostsSchema,
    keptMs: KEPT_MS,
    keptWhenBusyMs: 0,
  };
  const kept = readKept(measurement);
  if (kept !== undefined && suits(kept, request)) return kept;
  request.onMeasure?.();
  return measureAndKeep(measurement, () => measure(request), busy);
}

/** Costs of memory grow with its bytes; those of batches that are much smaller or larger are measured anew. */
const FAR = 8;

const suits = ({ worker, pool }: MachineCosts, { bytes, threads }: CostsRequest): boolean =>
  bytes === undefined ||
  (worker !== undefined &&
    worker.bytes < FAR * bytes &&
    bytes < FAR * worker.bytes &&
    (threads <= 1 || pool?.threads === threads));

function measure({ python, bytes, threads }: CostsRequest): Promise<MachineCosts | undefined> {
  const sized =
    bytes === undefined ? [] : ['--bytes', String(Math.max(1, Math.round(bytes))), '--threads', String(threads)];
  return new Promise(resolve => {
    execFile(python, [SCRIPT, ...sized], { timeout: PATIENCE_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      resolve(error === null ? parseJson(MachineCostsSchema, stdout) : undefined);
    });
  });
}
