import { plainText } from '../plain-text.ts';
import type { Arrow, SpanEvent, TraceEvent } from '../trace/trace-event.ts';
import { microseconds, type TraceClock } from './moment.ts';

/** An event as texts of JSON objects of Chrome's trace format, which Perfetto reads too. Counters have none. */
export function chromeEvents(event: TraceEvent, clock: TraceClock): string[] {
  switch (event.type) {
    case 'process': {
      const { pid, name, order } = event;
      return [
        metadata('process_name', pid, 0, `"name":${text(name)}`),
        ...(order === undefined ? [] : [metadata('process_sort_index', pid, 0, `"sort_index":${order}`)]),
      ];
    }
    case 'track': {
      const { name, order, track } = event;
      return [
        metadata('thread_name', track.pid, track.tid, `"name":${text(name)}`),
        ...(order === undefined ? [] : [metadata('thread_sort_index', track.pid, track.tid, `"sort_index":${order}`)]),
      ];
    }
    case 'span':
      return spanEvents(event, clock);
    case 'counter':
      return [];
  }
}

function spanEvents(span: SpanEvent, clock: TraceClock): string[] {
  const { track, name, category, start, duration, figure, leaving, arriving } = span;
  const place = `"pid":${track.pid},"tid":${track.tid}`;
  const cat = category === undefined ? '' : `"cat":${text(category)},`;
  const args = figure === undefined ? '' : `,"args":{"${figure.name}":${figure.value}}`;
  const events = [
    `{"ph":"X",${cat}"name":${text(name)},${place},"ts":${clock.at(start)},"dur":${microseconds(duration)}${args}}`,
  ];
  const arrow = `${cat}"name":"batch"`;
  if (leaving !== undefined) {
    // A moment before the end, so that it lies in the span.
    const at = clock.at(start + Math.max(0, duration - 1));
    events.push(`{"ph":"s",${arrow},"id":"${arrowId(leaving)}",${place},"ts":${at}}`);
  }
  if (arriving !== undefined) {
    events.push(`{"ph":"f","bp":"e",${arrow},"id":"${arrowId(arriving)}",${place},"ts":${clock.at(start)}}`);
  }
  return events;
}

const arrowId = ({ pid, task }: Arrow): string => `venturi-${pid}-${task}`;

const metadata = (kind: string, pid: number, tid: number, args: string): string =>
  `{"ph":"M","name":"${kind}","pid":${pid},"tid":${tid},"args":{${args}}}`;

/** A foreign text as JSON that a page can only show. */
const text = (value: string): string => JSON.stringify(plainText(value));
