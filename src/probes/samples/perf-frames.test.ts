import { expect, test } from 'vitest';
import { JitTable } from './jit-table.ts';
import { PerfFrames } from './perf-frames.ts';
import { type PerfStack, PerfStacks } from './perf-stacks.ts';

/** As perf 6.1 printed it, of a worker thread. */
const PRINTED = `
21945/22081  2039.543276965:    1001001   cpu-clock:                0
	         1084b50 __memmove_avx512_unaligned_erms (/usr/lib/x86_64-linux-gnu/libc.so.6)
	         1200a10 v8::internal::String::WriteToFlat<unsigned char> (/usr/bin/node)
	            1011 [unknown] (/tmp/perf-21945.map)

21945/22081  2039.544276965:          3 cache-misses:u:     7f0011223344
	            1008 [unknown] (/tmp/perf-21945.map)

21945/22081  2039.545276965:    1001001   cpu-clock:                0
	          c00000 v8::internal::Scavenger::ScavengeObject (/usr/bin/node)
	            1011 [unknown] (/tmp/perf-21945.map)
`;

const stacks = (printed = PRINTED): PerfStack[] => {
  const reader = new PerfStacks();
  return [...printed.split('\n').map(line => reader.line(line)), reader.end()].flatMap(stack => stack ?? []);
};

test('reads samples with their stacks and the addresses of data', () => {
  const [first, second] = stacks();
  expect(first?.frames.map(({ symbol, module }) => [symbol, module])).toEqual([
    ['__memmove_avx512_unaligned_erms', 'libc.so.6'],
    ['v8::internal::String::WriteToFlat<unsigned char>', 'node'],
    ['[unknown]', '[jit]'],
  ]);
  expect(second).toMatchObject({ event: 'cache-misses:u', weight: 3, address: 0x7f0011223344 });
});

test('reads samples that say what lies at the address of data', () => {
  const found = stacks(`
 1132/1167  1286.245178322:          1 page-faults:     7ffefd256510 [unknown] ([stack])
	ffffffff821ec693 __put_user_nocheck_4 ([kernel.kallsyms])

 1132/1167  1286.245249153:          7 page-faults:         14ffb5a8 v8::internal::(anonymous namespace)::table (/usr/bin/node (deleted))
	           98105 _int_malloc (/usr/lib/x86_64-linux-gnu/libc.so.6)
`);
  expect(found.map(({ event, weight, address, frames }) => [event, weight, address, frames.length])).toEqual([
    ['page-faults', 1, 0x7ffefd256510, 1],
    ['page-faults', 7, 0x14ffb5a8, 1],
  ]);
});

test('a native function belongs to the line that called it, collection to nobody', () => {
  const name = 'JS:*pipeline0 venturi:q:16777217:20';
  const code = { name, start: 0x1000, size: 64, since: 0, addresses: [0x1000, 0x1010], lines: [16777218, 16777219] };
  const frames = new PerfFrames(new JitTable([code]), ['cpu-clock', 'cache-misses'], url => url);
  for (const stack of stacks()) frames.add(stack);
  const [piece] = frames.rest();
  expect(piece).toEqual({
    tid: 22081,
    frames: [
      [1, 0, 'pipeline0', 'venturi:q', 16777216, 19],
      [2, 0, '(garbage collector)', '', 0, 0],
    ],
    natives: [
      ['__memmove_avx512_unaligned_erms', 'libc.so.6'],
      ['v8::internal::Scavenger::ScavengeObject', 'node'],
    ],
    samples: [
      // The address behind a call is the caller's: the call itself is on the line before it, up to the last byte.
      [2039543276965, 1, 16777219, 0, 0, 1001001, 0],
      [2039544276965, 1, 16777218, -1, 1, 3, 0x7f0011223344],
      [2039545276965, 2, 0, 1, 0, 1001001, 0],
    ],
  });
});
