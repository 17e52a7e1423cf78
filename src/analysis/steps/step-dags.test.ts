import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { breakdowns } from './breakdown.ts';
import { stepDag } from './dag.ts';
import { StepDags } from './step-dags.ts';

const STEPS = 3;

const op = fc.record({
  work: fc.constantFrom('operator', 'compute', 'communication', 'annotation'),
  resource: fc.nat(2),
  start: fc.nat(299),
  duration: fc.nat(20),
  isInStep: fc.boolean(),
});
const ops = fc.array(op, { minLength: 1, maxLength: 20 });
const dependencies = fc.array(fc.tuple(fc.nat(19), fc.nat(19), fc.constantFrom('end-start', 'start-start', 'end-end')));

it('has of each step the DAG that is had of this step among all', () => {
  fc.assert(
    fc.property(ops, dependencies, (drawn, edges) => {
      const builder = new StepTraceBuilder();
      builder.rank({ rank: 0, name: 'rank 0' });
      builder.resource({ name: 'thread', kind: 'host', rank: 0, ordered: true });
      builder.resource({ name: 'stream', kind: 'device', rank: 0, ordered: true });
      builder.resource({ name: 'link', kind: 'network', rank: 0 });
      for (let number = 0; number < STEPS; number++) {
        builder.step({ rank: 0, number, start: 100 * number, duration: 100 });
      }
      const enclosing: { op: number; start: number; end: number } = { op: -1, start: 0, end: 0 };
      const sorted = drawn.toSorted((a, b) => a.start - b.start);
      for (const [at, { work, resource, start, duration, isInStep }] of sorted.entries()) {
        const isWithin = resource === 0 && start >= enclosing.start && start + duration < enclosing.end;
        const parent = isWithin ? enclosing.op : undefined;
        const step = isInStep ? Math.floor(start / 100) : undefined;
        builder.op({ name: `op ${at}`, work, resource, start, duration, parent, step });
        if (resource === 0 && !isWithin) Object.assign(enclosing, { op: at, start, end: start + duration });
      }
      for (const [from, to, relation] of edges) {
        if (from < to && to < sorted.length) builder.dependency(from, to, 'given', { relation });
      }
      const trace = builder.build('test', '0');
      const dags = new StepDags(trace);
      for (let step = 0; step < STEPS; step++) {
        expect(told(() => dags.of(step))).toEqual(told(() => stepDag(trace, [step])));
      }
    }),
  );
});

it('looks at an op a few times however many steps and ranks there are', () => {
  const few = looksAt(50);
  const many = looksAt(500);
  expect(many / few).toBeLessThan(15);
});

/** How often times of ops are read for the DAGs and breakdowns of so many ranks with a step of one op each. */
function looksAt(ranks: number): number {
  const builder = new StepTraceBuilder();
  for (let rank = 0; rank < ranks; rank++) {
    builder.rank({ rank, name: `rank ${rank}` });
    const resource = builder.resource({ name: 'stream', kind: 'device', rank });
    const step = builder.step({ rank, number: 0, start: 0, duration: 10 });
    builder.op({ name: 'kernel', work: 'compute', resource, start: 0, duration: 5, step });
  }
  let looks = 0;
  const counted = <C extends object>(columns: C): C =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => {
        if (!ArrayBuffer.isView(column)) return [name, column];
        const get = (target: object, key: string | symbol): unknown => {
          if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
          return Reflect.get(target, key) as unknown;
        };
        return [name, new Proxy(column, { get })];
      }),
    ) as C;
  const built = builder.build('test', '0');
  const trace: StepTrace = { ...built, ops: counted(built.ops), dependencies: counted(built.dependencies) };
  const dags = new StepDags(trace);
  for (let step = 0; step < ranks; step++) expect(dags.of(step).count).toBe(1);
  expect(breakdowns(trace)).toHaveLength(ranks);
  return looks;
}

function told(of: () => unknown): unknown {
  try {
    return of();
  } catch (error) {
    return error;
  }
}
