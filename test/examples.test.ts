import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { afterAll, describe, expect } from 'vitest';
import type { Labelled } from '../examples/pipelines/parts/scene.ts';
import type { Masked } from '../examples/pipelines/parts/tokens.ts';
import { tokensOf } from '../examples/pipelines/parts/tokens.ts';
import type { RunOptions } from '../src/engine/index.ts';
import type { Graph } from '../src/model/graph.ts';
import { diagnose } from '../src/workflow/index.ts';
import { deep, quick as it, quickIf } from './fixtures/depth-tests.ts';

const PIPELINES = fileURLToPath(new URL('../examples/pipelines/', import.meta.url));
const COLLECT = fileURLToPath(new URL('./fixtures/collect.mjs', import.meta.url));
const names = readdirSync(PIPELINES).flatMap(file => (file.endsWith('.ts') ? [file.slice(0, -3)] : []));

/** One folder for the data of all of them. */
const folder = mkdtempSync(join(tmpdir(), 'venturi-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Collected<T> {
  readonly elements: T[];
  readonly graph: Graph;
}

let collected = 0;

async function collect<T>(name: string, options: RunOptions, recording: readonly string[] = []): Promise<Collected<T>> {
  const into = join(folder, `elements-${collected++}`);
  const given = JSON.stringify({ ...options, params: { folder, ...options.params } });
  await promisify(execFile)(process.execPath, [COLLECT, join(PIPELINES, `${name}.ts`), given, into, ...recording]);
  return deserialize(readFileSync(into));
}

const elementsOf = async <T>(name: string, options: RunOptions = {}): Promise<T[]> =>
  (await collect<T>(name, { ...options, params: { ...SMALL[name], ...options.params } })).elements;

const SMALL: Readonly<Record<string, Record<string, unknown>>> = {
  images: { images: 6, batch: 4 },
  'images-fused': { images: 6, batch: 4 },
  'slow-storage': { images: 6, batch: 4, bandwidth: 1e9, latency: 0.1 },
  detection: { scenes: 6, batch: 4 },
  'packed-text': { sentences: 400, batch: 8 },
  translation: { pairs: 400, batch: 16 },
  tabular: { rows: 1000, batch: 10 },
  ocr: { pages: 4 },
};

describe('every example', () => {
  it('is tested', () => {
    expect(Object.keys(SMALL).sort()).toEqual(names.sort());
  });

  it.each(names)('%s begins without lanes to spare: tuning has something to do', async name => {
    const { graph } = await collect(name, { params: SMALL[name] ?? {} });
    const { stages, operators } = graph;
    expect(stages.map(({ parallelism }) => parallelism)).toEqual(stages.map(() => 1));
    expect(operators.filter(({ removable, cache }) => removable === true || cache !== undefined)).toEqual([]);
  });
});

describe('images', () => {
  it('gives tensors of the right size, other ones in another epoch', async () => {
    const batches = await elementsOf<Float32Array[]>('images', { epochs: 2 });
    expect(batches.map(batch => batch.length)).toEqual([4, 2, 4, 2]);
    expect(batches.flat().every(tensor => tensor.length === 3 * 160 * 160)).toBe(true);
    expect(batches[0]).not.toEqual(batches[2]);
  });

  deep('is the same to the last bit when decoding and cropping are one step, and at any parallelism', async () => {
    const apart = await elementsOf('images');
    expect(await elementsOf('images-fused')).toEqual(apart);
    const set = { crop: { parallelism: 2 }, normalise: { parallelism: 3 } };
    expect(await elementsOf('images-fused', { set })).toEqual(apart);
  });

  deep('come from slow storage as from the local disk', async () => {
    const local = await elementsOf('slow-storage', { params: { bandwidth: 0 } });
    expect(await elementsOf('slow-storage')).toEqual(local);
  });
});

describe('detection', () => {
  it('has a box around every object, which stays around it when the image is mirrored', async () => {
    const scenes = (await elementsOf<Labelled[]>('detection')).flat();
    const later = (await elementsOf<Labelled[]>('detection', { seed: 1 })).flat();
    expect(scenes).toHaveLength(6);
    const mirrored = scenes.filter(({ boxes }, at) => boxes[0]?.[0] !== later[at]?.boxes[0]?.[0]);
    expect(mirrored.length).toBeGreaterThan(0);
    for (const [at, { boxes }] of scenes.entries()) {
      expect(boxes.length).toBeGreaterThan(0);
      for (const [left, top, right, bottom] of boxes) {
        expect(0 <= left && left < right && right <= 320 && 0 <= top && top < bottom && bottom <= 240).toBe(true);
      }
      const sizes = boxes.map(([left, top, right, bottom]) => [right - left, top, bottom]);
      expect(later[at]?.boxes.map(([left, top, right, bottom]) => [right - left, top, bottom])).toEqual(sizes);
    }
  });
});

describe('packed-text', () => {
  it('loses no token before the last sequence, and says what it hid', async () => {
    const sequences = (await elementsOf<Masked[]>('packed-text')).flat();
    const text = readFileSync(join(folder, 'prose-400/text.txt'), 'utf8').trimEnd().split('\n');
    const tokens = text.flatMap(line => [...tokensOf(line)]);
    const shown = sequences.flatMap(sequence => [...sequence.tokens]);
    const answers = sequences.flatMap(sequence => [...sequence.answers]);
    const restored = shown.map((token, at) => (answers[at] === -1 ? token : answers[at]));
    expect(sequences.length).toBe(Math.floor(tokens.length / 128));
    expect(restored).toEqual(tokens.slice(0, 128 * sequences.length));
    const hidden = answers.filter(answer => answer !== -1).length / answers.length;
    expect(hidden).toBeGreaterThan(0.12);
    expect(hidden).toBeLessThan(0.18);
    expect(shown).not.toEqual(restored);
  });
});

describe('translation', () => {
  it('keeps the pairs that belong together, and pads them to the longest of their batch', async () => {
    interface Padded {
      readonly source: Int32Array;
      readonly target: Int32Array;
      readonly pairs: number;
    }
    const batches = await elementsOf<Padded>('translation');
    const lengths = ['source', 'target'].map(side =>
      readFileSync(join(folder, `translations-400/${side}.txt`), 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => tokensOf(line).length),
    );
    const [source = [], target = []] = lengths;
    const belong = source.filter((length, at) => {
      const other = target[at] ?? 0;
      return other <= 2 * length && length <= 2 * other;
    });
    expect(belong.length).toBeLessThan(400);
    expect(batches.reduce((sum, { pairs }) => sum + pairs, 0)).toBe(belong.length);
    const tokens = batches.reduce((sum, batch) => sum + batch.source.filter(token => token !== 0).length, 0);
    expect(tokens).toBe(belong.reduce((sum, length) => sum + length, 0));
    for (const { source: rows, target: others, pairs } of batches) {
      expect(pairs).toBeLessThanOrEqual(16);
      expect([rows.length % pairs, others.length % pairs]).toEqual([0, 0]);
    }
  });
});

describe('tabular', () => {
  it('keeps what was returned', async () => {
    const rows = (await elementsOf<Float32Array[]>('tabular')).flat();
    const returned = readFileSync(join(folder, 'orders-1000/orders.csv'), 'utf8').match(/,returned,/g) ?? [];
    expect(rows).toHaveLength(returned.length);
    expect(rows.every(row => row.length === 37 && row.every(Number.isFinite))).toBe(true);
  });
});

describe('ocr', () => {
  it('reads what was written, into an index and a PDF for every page', async () => {
    const output = join(folder, 'searchable');
    expect(await elementsOf('ocr', { params: { output } })).toEqual([]);
    const index = readFileSync(join(output, 'index.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(index).toHaveLength(4);
    for (const { name, words } of index) {
      const text = readFileSync(join(folder, `pages-4/${name}.txt`), 'utf8');
      const counts: Record<string, number> = {};
      for (const word of text.split(/\s+/)) counts[word] = (counts[word] ?? 0) + 1;
      expect(words).toEqual(counts);
      const pdf = readFileSync(join(output, `${name}.pdf`), 'latin1');
      const [, table] = /startxref\n(\d+)\n%%EOF\n$/.exec(pdf) ?? [];
      expect(pdf.slice(Number(table), Number(table) + 5)).toBe('xref\n');
      expect(pdf).toContain(`(${text.split('\n')[0]}) '`);
    }
  });

  deep('is limited by the OCR with one instance of each, on the engine', async () => {
    const path = join(folder, 'ocr.venturi');
    await collect('ocr', { params: { pages: 40, output: join(folder, 'searchable') }, epochs: 3 }, [path]);
    const { verdict, others } = await diagnose(path, { root: 'pdf-writer' });
    // Where other programs have the cores, that is the verdict, and this stands beside it.
    expect([verdict, ...others]).toContainEqual(expect.objectContaining({ kind: 'cpu-bound', operators: ['ocr'] }));
  });

  const hasTesseract = (): boolean => {
    try {
      return createRequire(PIPELINES).resolve('tesseract.js') !== '';
    } catch {
      return false;
    }
  };

  quickIf(!hasTesseract())('says how to get a real engine where there is none', async () => {
    await expect(elementsOf('ocr', { params: { engine: 'tesseract' } })).rejects.toThrow('npm install tesseract.js');
  });
});
