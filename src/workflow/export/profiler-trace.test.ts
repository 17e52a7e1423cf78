import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { mergedTrace, openProfilerTrace } from './profiler-trace.ts';

function file(name: string, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function* own(): AsyncGenerator<string, void, undefined> {
  yield '{"ph":"X","name":"ours"}';
  yield '{"ph":"X","name":"too"}';
}

async function merged(path: string, events = own): Promise<unknown> {
  let text = '';
  for await (const piece of mergedTrace(await openProfilerTrace(path), events)) text += piece.toString();
  return JSON.parse(text);
}

const OURS = [
  { ph: 'X', name: 'ours' },
  { ph: 'X', name: 'too' },
];
/** The key may stand anywhere, also where it is none. */
const TRACE = {
  schemaVersion: 1,
  note: 'not a "traceEvents": [ at all',
  deviceProperties: [{ traceEvents: [{ id: 0 }] }],
  traceEvents: [{ ph: 'X', name: 'aten::mm "quoted\\"', ts: 12.345 }],
  displayTimeUnit: 'ms',
  baseTimeNanoseconds: 1_719_853_884_000_000_000,
};

test.each([
  ['trace.json', (text: string): string | Buffer => text],
  ['trace.json.gz', (text: string): string | Buffer => gzipSync(text)],
])('events are put before those of %s, which is left as it was', async (name, pack) => {
  for (const spaces of [0, 2]) {
    const path = file(name, pack(JSON.stringify(TRACE, undefined, spaces)));
    expect(await merged(path)).toEqual({ ...TRACE, traceEvents: [...OURS, ...TRACE.traceEvents] });
  }
});

test('a trace may be empty, or a bare list', async () => {
  expect(await merged(file('t.json', '{"traceEvents": [ \n ] }'))).toEqual({ traceEvents: OURS });
  expect(await merged(file('t.json', '[{"ph":"M"}]'))).toEqual([...OURS, { ph: 'M' }]);
  const none = async function* (): AsyncGenerator<string, void, undefined> {};
  expect(await merged(file('t.json', '[{"ph":"M"}]'), none)).toEqual([{ ph: 'M' }]);
});

test('its clock is read from either end', async () => {
  expect(await openProfilerTrace(file('t.json', JSON.stringify(TRACE)))).toMatchObject({
    baseNs: 1_719_853_884_000_000_000n,
    firstNs: 1_719_853_884_000_012_345n,
  });
  const old = { traceEvents: [{ ts: 1_695_835_542_481_129 }] };
  expect(await openProfilerTrace(file('t.json', JSON.stringify(old)))).toMatchObject({
    baseNs: 0n,
    firstNs: 1_695_835_542_481_129_000n,
  });
});

test('what is no trace is refused', async () => {
  await expect(merged(file('t.json', '{"events": 1}'))).rejects.toThrow('it has no list of traceEvents');
  await expect(merged('/nonexistent.json')).rejects.toMatchObject({ code: 'VENTURI_SAMPLES_UNREADABLE' });
  await expect(merged(file('t.json.gz', 'not gzip'))).rejects.toMatchObject({ code: 'VENTURI_SAMPLES_UNREADABLE' });
});
