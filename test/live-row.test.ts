import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { torchNeeded, torchPython } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { CLI, Workshop } from './fixtures/workshop.ts';

const TERMINAL = fileURLToPath(new URL('./fixtures/terminal.py', import.meta.url));
const SHOWN = fileURLToPath(new URL('./fixtures/shown.py', import.meta.url));

const ESCAPE = String.fromCharCode(27);
/** What is written into the last row, and the taking of it. */
const ROW = new RegExp(`(${ESCAPE}D${ESCAPE}\\[1A)?${ESCAPE}7[^]*?${ESCAPE}8`, 'g');
const LINE = /venturi: train_loader {2}[\d.k ]+ batches {2}[\d.k ]+\/s {2}waits [\d.]+ %/;

describe.skipIf(torchPython === undefined)(`venturi record --live${torchNeeded}`, { timeout: PATIENCE }, () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());
  const python = torchPython ?? 'python3';

  it('shows what the loader does below what the program writes, and changes nothing of it', async () => {
    const stop = workshop.path('stop');
    const record = [
      process.execPath,
      CLI,
      'record',
      '--live',
      '--no-costs',
      '--out',
      'live',
      '--',
      python,
      SHOWN,
      stop,
    ];
    const shown = workshop.start(python, [TERMINAL, ...record]);
    shown.child.stdout?.on('data', () => {
      if (LINE.test(shown.stdout)) writeFileSync(stop, '');
    });
    const live = await shown.finished;
    const bare = await workshop.start(python, [TERMINAL, python, SHOWN, stop]).finished;
    expect(live.stdout).toMatch(LINE);
    expect(live.code).toBe(bare.code);
    const written = live.stdout.replace(ROW, '');
    expect(written.slice(0, bare.stdout.length)).toBe(bare.stdout);
    expect(written.slice(bare.stdout.length)).toMatch(/^live: [^\r\n]+\r\nrecorded in live.venturi[^\r\n]+\r\n$/);
    // All rows scroll again, and the last is empty.
    expect(live.stdout.match(ROW)?.at(-1)).toBe(`${ESCAPE}7${ESCAPE}[r${ESCAPE}[12;1H${ESCAPE}[K${ESCAPE}8`);
  });
});
