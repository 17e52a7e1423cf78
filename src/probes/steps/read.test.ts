import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readSteps, readStepsTogether } from './read.ts';
import { stepFiles } from './recognise.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-steps-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const tensorflow = (name: string): Uint8Array => readFileSync(new URL(`tensorflow/golden/${name}`, import.meta.url));

const steps = JSON.stringify({
  format: 'venturi-steps',
  version: 1,
  resources: [{ name: 'thread', kind: 'host' }],
  steps: [{ number: 0, start: 0, duration: 5 }],
  ops: [{ name: 'op', resource: 0, start: 0, duration: 5, step: 0 }],
});
const kineto = JSON.stringify({
  deviceProperties: [],
  traceEvents: [{ ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 1, dur: 2, args: {} }],
});
const chakraGraph = JSON.stringify({ workload_graph: [{ Id: 1, Name: 'a', NodeType: 4, runtime: 3 }] });
const chakraMessages = '{"version": "1"}\n{"id": "1", "name": "a", "type": "COMP_NODE", "durationMicros": "3"}';
/** Metadata with a version, then a node with an id, a name, a type and a duration. */
const chakra = Uint8Array.from([3, 0x0a, 1, 0x31, 9, 0x08, 1, 0x12, 1, 0x61, 0x18, 4, 0x38, 3]);
const executionTrace = JSON.stringify({ schema: '1.1.1', nodes: [{ id: 1, name: 'a', ctrl_deps: 1 }] });

describe('files are recognised by their content', () => {
  it.each([
    ['steps.txt', steps, 'steps'],
    ['marked.json', `\ufeff${steps}`, 'steps'],
    ['trace.pb', kineto, 'kineto'],
    ['marked-trace.json', `\ufeff${kineto}`, 'kineto'],
    ['wide.json', Buffer.from(`\ufeff${steps}`, 'utf16le'), 'steps'],
    ['wide-trace.json', Buffer.from(`\ufeff${kineto}`, 'utf16le').swap16(), 'kineto'],
    ['a.json', tensorflow('step-0.pb'), 'tensorflow'],
    ['stats.json', tensorflow('step-0.pb').subarray(3), 'tensorflow'],
    ['b.json', tensorflow('step-0.pbtxt'), 'tensorflow'],
    ['c.pbtxt', `# saved by hand\n${Buffer.from(tensorflow('step-0.pbtxt'))}`, 'tensorflow'],
    ['d.pb', tensorflow('step-0.timeline.json'), 'tensorflow'],
    ['e.json', chakra, 'chakra'],
    ['f.et', chakraGraph, 'chakra'],
    ['g.et', chakraMessages, 'chakra'],
  ])('%s', async (name, content, source) => {
    const path = file(name, content);
    expect((await readSteps(path)).source).toBe(source);
    expect(stepFiles(path)).toEqual([path]);
    for (const packed of [gzipSync(content), gzipSync(gzipSync(content))]) {
      const within = file(`${name}.packed`, packed);
      expect((await readSteps(within)).source).toBe(source);
      expect(stepFiles(within)).toEqual([within]);
    }
  });

  it('not where they are packed more than twice, or cut within', async () => {
    const thrice = file('thrice.json.gz', gzipSync(gzipSync(gzipSync(kineto))));
    await expect(readSteps(thrice)).rejects.toThrow(/thrice\.json\.gz .* it is packed with gzip more than 2 times/);
    const whole = gzipSync(kineto);
    for (const packed of [gzipSync(whole).subarray(0, -20), gzipSync(whole.subarray(0, -20))]) {
      await expect(readSteps(file('cut.json.gz', packed))).rejects.toThrow(/in the middle of its compressed data/);
    }
  });

  it.each([
    ['empty.json', '', 'it is empty'],
    ['notes.txt', 'a text about training', 'it is none of: a trace as docs/steps.md describes it; TensorFlow'],
    ['list.json', '[1, 2, 3]', 'it is none of'],
    ['random.bin', Uint8Array.from({ length: 100 }, (_, at) => (at * 37) % 256), 'it is none of'],
    ['et.json', executionTrace, 'is an execution trace of PyTorch, which has no times'],
  ])('%s is refused', async (name, content, why) => {
    const path = file(name, content);
    const error: unknown = await readSteps(path).catch((each: unknown) => each);
    expect(error).toMatchObject({ name: 'VenturiError', message: expect.stringContaining(path) });
    expect(error).toMatchObject({ message: expect.stringContaining(why), remedy: expect.stringMatching(/./) });
  });
});

it('takes the rank of a Chakra trace from its name', async () => {
  const ranks = async (path: string): Promise<number | undefined> => (await readSteps(path)).ranks[0]?.rank;
  expect(await ranks(file('job.3.et', chakra))).toBe(3);
  expect(await ranks(file('job.12.json.gz', gzipSync(chakraGraph)))).toBe(12);
  expect(await ranks(file('job-3.et', chakra))).toBe(0);
});

it('reads files of one run together where each is a step', async () => {
  const [first, second] = [file('0.pb', tensorflow('step-0.pb')), file('1.pb', tensorflow('step-1.pb'))];
  expect((await readStepsTogether([second, first]))?.steps).toHaveLength(2);
  expect(await readStepsTogether([first, file('text.pbtxt', tensorflow('step-0.pbtxt'))])).toBeUndefined();
  expect(await readStepsTogether([file('rank0.json', kineto), file('rank1.json', kineto)])).toBeUndefined();
});
