import { readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { JitTable } from '../../samples/jit-table.ts';
import { readJitDump } from '../../samples/jitdump.ts';
import { JitLog } from './jit-log.ts';

/** Compiled by every tier, with lines that begin where the engine's do. */
const BUSY = `
  const { Script } = require('node:vm');
  const busy = new Script('(function busy(n) {\\n  let y = 0;\\n  for (let k = 0; k < n; k++)\\n    y = (Math.imul(y, 31) + k) | 0;\\n  return y;\\n})', { filename: 'venturi:busy', lineOffset: 16777216 }).runInThisContext();
  for (let turn = 0; turn < 3000; turn++) busy(10000);
`;

it.skipIf(process.platform !== 'linux')(
  'knows the code of threads that start after it, by function and line, and leaves no file (skipped where this is no Linux)',
  async () => {
    const log = await JitLog.begin();
    expect(log).toBeDefined();
    const worker = new Worker(BUSY, { eval: true });
    await new Promise((resolve, reject) => {
      worker.once('exit', resolve);
      worker.once('error', reject);
    });
    const bytes = (await log?.end()) ?? new Uint8Array();
    const dump = readJitDump(bytes);
    expect(dump?.unread).toBe(0);
    const codes = dump?.codes.filter(({ name, lines }) => name.includes('busy venturi:busy') && lines.length > 0) ?? [];
    expect(codes.length).toBeGreaterThan(0);
    const table = new JitTable(dump?.codes ?? []);
    for (const { start, size, since, addresses, lines } of codes) {
      expect(table.placeOf(start, since)).toMatchObject({ name: 'busy', file: 'venturi:busy', firstLine: 16777217 });
      for (const address of addresses) expect(address >= start && address <= start + size).toBe(true);
      for (const line of lines) expect(line >= 16777217 && line <= 16777223).toBe(true);
    }
    expect(readdirSync('.').filter(name => /^jit-\d+\.dump$/.test(name))).toEqual([]);
  },
);
