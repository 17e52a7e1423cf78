import { expect, test } from 'vitest';
import { sharedTotals } from '../books/totals.ts';
import { Ledger, type LedgerParts } from './ledger.ts';

const MS = 1e6;

/** A ledger whose clocks stand until they are moved. */
function open(readingCpu: number) {
  const size = { operators: 1, inputs: 1, outputs: 1 };
  const totals = sharedTotals(size);
  const moments = { wall: 0, cpu: 0 };
  let readings = 0;
  const parts = {
    input: { waited: 0 },
    totals,
    clock: { now: () => moments.wall },
    probe: {
      cpu: () => {
        readings++;
        moments.wall += readingCpu;
        return moments.cpu;
      },
    },
  };
  const ledger = new Ledger(parts as unknown as LedgerParts);
  const piece = (wall: number, cpu: number): void => {
    const before = ledger.beforePiece();
    moments.wall += wall;
    moments.cpu += cpu;
    ledger.chargePiece(100, before);
  };
  return { totals, piece, readings: () => readings };
}

test('a source is charged for all its pieces, though the CPU clock is read around few', () => {
  const { totals, piece, readings } = open(0.02 * MS);
  for (let at = 0; at < 1000; at++) piece(MS, 0.5 * MS);
  expect(readings()).toBeLessThan(100);
  expect(totals.sampledElements[0]).toBe(100_000);
  expect((totals.sampledTime[0] ?? 0) / (500 * MS)).toBeCloseTo(1, 2);
});

test('long pieces among short ones count for what they take, whether they were measured or not', () => {
  const { totals, piece } = open(0.02 * MS);
  for (let at = 0; at < 1000; at++) piece(at % 100 === 50 ? 50 * MS : MS, at % 100 === 50 ? 50 * MS : MS);
  expect((totals.sampledTime[0] ?? 0) / (1490 * MS)).toBeCloseTo(1, 1);
});
