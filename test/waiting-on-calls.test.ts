import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineDiagnosis } from '../src/workflow/index.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

beforeAll(() => {
  // So many elements that it takes two seconds at least, however slow the machine is. What a service that answers after 10 ms looks like from here.
  const head = `const answer = async (x: number): Promise<number> => { await new Promise(done => setTimeout(done, 10)); return x; };
const asleep = new Int32Array(new SharedArrayBuffer(4));
const wait = (x: number): number => { Atomics.wait(asleep, 0, 0, 60); return x; };`;
  shop.pipeline('calls.ts', "range(p.n).map(answer, { name: 'enrich', concurrency: 4 }).batch(4)", head, '{ n: 800 }');
  shop.pipeline('blocking.ts', "range(p.n).map(wait, { name: 'fetch' }).batch(4)", head, '{ n: 50 }');
});
afterAll(() => shop.remove());

const findings = async (pipeline: string): Promise<PipelineDiagnosis['others']> => {
  await shop.venturi('run', pipeline, '--record', pipeline);
  const { stdout } = await shop.venturi('diagnose', pipeline, '--json');
  const { verdict, others }: PipelineDiagnosis = JSON.parse(stdout);
  return [verdict, ...others];
};

describe('a pipeline that waits', () => {
  it('on calls of an async function is told so, and gets more calls at once, not threads', async () => {
    const found = await findings('calls.ts');
    const waiting = found.find(({ kind }) => kind === 'waiting-on-calls');
    expect(waiting).toMatchObject({
      operators: ['enrich'],
      figures: { lanes: 1, concurrency: 4, failed: 0 },
      fix: { type: 'set', operator: 'enrich', setting: 'concurrency' },
    });
    expect(waiting).not.toHaveProperty('gain');
    if (waiting?.kind !== 'waiting-on-calls' || waiting.fix.type !== 'set') return;
    const { underWay, callTime, callsPerSecond, slowestCall } = waiting.figures;
    // Little's law: what is under way is the rate times what each takes.
    expect(underWay).toBeCloseTo((callsPerSecond * callTime) / 1e9, 6);
    expect(underWay).toBeLessThanOrEqual(4.2);
    expect(callTime).toBeGreaterThan(9e6);
    expect(slowestCall).toBeGreaterThanOrEqual(callTime);
    expect(waiting.fix.value).toBeGreaterThanOrEqual(8);
    expect(found.filter(({ fix }) => fix.type === 'set' && fix.setting === 'parallelism')).toEqual([]);
  });

  it('in a function that blocks its thread is told so as before', async () => {
    const found = await findings('blocking.ts');
    expect(found.map(({ kind }) => kind)).not.toContain('waiting-on-calls');
    expect(found.find(({ kind }) => kind === 'io-latency')).toMatchObject({
      fix: { type: 'set', operator: 'fetch', setting: 'parallelism' },
    });
  });
});
