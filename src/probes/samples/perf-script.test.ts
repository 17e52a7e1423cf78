import { describe, expect, test } from 'vitest';
import { linesOf } from './lines.ts';
import { parsePerfLine } from './perf-script.ts';

/** Lines as perf 6.1 printed them. */
const LINES = {
  plain:
    '18943/18943 22180.981428773:    1001001  cpu-clock:      7f2be83320d6 do_lookup_x (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)',
  kernel:
    '  26329/26331 22180.982429697:    1001001  cpu-clock:  ffffffff815c84a8 vma_interval_tree_insert ([kernel.kallsyms])',
  stripped: '23285/23285 22438.086350876:    2004008 cycles:u:      55a8f3bdf23d [unknown] (/usr/bin/bash)',
  cpp: '23285/23290 22438.086347784:    2004008 cpu-clock:u:      55a8f3bdf23d a::f<void (int)>::operator() (/tmp/p/my prog(1))',
  deleted: '1/2 3.000000004:  5 cpu-clock:  55 run (/tmp/lib.so (deleted))',
  none: '1/2 3.000000004:  5 cpu-clock:  55 [unknown] ([unknown])',
};

const sampleOf = (line: string) => {
  const parsed = parsePerfLine(line);
  return parsed !== undefined && 'sample' in parsed ? parsed.sample : undefined;
};

describe('a line of perf script', () => {
  test('is a sample with thread, moment to the nanosecond, weight, event, symbol and file', () => {
    expect(sampleOf(LINES.plain)).toEqual({
      pid: 18943,
      tid: 18943,
      time: 22_180_981_428_773,
      weight: 1_001_001,
      event: 'cpu-clock',
      symbol: 'do_lookup_x',
      module: 'ld-linux-x86-64.so.2',
    });
    expect(sampleOf(LINES.kernel)).toMatchObject({ pid: 26329, tid: 26331, module: '[kernel.kallsyms]' });
    expect(sampleOf(LINES.stripped)).toMatchObject({ event: 'cycles:u', symbol: '[unknown]', module: 'bash' });
  });

  test('keeps brackets and spaces where they belong', () => {
    expect(sampleOf(LINES.cpp)).toMatchObject({ symbol: 'a::f<void (int)>::operator()', module: 'my prog(1)' });
    expect(sampleOf(LINES.deleted)).toMatchObject({ symbol: 'run', module: 'lib.so' });
    expect(sampleOf('1/2 3.000000004:  5 cpu-clock:  55 [unknown] (/tmp/perf-12.map)')).toMatchObject({
      module: '[jit]',
    });
    expect(sampleOf(LINES.none)).toMatchObject({ symbol: '[unknown]', module: '[unknown]' });
  });

  test('may say how many were lost, or nothing', () => {
    expect(parsePerfLine('1/2 3.000000004: PERF_RECORD_LOST lost 17')).toEqual({ lost: 17 });
    expect(parsePerfLine('1/2 3.000000004: PERF_RECORD_LOST_SAMPLES lost 3')).toEqual({ lost: 3 });
    for (const other of ['', '# captured on: Sun', 'perf: Segmentation fault', '18943/18943 22180.98:']) {
      expect(parsePerfLine(other)).toBeUndefined();
    }
  });
});

test('lines are put together however the pieces are cut', async () => {
  const text = 'one\ntwo\n\nfour';
  for (let size = 1; size <= text.length; size++) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    const lines: string[] = [];
    for await (const line of linesOf(pieces)) lines.push(line);
    expect(lines).toEqual(['one', 'two', '', 'four']);
  }
});
