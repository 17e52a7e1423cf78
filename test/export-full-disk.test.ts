/** What is written for others where the disk is full: a failure with its code, and nothing half. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../src/report/export-formats.ts';
import { fill, SmallDisks, skipLoudly } from './fixtures/small-disks.ts';
import { Workshop } from './fixtures/workshop.ts';

const RUN = fileURLToPath(new URL('./golden/recordings/pipeline-profiled.venturi', import.meta.url));
const shop = new Workshop();
const disks = new SmallDisks();
const disk = shop.path('disk');
/** Room for some tables of the run, and not for all. */
const isMounted = disks.mount(disk, 'size=16k');
afterAll(() => {
  disks.remove();
  shop.remove();
});

const FULL = expect.stringMatching(/VENTURI_\w+_UNWRITABLE: .*(ENOSPC|no space left).*\n.*(space|disk)/i);

describe('on a full disk', () => {
  beforeEach(({ skip }) => {
    if (!isMounted) skipLoudly(skip, 'exports onto a full disk: no right to mount one');
    for (const name of readdirSync(disk)) rmSync(`${disk}/${name}`, { recursive: true });
  });

  /** A file that was there before, and no room beside it. */
  function leaveNoRoom(): void {
    shop.write('disk/before', 'as it was');
    fill(disk);
  }

  const nothingIsHalf = (): void => {
    expect(readdirSync(disk).sort()).toEqual(['before', 'filler']);
    expect(readFileSync(`${disk}/before`, 'utf8')).toBe('as it was');
    expect(shop.leftovers()).toEqual([]);
  };

  it.each([...EXPORT_FORMATS])('export --to %s says so, and leaves what was there', async format => {
    leaveNoRoom();
    const out = ['csv', 'parquet', 'cpuprofile'].includes(format) ? 'disk/folder/below' : 'disk/before';
    const { code, stderr } = await shop.venturi('export', RUN, '--to', format, '--out', out);
    expect([code, stderr]).toEqual([2, FULL]);
    nothingIsHalf();
  });

  it.each(['csv', 'parquet'])('export --to %s leaves no table of those that had room', async format => {
    const { code, stderr } = await shop.venturi('export', RUN, '--to', format, '--out', 'disk/tables');
    expect([code, stderr]).toEqual([2, FULL]);
    expect(readdirSync(disk)).toEqual([]);
  });

  it.each([[[]], [['--full']]])('view --out %j says so, and leaves what was there', async more => {
    leaveNoRoom();
    const { code, stderr } = await shop.venturi('view', RUN, '--out', 'disk/before', ...more);
    expect([code, stderr]).toEqual([2, FULL]);
    nothingIsHalf();
  });

  it.each([
    [['export', RUN, '--to', 'html']],
    [['export', RUN, '--to', 'markdown']],
    [['view', RUN]],
    [['view', RUN, '--with', RUN]],
  ])('a copy for others is not left half in the folder for temporary files: %j', async args => {
    mkdirSync(`${disk}/tmp`);
    fill(disk);
    const { finished } = shop.startVenturi([...args, '--out', 'out'], { env: { TMPDIR: `${disk}/tmp` } });
    const { code, stderr } = await finished;
    expect([code, stderr]).toEqual([2, FULL]);
    expect(stderr).toContain('TMPDIR');
    expect(readdirSync(`${disk}/tmp`)).toEqual([]);
    expect(readdirSync(shop.folder)).not.toContain('out');
  });
});
