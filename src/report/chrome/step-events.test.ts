import { expect, it } from 'vitest';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { stepEvents } from './step-events.ts';

it('training steps are processes for ranks, with their steps and a thread for each resource', () => {
  const builder = new StepTraceBuilder();
  builder.rank({ rank: 0, name: 'worker 0' });
  const link = builder.resource({ name: 'downlink', kind: 'downlink', rank: 0 });
  const step = builder.step({ rank: 0, number: 3, start: 1000, duration: 5000 });
  builder.op({ name: 'w', work: 'communication', resource: link, start: 2000, duration: 500, bytes: 7, step });
  expect([...stepEvents(builder.build('test', '0'))].map(event => JSON.parse(event))).toEqual([
    { ph: 'M', name: 'process_name', pid: 0, tid: 0, args: { name: 'worker 0' } },
    { ph: 'M', name: 'thread_name', pid: 0, tid: 0, args: { name: 'steps' } },
    { ph: 'M', name: 'thread_name', pid: 0, tid: 1, args: { name: 'downlink' } },
    { ph: 'X', name: 'step 3', pid: 0, tid: 0, ts: 1, dur: 5 },
    { ph: 'X', name: 'w', cat: 'downlink', pid: 0, tid: 1, ts: 2, dur: 0.5, args: { bytes: 7 } },
  ]);
});
