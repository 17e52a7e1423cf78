/** What the machine costs is measured for the recordings of a bench, not taken from earlier ones: it is kept in the temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Hands `work` an empty folder, which is the temporary one of this process and its children meanwhile. */
export async function withFreshCosts(work) {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-forecast-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    return await work(folder);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  }
}
