import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import type { RunManifest } from '../model/run.ts';
import { RUN_VERSION } from '../model/run-version.ts';
import type { LaneInfo } from '../model/span.ts';
import type { Warning } from '../model/warnings.ts';
import { findLanes, type LaneFiles, SAMPLES_FOLDER } from './lane-files.ts';
import { laneInfo } from './lane-header.ts';
import { LaneRecords, type OpenedLane } from './lane-reader.ts';
import { MANIFEST_FILE, RUN_SUFFIX } from './manifest.ts';
import { readManifest } from './manifest-reader.ts';
import { runFolder } from './run-writer.ts';
import { describePath } from './sniff.ts';

/** A run as it lies on disk. */
export interface Run {
  readonly folder: string;
  readonly manifest: RunManifest;
  /** It has its final mark. A run without was cut, or is still being recorded. */
  readonly complete: boolean;
  /** `run.json` was missing or damaged: facts it lacks, host and graph among them, are stand-ins. */
  readonly recovered: boolean;
  readonly lanes: readonly LaneInfo[];
  /** What could not be read or is missing; grows while records are read. */
  readonly problems: readonly Warning[];
  /** Of these lanes; of all, unless told. */
  records(lanes?: readonly LaneInfo[]): LaneRecords;
  /** What a profiler saw beside it, thread by thread; undefined where none ran. */
  readonly samples: RunSamples | undefined;
}

export interface RunSamples {
  readonly lanes: readonly LaneInfo[];
  records(lanes?: readonly LaneInfo[]): LaneRecords;
}

/** Opens a run for reading; what is damaged in it becomes a problem, not a refusal. */
export function openRun(path: string): Run {
  const folder = locate(path);
  const problems: Warning[] = [];
  const files = findLanes(join(folder, 'lanes'), problems);
  const { manifest, lost } = readManifest(folder, standIn(folder, files));
  if (lost !== undefined) {
    if (files.length === 0) throw unreadable(folder, lost);
    problems.unshift({
      code: 'VENTURI_WARN_MANIFEST_DAMAGED',
      message: `${lost} What it lacks is unknown, and stand-ins are in its place.`,
    });
  }
  const unclosed = files.filter(lane => !lane.closed).length;
  if (unclosed > 0) {
    problems.push({
      code: 'VENTURI_WARN_LANE_UNCLOSED',
      message: `${unclosed} of ${files.length} lanes were not closed in good order: read as far as they were written.`,
    });
  }
  const origin = BigInt(manifest.start);
  const bulk = laneSet(files, origin, problems);
  const sampled = join(folder, SAMPLES_FOLDER);
  return {
    folder,
    manifest,
    complete: manifest.outcome !== undefined && lost === undefined,
    recovered: lost !== undefined,
    ...bulk,
    problems,
    samples: existsSync(sampled) ? laneSet(findLanes(sampled, problems), origin, problems) : undefined,
  };
}

/** Samples that lie in a folder of their own, for a run that began at `origin`. */
export function openSamples(folder: string, origin: bigint): RunSamples {
  const problems: Warning[] = [];
  return laneSet(findLanes(join(folder, SAMPLES_FOLDER), problems), origin, problems);
}

function laneSet(files: readonly LaneFiles[], origin: bigint, problems: Warning[]): RunSamples {
  const lanes = files.map(
    (lane, index): OpenedLane => ({ info: laneInfo(lane.header, lane.name, index, origin), files: lane }),
  );
  return {
    lanes: lanes.map(({ info }) => info),
    records: wanted => {
      const indices = wanted && new Set(wanted.map(({ index }) => index));
      const chosen = indices === undefined ? lanes : lanes.filter(({ info }) => indices.has(info.index));
      return new LaneRecords(chosen, origin, problems);
    },
  };
}

function locate(path: string): string {
  // A recording called `first` lies in `first.venturi`, also where something else is called `first`.
  for (const candidate of [runFolder(path), path]) {
    if (!existsSync(candidate)) continue;
    if (statSync(candidate).isDirectory()) return candidate;
    throw unreadable(
      candidate,
      'A run is a folder, and of traces of training steps this is none that docs/steps.md names; the JSON it describes last can be made of any other.',
    );
  }
  const tried = path.endsWith(RUN_SUFFIX) ? '' : ` Tried ${path} and ${runFolder(path)}.`;
  throw new VenturiError('VENTURI_RUN_NOT_FOUND', `There is no run at ${path}.${tried}`, {
    remedy: 'Give the folder NAME.venturi that a recording made, or a trace of training steps.',
  });
}

const unreadable = (path: string, tried: string): VenturiError =>
  new VenturiError('VENTURI_RUN_UNREADABLE', `${path} is not a readable run: it looks like ${describePath(path)}.`, {
    remedy: `${tried} Give a folder NAME.venturi with ${MANIFEST_FILE} or lanes in it.`,
  });

/** What is known of a run from its lanes alone. */
function standIn(folder: string, lanes: readonly LaneFiles[]): RunManifest {
  const first = lanes[0]?.header;
  return {
    format: 'venturi-run',
    version: RUN_VERSION,
    writer: 'unknown',
    id: '00000000-0000-0000-0000-000000000000',
    name: basename(folder, RUN_SUFFIX),
    probe: 'unknown',
    createdAt: statSync(folder).birthtime.toISOString(),
    command: [],
    directory: '',
    pid: first?.pid ?? 0,
    start: String(first?.opened ?? 0n),
    bootId: '',
    clocks: [],
    host: {
      platform: 'unknown',
      arch: 'unknown',
      kernel: 'unknown',
      cpuModel: 'unknown',
      coresPresent: 1,
      coresUsable: 1,
      coresLimit: 'none',
      memoryPresent: 0,
      memoryUsable: 0,
      memoryLimit: 'none',
      runtime: 'unknown',
    },
    parameters: {},
    settings: {},
    redacted: false,
  };
}
