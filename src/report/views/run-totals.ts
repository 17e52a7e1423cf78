import type { OperatorRow } from '../../analysis/rates/rows.ts';
import { machineOf } from '../../model/host.ts';
import { byteSize, count, decimal, percent, preciseTime } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { Fact, FactsBlock } from '../tree.ts';

/** Totals of the run. The engine's overhead and the CPU outside the lanes are always shown. */
export function totalFacts({ totals, manifest, seconds, operators, batches }: RunInfo): FactsBlock {
  const coresOf = (ns: number): string => (seconds > 0 ? `${decimal(ns / (seconds * 1e9))} cores` : '');
  const engine: Fact[] = [
    { label: 'CPU in lanes', value: preciseTime(totals.laneCpu), note: coresOf(totals.laneCpu) },
    {
      label: 'engine overhead',
      value: preciseTime(totals.overheadCpu),
      note: totals.laneCpu > 0 ? `${percent(totals.overheadCpu / totals.laneCpu)} of the CPU in lanes` : '',
    },
    {
      label: 'process CPU outside lanes',
      value: totals.outsideLanesCpu === undefined ? 'unknown' : preciseTime(totals.outsideLanesCpu),
      note: 'garbage collector, compiler, main thread',
    },
  ];
  const items: (Fact | undefined)[] = [
    ...(batches === undefined
      ? engine
      : [{ label: 'CPU', value: preciseTime(totals.processCpu), note: 'of all processes that consume or prepare' }]),
    size('peak memory', totals.peakResident, batches === undefined ? undefined : 'of the largest process'),
    size('bytes requested', totals.storageAsked, 'by read calls of the process'),
    size('bytes from device', totals.storageRead, 'the rest came from the page cache'),
    randomNumbers(operators),
    totals.hostCpuBusy === undefined
      ? undefined
      : {
          label: 'machine busy',
          value: preciseTime(totals.hostCpuBusy),
          note: `${coresOf(totals.hostCpuBusy)} of ${decimal(machineOf(manifest).coresPresent)}, other programs included`,
        },
    size('machine read from disks', totals.diskRead, 'other programs included'),
    size('machine received', totals.networkIn, 'from the network, other programs included'),
  ];
  return { type: 'facts', items: items.filter(item => item !== undefined) };
}

/** Operators that drew random numbers; numbers from the runtime do not follow the seed. */
function randomNumbers(operators: readonly OperatorRow[]): Fact | undefined {
  const known = operators.filter(({ ambientDraws }) => ambientDraws !== undefined);
  if (known.length === 0) return undefined;
  const drawn = ({ keyedDraws = 0, ambientDraws = 0 }: OperatorRow): number => keyedDraws + ambientDraws;
  const random = known.filter(row => drawn(row) > 0);
  if (random.length === 0) return { label: 'random numbers', value: 'none drawn' };
  const names = random.map(row => `${row.label} ${(row.ambientDraws ?? 0) > 0 ? 'outside the seed' : 'by the seed'}`);
  return {
    label: 'random numbers',
    value: count(random.reduce((sum, row) => sum + drawn(row), 0)),
    note: names.join(', '),
  };
}

function size(label: string, value: number | undefined, note?: string): Fact | undefined {
  if (value === undefined) return undefined;
  return { label, value: byteSize(value), note };
}
