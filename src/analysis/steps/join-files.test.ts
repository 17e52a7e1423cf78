import { describe, expect, it } from 'vitest';
import type { StepTrace } from '../../model/step-trace.ts';
import { imported, jobText, kinetoText, twoSteps } from '../../probes/steps/kineto/trace.fixture.ts';
import { extentOf, joinFiles } from './join-files.ts';
import { stepsSummary } from './summary.ts';

/** The trace of a job, cut where its third step begins: the second part some µs later. */
async function cut(later: number): Promise<readonly [StepTrace, StepTrace]> {
  const whole = JSON.parse(jobText({ steps: 4 }));
  const third = whole.traceEvents.find(({ name }: { name: string }) => name === 'ProfilerStep#12').ts;
  const part = (keeps: (ts: number) => boolean, by: number): Promise<StepTrace> =>
    imported(
      JSON.stringify({
        ...whole,
        traceEvents: whole.traceEvents
          .filter(({ ts }: { ts: number }) => keeps(ts))
          .map((event: { ts: number }) => ({ ...event, ts: event.ts + by })),
      }),
    );
  return Promise.all([part(ts => ts < third, 0), part(ts => ts >= third, later)]);
}

describe('files of one rank', () => {
  it.each([0, 30_000_000])('%i µs apart are one recording, as if it had never been interrupted', async later => {
    const whole = stepsSummary(await imported(jobText({ steps: 4 })));
    const { assumptions, dependencies, ...joined } = stepsSummary(joinFiles(await cut(later)));
    expect({ ...joined, assumptions: whole.assumptions, dependencies: whole.dependencies }).toEqual(whole);
    expect(assumptions).toContainEqual({
      what: 'files of one rank: taken together as one recording, in the order of their times',
      count: 2,
      of: 2,
    });
  });

  it('keep the nanoseconds between them, and share threads and streams', async () => {
    const [first, second] = await cut(30_000_000);
    const trace = joinFiles([first, second]);
    expect(extentOf(trace)).toEqual({ start: extentOf(first).start, end: extentOf(second).end });
    expect(trace.resources).toEqual(first.resources);
    expect(trace.ranks).toEqual(first.ranks);
    expect(trace.ops.count).toBe(first.ops.count + second.ops.count);
    expect(trace.dependencies.count).toBe(first.dependencies.count + second.dependencies.count);
  });

  it('number their steps as the program did, or on where it began anew', async () => {
    const numbers = ({ steps }: StepTrace): number[] => steps.map(({ number }) => number);
    expect(numbers(joinFiles(await cut(1)))).toEqual([10, 11, 12, 13]);
    const parts = await Promise.all(
      [0, 5000, 10_000].map(ahead => imported(jobText({ steps: 2, ahead: 1000 * ahead }))),
    );
    expect(numbers(joinFiles(parts as [StepTrace, ...StepTrace[]]))).toEqual([10, 11, 12, 13, 14, 15]);
  });

  it('have no marks of steps where one of them has none', async () => {
    const unmarked = kinetoText(
      twoSteps.map(event => ({ ...event, name: event.name.replace('ProfilerStep#', 'iteration ') })),
    );
    const [marked, other] = [await imported(kinetoText(twoSteps)), await imported(unmarked)];
    expect(joinFiles([marked, marked]).unmarked).toBeUndefined();
    expect(joinFiles([other, marked]).unmarked).toEqual({ candidates: ['iteration'] });
  });
});
