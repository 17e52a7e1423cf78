/** Runs with very many operators, 50,000 in the long tests: shown, or refused with a reason; no verb hangs or overflows the stack. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runVirtually } from '../bench/virtual/pipeline.mjs';
import { FakeContext } from '../src/cli/fake-context.fixture.ts';
import { runProgram } from '../src/cli/program.ts';
import { METRICS } from '../src/model/metric.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import { isLong } from './fixtures/depth.ts';

const OPERATORS = isLong ? 5e4 : 1e4;
const folder = mkdtempSync(join(tmpdir(), 'venturi-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Shape {
  /** What the operator of this number reads from. */
  readonly inputs: (at: number) => readonly string[];
  /** All of them in one stage. */
  readonly isFused?: boolean;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'a chain': { inputs: at => [at === 0 ? 'read' : `more-${at - 1}`] },
  'a chain in one stage': { inputs: at => [at === 0 ? 'read' : `more-${at - 1}`], isFused: true },
  'a chain that is told from its end': { inputs: at => [at === OPERATORS - 1 ? 'read' : `more-${at + 1}`] },
  'readers of one operator': { inputs: () => ['read'] },
  'operators that read nothing': { inputs: () => [] },
};

/** A run of two stages in virtual time, to whose graph operators were added. */
function largeRun(name: string, { inputs, isFused = false }: Shape): string {
  const stages = [
    { id: 'read', lanes: 1, operators: [{ id: 'read', kind: 'files', sequential: true, cpu: 0.0001 }] },
    { id: 'work', lanes: 1, inputs: ['read'], operators: [{ id: 'work', cpu: 0.01 }] },
  ];
  const description = { name: 'large', seconds: 10, cores: 4, stages, consumer: { step: 0.0001 } };
  const library = { VirtualClock, Line, createRun, openLane, METRICS };
  const { folder: run } = runVirtually(join(folder, name), description, library);
  const file = join(run, 'run.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const { graph } = manifest;
  const work = graph.operators.find(({ id }: { id: string }) => id === 'work');
  const ids = Array.from({ length: OPERATORS }, (_, at) => `more-${at}`);
  for (const [at, id] of ids.entries()) graph.operators.push({ ...work, id, label: id, inputs: inputs(at) });
  if (isFused) graph.stages.push({ id: 'fused', operators: ids, parallelism: 1 });
  writeFileSync(file, JSON.stringify(manifest));
  return run;
}

async function printed(...args: string[]) {
  const context = new FakeContext();
  const code = await runProgram(args, context);
  return { code, out: context.stdout, err: context.stderr };
}

/** All of them with 10^4 operators; with five times as many one is enough. */
const tried = Object.entries(SHAPES).slice(0, isLong ? 1 : undefined);

describe.each(tried)('a run with very many operators: %s', (name, shape) => {
  const run = largeRun(name.replaceAll(' ', '-'), shape);

  it('is described and diagnosed', async () => {
    const info = await printed('info', run);
    expect(info.code, info.err).toBe(0);
    expect(info.out).toContain(`more-${OPERATORS - 1}`);
    expect(info.out).toMatch(/\d more are not drawn/);
    const diagnosed = await printed('diagnose', run);
    expect(diagnosed.code, diagnosed.err).toBe(0);
    expect(diagnosed.out).toContain('work');
  });

  it('has no forecast and no page, and says why', async () => {
    for (const verb of ['predict', 'view']) {
      const { code, err } = await printed(verb, run);
      expect(code).toBe(2);
      expect(err).toContain(`${OPERATORS / 1000}.0 k operators`.replace('100.0', '100'));
    }
  });
});
