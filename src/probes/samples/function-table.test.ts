import { describe, expect, test } from 'vitest';
import { ticksOf } from '../../model/function-table.ts';
import { parseFunctionTable } from './function-table.ts';

/** As `vtune -report hotspots -format csv -csv-delimiter comma` heads its lines. */
const VTUNE = `Function,CPU Time,CPU Time:Effective Time,Module,Function (Full),Source File,Start Address
decode_mcu,12.345s,12.0s,libjpeg.so.9,decode_mcu,[Unknown],0x1000
"std::map<int, float>::find",0.010s,0.010s,libfoo.so,"std::map<int, float>::find(int const&)",map.h,0x2000
`;
/** As the window of microarchitecture exploration is copied: parted by tabs, with shares. */
const COPIED = `Source Function / Function / Call Stack\tCPU Time\tClockticks\tInstructions Retired\tCPI Rate\tRetiring\tFront-End Bound\tAverage CPU Frequency\tModule
jpeg_idct_islow\t1.5s\t4,800,000,000\t9,600,000,000\t0.500\t61.5%\t12.0%\t3.4 GHz\t[Unknown]
__memset_avx2_unaligned_erms\t0.5s\t1,600,000,000\t800,000,000\t2.000\t10.0%\t\t3.2 GHz\t[Unknown]
`;
/** A report of AMDuProfCLI: several tables, of which one is ours. */
const UPROF = `"AMD uProf (Version:4.0.341.0)"
PERFORMANCE ANALYSIS REPORT

EXECUTION
Target Path:,"/usr/bin/python"

"100 HOTTEST PROCESSES (Sort Event - CYCLES_NOT_IN_HALT)"
PROCESS,CYCLES_NOT_IN_HALT,RETIRED_INST
"python (PID - 12)",900,1800

"100 HOTTEST FUNCTIONS (Sort Event - CYCLES_NOT_IN_HALT)"
FUNCTION,CYCLES_NOT_IN_HALT,RETIRED_INST,CPI,Module
"ImagingResampleHorizontal_8bpc",500,1000,0.5,"/usr/lib/python3/_imaging.so"
"process_data_simple_main",400,800,0.5,"/usr/lib/libjpeg.so.9"

SOMETHING ELSE
FUNCTION,X
"no",1
`;

describe('a table of functions', () => {
  test('of VTune is read, with times in seconds and quoted names', () => {
    expect(parseFunctionTable(VTUNE, 'v.csv')).toEqual({
      metrics: [
        { name: 'CPU Time', kind: 'total' },
        { name: 'CPU Time:Effective Time', kind: 'total' },
      ],
      rows: [
        { symbol: 'decode_mcu', module: 'libjpeg.so.9', values: [12.345, 12] },
        { symbol: 'std::map<int, float>::find', module: 'libfoo.so', values: [0.01, 0.01] },
      ],
    });
  });

  test('copied from its window tells totals from ratios', () => {
    const table = parseFunctionTable(COPIED, 'v.tsv');
    expect(table.metrics.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'CPU Time: total',
      'Clockticks: total',
      'Instructions Retired: total',
      'CPI Rate: ratio',
      'Retiring: ratio',
      'Front-End Bound: ratio',
      'Average CPU Frequency: ratio',
    ]);
    expect(table.rows[0]?.values).toEqual([1.5, 4.8e9, 9.6e9, 0.5, 0.615, 0.12, 3.4e9]);
    expect(table.rows[1]?.values[5]).toBeNaN();
    expect(table.rows[1]?.module).toBe('');
    expect(ticksOf(table)).toBe(1);
  });

  test('of uProf is the one of the hottest functions', () => {
    const table = parseFunctionTable(UPROF, 'u.csv');
    expect(table.rows).toEqual([
      { symbol: 'ImagingResampleHorizontal_8bpc', module: '_imaging.so', values: [500, 1000, 0.5] },
      { symbol: 'process_data_simple_main', module: 'libjpeg.so.9', values: [400, 800, 0.5] },
    ]);
    expect(table.metrics[2]).toEqual({ name: 'CPI', kind: 'ratio' });
    expect(ticksOf(table)).toBe(0);
  });

  test('is refused where there is none', () => {
    expect(() => parseFunctionTable('a,b\n1,2\n', 'x.csv')).toThrow("no line has a column 'Function'");
  });
});
