import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const DRAFT = /^[0-9a-f]{32}\.([0-9a-f]{12})-(\d+)-[0-9a-f]+\.draft$/;

/** Where the numbers of processes mean the same: a folder may be shared by machines and containers. */
const neighbourhood = (): string =>
  createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 12);

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Tells whose draft it is. */
export const draftName = (key: string, unique: string): string =>
  `${key}.${neighbourhood()}-${process.pid}-${unique}.draft`;

/** Removes drafts of processes that are no more. */
export function removeAbandoned(folder: string): void {
  const ours = neighbourhood();
  for (const name of readdirSync(folder)) {
    const [, where, process] = DRAFT.exec(name) ?? [];
    if (where === ours && !isAlive(Number(process))) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It is there, and someone else's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
