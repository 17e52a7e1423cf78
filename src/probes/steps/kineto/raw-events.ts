import type { Collective } from '../../../model/step-trace.ts';
import { decodeText } from '../chrome/event-parser.ts';
import { isHostCommunication, isInput } from './call.ts';
import { CATEGORY, isOnDevice } from './category.ts';
import type { Collected } from './collected.ts';

/** All events that were kept of a trace, frozen, with their names as texts. */
export interface RawEvents {
  readonly count: number;
  readonly names: readonly string[];
  readonly category: Uint8Array;
  readonly name: Uint32Array;
  readonly track: Uint32Array;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly correlation: Float64Array;
  readonly bytes: Float64Array;
  readonly record: Float64Array;
  readonly collective: Int32Array;
  readonly waitsOnStream: Int32Array;
  readonly waitsOnRecord: Float64Array;
  readonly collectives: readonly Collective[];
  readonly tracks: readonly { readonly process: string; readonly thread: string }[];
  /** By name: 1 where an annotation of it is work of the thread, not only a name for what happens meanwhile. */
  readonly isWork: Uint8Array;
  /** Positions in order of start, what encloses before what it encloses. */
  readonly order: Uint32Array;
}

export function rawEvents(collected: Collected): RawEvents {
  const [start, duration, category] = [collected.start.done(), collected.duration.done(), collected.category.done()];
  const names = Array.from({ length: collected.names.count }, (_, name) => unescaped(collected.names.text(name)));
  return {
    count: collected.count,
    names,
    isWork: Uint8Array.from(names, name => (isInput(name) || isHostCommunication(name) ? 1 : 0)),
    category,
    name: collected.name.done(),
    track: collected.track.done(),
    start,
    duration,
    correlation: collected.correlation.done(),
    bytes: collected.bytes.done(),
    record: collected.record.done(),
    collective: collected.collective.done(),
    waitsOnStream: collected.waitsOnStream.done(),
    waitsOnRecord: collected.waitsOnRecord.done(),
    collectives: collected.collectives,
    tracks: collected.tracks,
    // Of a pair with the same times, the kind that is called by the other comes second, then the order of the file decides.
    order: Uint32Array.from(start.keys()).sort(
      (a, b) =>
        (start[a] as number) - (start[b] as number) ||
        (duration[b] as number) - (duration[a] as number) ||
        (category[a] as number) - (category[b] as number) ||
        a - b,
    ),
  };
}

const encoder = new TextEncoder();
const unescaped = (text: string): string =>
  text.includes('\\') ? decodeText(encoder.encode(text), 0, encoder.encode(text).length) : text;

export const endOf = ({ start, duration }: RawEvents, event: number): number =>
  (start[event] as number) + (duration[event] as number);

export const nameOf = ({ names, name }: RawEvents, event: number): string => names[name[event] as number] ?? '';

/** An annotation, operator or call: on a thread of the host. */
export const isOnHost = ({ category }: RawEvents, event: number): boolean =>
  !isOnDevice(category[event] as number) && category[event] !== CATEGORY.sync;

/** Whether an event takes time of its thread: an annotation seldom does. */
export const occupiesThread = ({ category, name, isWork }: RawEvents, event: number): boolean =>
  category[event] !== CATEGORY.annotation || isWork[name[event] as number] === 1;
