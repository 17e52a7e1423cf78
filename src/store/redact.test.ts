import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withTraits } from '../model/kind-traits.ts';
import { KIND_OFFSET } from '../model/record.ts';
import { type RunManifest, RunManifestSchema } from '../model/run.ts';
import { openLane } from './lane-writer.ts';
import { redactManifest, redactorOf } from './redact.ts';
import { redactRun } from './redact-run.ts';
import { FACTS, newRun, readAll, START, temporaryFolder } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

/** What must not be found in any byte of a redacted run. */
const SECRETS = [
  '/home/alice',
  'alice',
  'train_model.ts',
  'hunter2secret',
  '/srv/images',
  's3://bucket',
  'C:\\Users',
  'quarterly numbers',
  'My Documents',
  '--data',
];

const operator = (id: string, inputs: string[], more: object = {}) =>
  withTraits({
    id,
    kind: id.split('/').at(-1) ?? id,
    label: id,
    inputs,
    settings: {},
    sequential: false,
    ...more,
  });

const MANIFEST: RunManifest = RunManifestSchema.parse({
  ...FACTS,
  name: '/home/alice/My Documents/run',
  command: ['/home/alice/bin/venturi', 'train_model.ts', '--data', '/srv/images', '--key=hunter2secret', 'files/map'],
  directory: '/home/alice/project',
  parameters: { data: '/srv/images', split: 'validation', key: 'hunter2secret', rate: 3, '/home/alice/x': true },
  settings: { note: 'quarterly numbers', deep: [{ path: 'C:\\Users\\alice' }], workers: 4 },
  graph: {
    operators: [
      operator('files', [], { settings: { pattern: 's3://bucket/a', batch: 8 } }),
      operator('files/map', ['files'], { location: '/home/alice/project/train_model.ts:12:3' }),
      operator('/srv/images/decode', ['files/map'], { location: '../lib/decode.ts:7', kind: 'map' }),
    ],
    channels: [
      { id: 'files/map→/srv/images/decode', from: 'files/map', to: '/srv/images/decode', slots: 2, capacity: 8 },
    ],
    stages: [{ id: 'files', operators: ['files', 'files/map', '/srv/images/decode'], parallelism: 1 }],
    memory: 2 ** 28,
    fingerprint: 'f00d',
  },
  outcome: {
    status: 'failed',
    endedAt: '2025-01-02T03:05:00.000Z',
    monotonic: '9',
    error: { code: 'VENTURI_BAD_RECORD', message: 'quarterly numbers: unexpected token' },
    warnings: ['Lane decode#1: no longer recorded.', 'cannot write /home/alice/My Documents/x'],
  },
});

const found = (bytes: string): string[] => SECRETS.filter(secret => bytes.includes(secret));

describe('a redacted manifest', () => {
  const redacted = redactManifest(MANIFEST);

  test('holds no path, argument or free text', () => {
    expect(found(JSON.stringify(MANIFEST).replaceAll('\\\\', '\\')).sort()).toEqual([...SECRETS].sort());
    expect(found(JSON.stringify(redacted).replaceAll('\\\\', '\\'))).toEqual([]);
    expect(redacted.redacted).toBe(true);
  });

  test('keeps what the analysis rests on', () => {
    expect(RunManifestSchema.parse(redacted)).toEqual(redacted);
    expect(redacted).toMatchObject({
      host: MANIFEST.host,
      start: MANIFEST.start,
      parameters: { split: 'validation', rate: 3 },
      settings: { workers: 4 },
      graph: { fingerprint: 'f00d', stages: [{ parallelism: 1 }] },
      outcome: { status: 'failed', error: { code: 'VENTURI_BAD_RECORD' } },
    });
    expect(redacted.graph?.operators.map(({ id }) => id).slice(0, 2)).toEqual(['files', 'files/map']);
    expect(redacted.graph?.operators[0]?.settings.batch).toBe(8);
    expect(redacted.outcome?.warnings[0]).toBe('Lane decode#1: no longer recorded.');
  });

  test('keeps the numbers that a probe says as facts, and redacts the texts beside them', () => {
    const facts = {
      loader: 'train',
      settings: { num_workers: 2, dataset: 'Images' },
      frame: { file: '/home/alice/a.py' },
    };
    const key = redactorOf(MANIFEST).key(`facts:${JSON.stringify(facts)}`);
    expect(key).not.toContain('alice');
    expect(JSON.parse(key.slice('facts:'.length))).toMatchObject({
      loader: 'train',
      settings: { num_workers: 2, dataset: 'Images' },
    });
    expect(redactorOf(MANIFEST).key('facts:{cut /home/alice')).not.toContain('alice');
  });

  test('gives the same text the same token everywhere', () => {
    const [, , , data] = redacted.command;
    expect(redacted.parameters.data).toBe(data);
    const decode = redacted.graph?.operators[2]?.id ?? '';
    expect(decode).toMatch(/^<path-\d+>$/);
    expect(redacted.graph?.channels[0]?.to).toBe(decode);
    expect(redacted.graph?.memory).toBe(2 ** 28);
    expect(redacted.graph?.stages[0]?.operators[2]).toBe(decode);
    expect(redactManifest(MANIFEST)).toEqual(redacted);
  });

  test('keeps the line, and the file unless it was an argument', () => {
    const [, second, third] = redacted.graph?.operators ?? [];
    expect(second?.location).toMatch(/^<path-\d+>\/<argument-\d+>:12:3$/);
    expect(third?.location).toMatch(/^<path-\d+>\/decode\.ts:7$/);
  });
});

describe('a redacted copy of a run', () => {
  function secretRun() {
    const { graph, outcome, ...early } = MANIFEST;
    const run = newRun(undefined, early);
    const lane = openLane(run.folder, { name: 'worker of /home/alice/project', pid: 1, tid: 2 });
    const keys = ['operator:files/map', 'operator:/srv/images/decode', 'channel:x', 'operator:train_model.ts'];
    for (const key of keys) lane.subjectNumber(key);
    for (let index = 0; index < 60_000; index++) lane.span(1 + (index % 4), index, START + index, index);
    lane.subjectNumber('operator:late /home/alice/late');
    lane.span(5, 1, START, 1);
    lane.close(START + 1);
    run.update({ graph });
    if (outcome !== undefined) run.finish(outcome);
    return { run, file: join(run.folder, 'lanes', `${lane.uuid}.0.lane`) };
  }

  const everyByte = (folder: string): string =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
      .join('\n')
      .replaceAll('\\\\', '\\');

  test('has no secret in any byte, and the same records', () => {
    const { run } = secretRun();
    const folder = redactRun(run.folder, join(temporaryFolder(), 'shared'));
    expect(found(everyByte(folder))).toEqual([]);
    const before = openRun(run.folder);
    const after = openRun(folder);
    expect(after).toMatchObject({ complete: true, problems: [], manifest: { redacted: true } });
    const plain = (record: object) => ({ ...record, subject: undefined, lane: undefined });
    expect(readAll(after).map(plain)).toEqual(readAll(before).map(plain));
    expect(after.lanes[0]?.name).toMatch(/^<path-\d+>$/);
    const decode = after.manifest.graph?.operators[2]?.id;
    const source = after.records();
    for (const _ of source.blocks());
    expect(source.subjects.slice(0, 4)).toEqual(['lane', 'operator:files/map', `operator:${decode}`, 'channel:x']);
  });

  test('leaves out what was never committed, and records it does not know', () => {
    const { run, file } = secretRun();
    const bytes = Buffer.from(readFileSync(file));
    const unknown = 96 + 24 * 2000;
    bytes.write('alice', 64, 'latin1');
    bytes.write('alice', unknown, 'latin1');
    bytes[unknown + KIND_OFFSET] = 99;
    const rest = Buffer.alloc(480);
    rest.write('alice', 100, 'latin1');
    writeFileSync(file, Buffer.concat([bytes, rest]));
    const folder = redactRun(run.folder, join(temporaryFolder(), 'shared'));
    expect(found(everyByte(folder))).toEqual([]);
    expect(readAll(openRun(folder))).toHaveLength(60_001);
  });

  test('does not overwrite a run', () => {
    const { run } = secretRun();
    expect(() => redactRun(run.folder, run.folder)).toThrow(/exists already/);
  });
});
