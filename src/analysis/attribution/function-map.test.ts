import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FunctionTable } from '../../model/function-table.ts';
import { FunctionMap, type FunctionUse, mapTable } from './function-map.ts';

const use = (symbol: string, operator: string | undefined, hits = 1, module = 'libc.so.6'): FunctionUse => ({
  symbol,
  module,
  operator,
  hits,
});
const ELAPSED = new Map([
  ['decode', 300],
  ['crop', 100],
]);

describe('a function', () => {
  test('that serves several operators is divided by samples, or by the elapsed times of the operators', () => {
    const uses = [use('memcpy', 'decode', 1), use('memcpy', 'crop', 9)];
    const parts = (rule: 'samples' | 'elapsed') =>
      new FunctionMap(uses, rule, ELAPSED).functions[0]?.owners.map(({ operator, part }) => [operator, part]);
    expect(parts('samples')).toEqual([
      ['decode', 0.1],
      ['crop', 0.9],
    ]);
    expect(parts('elapsed')).toEqual([
      ['decode', 0.75],
      ['crop', 0.25],
    ]);
  });

  test('that serves the rest of the program too is not all given to operators', () => {
    const map = new FunctionMap([use('memcpy', 'decode', 1), use('memcpy', undefined, 3)], 'samples', ELAPSED);
    expect(map.functions[0]?.owners).toEqual([{ operator: 'decode', part: 0.25, hits: 1 }]);
    expect(new FunctionMap([use('gemm', undefined, 3)], 'samples', ELAPSED).functions).toEqual([]);
  });

  test('is found however a profiler writes it', () => {
    const map = new FunctionMap(
      [
        use('update_active.constprop.0', 'decode'),
        use('at::native::add', 'crop', 1, 'libtorch.so'),
        use('[unknown]', 'decode', 1, 'libjpeg.so.62'),
        use('pthread_getspecific@@GLIBC_2.34', 'crop'),
      ],
      'samples',
      ELAPSED,
    );
    const ownerOf = (symbol: string, module: string) => map.find(symbol, module)?.owners[0]?.operator;
    expect(ownerOf('update_active', 'libc.so.6')).toBe('decode');
    expect(ownerOf('at::native::add(at::Tensor const&, int)', 'libtorch.so')).toBe('crop');
    expect(ownerOf('at::native::add', '')).toBe('crop');
    expect(ownerOf('pthread_getspecific', 'libc.so.6')).toBe('crop');
    for (const nameless of ['func@0x12ab', '[libjpeg.so.62]', '0x7f00']) {
      expect(ownerOf(nameless, 'libjpeg.so.62')).toBe('decode');
      expect(ownerOf(nameless, 'libother.so')).toBeUndefined();
    }
    expect(ownerOf('gemm', 'libtorch.so')).toBeUndefined();
  });
});

const TABLE: FunctionTable = {
  metrics: [
    { name: 'CPU Time', kind: 'total' },
    { name: 'Clockticks', kind: 'total' },
    { name: 'CPI Rate', kind: 'ratio' },
  ],
  rows: [
    { symbol: 'decode_mcu', module: 'libjpeg.so', values: [6, 600, 0.5] },
    { symbol: 'memcpy', module: 'libc.so.6', values: [4, 400, 2] },
    { symbol: 'launch', module: 'libcuda.so', values: [10, 1000, 1] },
  ],
};

test('totals are divided, ratios weighed by clock ticks, and what serves no operator stays visible', () => {
  const uses = [use('decode_mcu', 'decode', 5, 'libjpeg.so'), use('memcpy', 'decode', 1), use('memcpy', 'crop', 3)];
  const mapped = mapTable(TABLE, new FunctionMap(uses, 'samples', ELAPSED));
  expect(mapped.operators).toEqual([
    // (0.5·600 + 2·100) / 700
    { operator: 'decode', values: [7, 700, 500 / 700] },
    { operator: 'crop', values: [3, 300, 2] },
  ]);
  expect(mapped).toMatchObject({ mapped: 0.5, shared: 0.2, unmapped: [{ symbol: 'launch', part: 0.5 }] });
});

test('no rule makes or loses anything', () => {
  const hits = fc.array(
    fc.record({
      symbol: fc.constantFrom('a', 'b', 'c'),
      operator: fc.constantFrom('x', 'y', 'z'),
      hits: fc.integer({ min: 1, max: 99 }),
    }),
    { minLength: 1 },
  );
  const times = fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(hits, times, fc.constantFrom('samples' as const, 'elapsed' as const), (drawn, elapsed, rule) => {
      const uses = drawn.map(one => ({ ...one, module: 'm' }));
      const map = new FunctionMap(
        uses,
        rule,
        new Map([
          ['x', elapsed[0] ?? 0],
          ['y', elapsed[1] ?? 0],
          ['z', elapsed[2] ?? 0],
        ]),
      );
      const rows = ['a', 'b', 'c', 'd'].map((symbol, at) => ({ symbol, module: 'm', values: [10 ** at] }));
      const mapped = mapTable({ metrics: [{ name: 'Clockticks', kind: 'total' }], rows }, map);
      const inOperators = mapped.operators.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
      const outside = mapped.unmapped.reduce((sum, { part }) => sum + part * 1111, 0);
      expect(inOperators + outside).toBeCloseTo(1111, 6);
    }),
  );
});
