import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import {
  type Frame,
  type LaneDictionary,
  type ProfileEntry,
  ProfileEntrySchema,
  type ProfileFacts,
  ProfileFactsSchema,
  parseDictionary,
  type RecordedProfile,
} from '../model/profile.ts';
import { NS_PER_MICROSECOND } from '../model/units.ts';
import type { Warning } from '../model/warnings.ts';
import { readPerf } from './perf-reader.ts';
import { PROFILE_FACTS, PROFILE_FOLDER, PROFILE_SAMPLES } from './profile-files.ts';

export const isProfiled = (folder: string): boolean => existsSync(join(folder, PROFILE_FOLDER, PROFILE_FACTS));

/** The profile in a run's folder; undefined where it has none. What is damaged in it is left out, and told. */
export function readProfile(folder: string, problems: Warning[]): RecordedProfile | undefined {
  const own = join(folder, PROFILE_FOLDER);
  if (!isProfiled(folder)) return undefined;
  const facts = factsIn(own);
  const before = problems.length;
  const entries = entriesIn(textOf(join(own, PROFILE_SAMPLES)), problems);
  if (problems.length === before && entries.length < (facts.pieces ?? 0))
    problems.push(damaged(`${(facts.pieces ?? 0) - entries.length} of ${facts.pieces} pieces`));
  const lanes = dictionariesIn(own, problems);
  const known = lanes.filter(({ isQuery }) => isQuery !== true).length;
  if (known < (facts.lanes ?? 0))
    problems.push({
      code: 'VENTURI_WARN_PROFILE_DAMAGED',
      message: `${(facts.lanes ?? 0) - known} of ${facts.lanes} lanes of the profile have no dictionary that can be read: their samples are left out.`,
    });
  const perf = readPerf(own, problems);
  return { facts, lanes, ...gather(entries), ...(perf === undefined ? {} : { perf }) };
}

function factsIn(own: string): ProfileFacts {
  try {
    return ProfileFactsSchema.parse(JSON.parse(readFileSync(join(own, PROFILE_FACTS), 'utf8')));
  } catch (error) {
    throw new VenturiError('VENTURI_RUN_UNREADABLE', `${join(own, PROFILE_FACTS)} is damaged.`, {
      remedy: 'Profile the pipeline again: venturi profile FILE',
      cause: error,
    });
  }
}

const damaged = (what: string): Warning => ({
  code: 'VENTURI_WARN_PROFILE_DAMAGED',
  message: `${what} of the profile cannot be read: what is in it is left out.`,
});

function dictionariesIn(own: string, problems: Warning[]): LaneDictionary[] {
  const files = readdirSync(own)
    .filter(name => /^lane-.*\.json$/.test(name))
    .sort();
  return files.flatMap(name => {
    const dictionary = parseDictionary(parsed(textOf(join(own, name)) ?? ''));
    if (dictionary === undefined) problems.push(damaged(name));
    return dictionary ?? [];
  });
}

/** Undefined where it cannot be read: it is gone, or a folder. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function entriesIn(text: string | undefined, problems: Warning[]): ProfileEntry[] {
  if (text === undefined) {
    problems.push(damaged(PROFILE_SAMPLES));
    return [];
  }
  const lines = text.split('\n').filter(line => line !== '');
  const entries = lines.flatMap(line => ProfileEntrySchema.safeParse(parsed(line)).data ?? []);
  if (entries.length < lines.length)
    problems.push(damaged(`${lines.length - entries.length} of ${lines.length} pieces`));
  return entries;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Growing {
  readonly tid: number;
  readonly frames: Map<number, Frame>;
  readonly times: number[];
  readonly nodes: number[];
  readonly lines: number[];
  now: number;
}

function gather(entries: readonly ProfileEntry[]): Pick<RecordedProfile, 'streams' | 'compiling'> {
  const open = new Map<string, Growing>();
  const streams: Growing[] = [];
  const compiling = new Map<number, (readonly [number, number])[]>();
  for (const entry of entries) {
    if ('start' in entry) {
      const [id, tid, start] = entry.start;
      const stream: Growing = {
        tid,
        frames: new Map(),
        times: [],
        nodes: [],
        lines: [],
        now: start * NS_PER_MICROSECOND,
      };
      open.set(id, stream);
      streams.push(stream);
    } else if ('stream' in entry) {
      grow(open.get(entry.stream), entry);
    } else {
      const spans = compiling.get(entry.compiling) ?? [];
      spans.push(...entry.spans.map(([from, long]) => [from * NS_PER_MICROSECOND, long * NS_PER_MICROSECOND] as const));
      compiling.set(entry.compiling, spans);
    }
  }
  for (const spans of compiling.values()) spans.sort(([a], [b]) => a - b);
  return { streams, compiling };
}

function grow(stream: Growing | undefined, entry: Extract<ProfileEntry, { readonly stream: string }>): void {
  if (stream === undefined) return;
  for (const frame of entry.frames) stream.frames.set(frame[0], frame);
  for (const [at, node] of entry.samples.entries()) {
    stream.now += (entry.deltas[at] ?? 0) * NS_PER_MICROSECOND;
    stream.times.push(stream.now);
    stream.nodes.push(node);
    stream.lines.push(entry.lines[at] ?? 0);
  }
}
