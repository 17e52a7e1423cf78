import type { StepTrace } from '../../model/step-trace.ts';
import { stepTraceEvents } from '../trace/step-trace-events.ts';
import { chromeEvents } from './chrome-event.ts';
import { TraceClock } from './moment.ts';

/** Training steps as a trace for Perfetto and Chrome. */
export function* stepEvents(trace: StepTrace): Generator<string, void, undefined> {
  const clock = new TraceClock();
  for (const event of stepTraceEvents(trace)) yield* chromeEvents(event, clock);
}
