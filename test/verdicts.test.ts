import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { planted } from '../bench/verdicts/planted.mjs';
import { ocrJob } from '../bench/virtual/ocr.mjs';
import { runVirtually, type VirtualDescription } from '../bench/virtual/pipeline.mjs';
import type { FindingKind } from '../src/findings/registry.ts';
import { METRICS } from '../src/model/metric.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import {
  type AnalyseOptions,
  compareRuns,
  diagnose,
  diagnoseFleet,
  type PipelineDiagnosis,
  predict,
} from '../src/workflow/index.ts';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-verdicts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const record = (path: string, description: VirtualDescription) =>
  runVirtually(path, description, { VirtualClock, Line, createRun, openLane, METRICS });

async function judge(description: VirtualDescription, options: AnalyseOptions = {}): Promise<PipelineDiagnosis> {
  return diagnose(record(join(scratch(), 'run'), description).folder, options);
}

const placesOf = ({ segments }: PipelineDiagnosis): string[] => [
  ...new Set(segments.map(({ place }) => place ?? 'none')),
];

describe('the job of the dag-bottlenecks paper, in virtual time', () => {
  test.each([
    [1, 1, 1, ['vertex:ocr']],
    [3, 1, 1, ['vertex:ocr']],
    [4, 1, 1, ['vertex:pdf']],
    [16, 4, 1, ['vertex:pdf', 'channel:reader → ocr']],
    [16, 5, 1, ['channel:reader → ocr']],
  ] as const)('%i OCR, %i PDF, %i index', async (ocr, pdf, index, expected) => {
    for (const seed of [1, 2, 3]) {
      const job = ocrJob({ ocr, pdf, index, documents: 400, seed });
      const diagnosis = await judge(job, { root: 'pdf-writer' });
      const places = placesOf(diagnosis);
      expect(expected).toContain(places[0]);
      // No flapping: the verdict is the same from the first window to the last.
      expect(places).toHaveLength(1);
    }
  });

  test('the branch that is not counted does not become the root', async () => {
    const diagnosis = await judge(ocrJob({ ocr: 3, pdf: 1, index: 1, documents: 100 }), { root: 'index-writer' });
    expect(diagnosis.root).toBe('index-writer');
  });
});

const KINDS: readonly FindingKind[] = [
  'consumer-bound',
  'cpu-bound',
  'sequential-operator',
  'io-latency',
  'io-bandwidth',
  'io-parallelism',
  'channel-bound',
  'cache-too-large',
  'shuffle-warm-up',
  'small-operators',
  'own-threads',
  'skewed-lanes',
  'oversubscribed-cores',
  'container-quota',
  'short-recording',
];

describe('a planted bottleneck', () => {
  test.each(KINDS)('%s is named, with its operator', async kind => {
    const { description, operators } = planted(kind, 77);
    const { verdict } = await judge(description);
    expect(verdict.kind).toBe(kind);
    if (operators.length > 0 && !operators.includes('any')) {
      expect(operators).toEqual(expect.arrayContaining([verdict.operators[0]]));
    }
  });

  test('is the same whatever its operators are called', async () => {
    const { description } = planted('shuffle-warm-up', 77);
    const stages = description.stages as { readonly operators: readonly object[] }[];
    const renamed = stages.map(stage => ({
      ...stage,
      operators: stage.operators.map(operator => ({ ...operator, kind: 'unheard-of' })),
    }));
    const { verdict } = await judge({ ...description, stages: renamed });
    expect(verdict.kind).toBe('shuffle-warm-up');
  });
});

const chain = (lanes: number, cpu: number, cores = 8): VirtualDescription => ({
  cores,
  seconds: 30,
  consumer: { step: 0.001 },
  stages: [
    { id: 'source', lanes: 1, operators: [{ id: 'source', kind: 'range', sequential: true, cpu: 1e-4 }] },
    { id: 'decode', lanes, inputs: ['source'], operators: [{ id: 'decode', cpu }] },
  ],
});

describe('one core instead of several', () => {
  test('changes the advice: more lanes are worth nothing there', async () => {
    const many = await judge(chain(1, 0.02, 8));
    expect(many.verdict).toMatchObject({ kind: 'cpu-bound', cause: { type: 'software' }, fix: { type: 'set' } });
    const one = await judge(chain(1, 0.02, 1));
    expect(one.verdict).toMatchObject({ kind: 'cpu-bound', cause: { type: 'hardware' }, fix: { type: 'advice' } });
    const quota = { ...chain(1, 0.02, 1), host: { coresPresent: 8, coresLimit: 'cgroup-v2' } };
    expect((await judge(quota)).verdict.kind).toBe('container-quota');
  });
});

describe('ceiling and comparison of virtual runs', () => {
  test('the ceiling from one lane is what four lanes deliver', async () => {
    const folder = scratch();
    const naive = record(join(folder, 'naive'), chain(1, 0.02, 4));
    const { ceiling } = await predict(naive.folder);
    const tuned = record(join(folder, 'tuned'), chain(4, 0.02, 4));
    expect(tuned.rate / ceiling.rate.estimate).toBeGreaterThan(0.95);
    expect(tuned.rate / ceiling.rate.estimate).toBeLessThan(1.02);
    const { runs } = await compareRuns([naive.folder, tuned.folder]);
    expect(runs[1]?.ratio.estimate).toBeCloseTo(tuned.rate / naive.rate, 1);
    expect(runs[1]?.withinNoise).toBe(false);
  });

  test('a fleet shows every run, and says why one could not be judged', async () => {
    const folder = scratch();
    record(join(folder, 'a'), chain(1, 0.02));
    record(join(folder, 'deep/b'), chain(2, 0.02));
    record(join(folder, 'empty'), { ...chain(1, 0.02), seconds: 0 });
    const { runs } = await diagnoseFleet(folder);
    expect(runs).toHaveLength(3);
    expect(runs.filter(run => 'failure' in run)).toMatchObject([{ failure: { code: 'VENTURI_RUN_EMPTY' } }]);
  });
});
