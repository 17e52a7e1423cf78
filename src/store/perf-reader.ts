import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Frame,
  type PerfEntry,
  PerfEntrySchema,
  type PerfFacts,
  type PerfStream,
  type RecordedPerf,
} from '../model/profile.ts';
import type { Warning } from '../model/warnings.ts';
import { PERF_SAMPLES } from './profile-files.ts';

/** What perf saw beside a profile; undefined where it did not run. What is damaged is left out, and told. */
export function readPerf(own: string, problems: Warning[]): RecordedPerf | undefined {
  const text = textOf(join(own, PERF_SAMPLES));
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter(line => line !== '');
  const entries = lines.flatMap(line => parsed(line) ?? []);
  const facts = entries.find((entry): entry is { perf: PerfFacts } => 'perf' in entry)?.perf;
  const unread = lines.length - entries.length;
  if (unread > 0 || facts === undefined)
    problems.push({
      code: 'VENTURI_WARN_PROFILE_DAMAGED',
      message: `${unread > 0 ? `${unread} of ${lines.length} pieces` : 'The beginning'} of perf's samples cannot be read: what is in it is left out.`,
    });
  return facts === undefined ? undefined : { facts, streams: gather(entries) };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parsed(line: string): PerfEntry | undefined {
  try {
    return PerfEntrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

type Growing = {
  readonly [Key in keyof PerfStream]: PerfStream[Key] extends readonly (infer Item)[] ? Item[] : PerfStream[Key];
} & { readonly frames: Map<number, Frame> };

function gather(entries: readonly PerfEntry[]): PerfStream[] {
  const streams = new Map<number, Growing>();
  for (const entry of entries) {
    if ('perf' in entry) continue;
    const stream = streams.get(entry.tid) ?? {
      ...{ tid: entry.tid, frames: new Map<number, Frame>(), natives: [] },
      ...{ times: [], nodes: [], lines: [], native: [], event: [], weight: [], address: [] },
    };
    streams.set(entry.tid, stream);
    for (const frame of entry.frames) stream.frames.set(frame[0], frame);
    stream.natives.push(...entry.natives);
    for (const [time, node, line, native, event, weight, address] of entry.samples) {
      stream.times.push(time);
      stream.nodes.push(node);
      stream.lines.push(line);
      stream.native.push(native);
      stream.event.push(event);
      stream.weight.push(weight);
      stream.address.push(address);
    }
  }
  return [...streams.values()];
}
