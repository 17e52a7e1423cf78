import { createHash } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../files/atomic-file.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { busyShare } from './busy-share.ts';
import { bootId } from './host.ts';

const MOST_KEPT_BYTES = 1 << 16;
/** What is measured while others use more than this share of the cores is of that moment, not of the machine. */
const MOST_BUSY = 0.2;
const LOOK_MS = 200;

/** A measurement of this machine that takes a while, so that it is kept. */
export interface KeptMeasurement<T> {
  readonly name: string;
  /** What it depends on, beside the machine since its boot. */
  readonly facts: readonly string[];
  readonly schema: z.ZodType<T>;
  /** It holds for so long; less where others were at work meanwhile, and 0 where it is not kept then. */
  readonly keptMs: number;
  readonly keptWhenBusyMs: number;
}

/** In the folder for what does not last: what is in it may be anybody's, and is only ever taken for numbers. */
function fileOf({ name, facts }: KeptMeasurement<unknown>): string {
  const key = createHash('sha256')
    .update([bootId(), ...facts].join('\0'))
    .digest('hex')
    .slice(0, 16);
  return join(tmpdir(), `venturi-${name}-${userInfo().uid}-${key}.json`);
}

/** What was kept; undefined where nothing was, where it is too old, and where it is something else. */
export function readKept<T>(measurement: KeptMeasurement<T>): T | undefined {
  const schema = z.object({ at: z.number(), keptMs: z.number().max(measurement.keptMs), costs: measurement.schema });
  try {
    const { at, keptMs, costs } = schema.parse(JSON.parse(readRegularText(fileOf(measurement), MOST_KEPT_BYTES)));
    return Math.abs(Date.now() - at) < keptMs ? costs : undefined;
  } catch {
    return undefined;
  }
}

function keep<T>(measurement: KeptMeasurement<T>, costs: T, keptMs: number): void {
  try {
    replaceFile(fileOf(measurement), JSON.stringify({ at: Date.now(), keptMs, costs }));
  } catch {
    // It is measured again the next time.
  }
}

/** Measures, and keeps what came of it. `measure` is told which part of the cores others keep busy, before it begins; `busy` looks. */
export async function measureAndKeep<T, Measured extends T | undefined>(
  measurement: KeptMeasurement<T>,
  measure: (busyShare: number) => Promise<Measured>,
  busy: () => Promise<number> = () => busyShare(LOOK_MS),
): Promise<Measured> {
  const before = await busy();
  const costs = await measure(before);
  const isQuiet = Math.max(before, await busy()) <= MOST_BUSY;
  const keptMs = isQuiet ? measurement.keptMs : measurement.keptWhenBusyMs;
  if (costs !== undefined && keptMs > 0) keep(measurement, costs, keptMs);
  return costs;
}
