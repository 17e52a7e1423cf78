import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { GeneratedLoop, LaneDescription, LaneProbe, OpenLaneProbe } from '../../../engine/contract/probe.ts';
import type { LaneDictionary, LoopDictionary } from '../../../model/profile.ts';
import { PROFILE_FOLDER } from '../../../store/profile-files.ts';
import { openLaneProbe as openRecordingProbe, type RecordingOptions } from '../lane.ts';
import { placesOf } from './function-places.ts';
import { enter } from './gate.ts';
import { kernelThread, setSlack } from './timer-slack.ts';

export interface ProfilingOptions extends RecordingOptions {
  readonly gate: SharedArrayBuffer;
  readonly slackNs: number;
}

/** Turns of a loop in which V8 surely looks whether it was asked to do something: to start sampling. */
const TURNS = 10_000;

/** Dictionaries of this thread: on the calling thread all stages have theirs. */
let written = 0;

/** Records one lane as every recording does, once its thread is sampled, and writes its tagging dictionary into the run. */
export const openLaneProbe: OpenLaneProbe = async (options, lane, totals, graph) => {
  const { gate, slackNs, folder } = options as ProfilingOptions;
  setSlack(slackNs);
  await enter(gate);
  let turns = 0;
  while (turns < TURNS) turns++;
  setSlack();
  return new ProfiledLane(await openRecordingProbe(options, lane, totals, graph), folder, lane);
};

class ProfiledLane implements LaneProbe {
  readonly #recording: LaneProbe;
  readonly #folder: string;
  readonly #lane: LaneDescription;
  readonly #problems: string[] = [];

  constructor(recording: LaneProbe, folder: string, lane: LaneDescription) {
    this.#recording = recording;
    this.#folder = join(folder, PROFILE_FOLDER);
    this.#lane = lane;
  }

  cpu(): number {
    return this.#recording.cpu();
  }

  end(...chunk: Parameters<LaneProbe['end']>): void {
    this.#recording.end(...chunk);
  }

  tick(): void {
    this.#recording.tick();
  }

  close(): readonly string[] {
    return [...this.#recording.close(), ...this.#problems];
  }

  generated(loops: readonly GeneratedLoop[], calls: readonly unknown[]): void {
    this.#recording.generated?.(loops, calls);
    const dictionary = JSON.stringify(dictionaryOf(this.#lane, loops, calls));
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(join(this.#folder, `lane-${threadId}-${written++}.json`), dictionary);
    } catch (error) {
      this.#problems.push(`Samples of ${this.#lane.name} lead to no operator: ${(error as Error).message}`);
    }
  }
}

function dictionaryOf(
  { name, stage, operators }: LaneDescription,
  loops: readonly GeneratedLoop[],
  calls: readonly unknown[],
): LaneDictionary {
  const tasks: LaneDictionary['tasks'] = [];
  const places = placesOf(calls);
  return {
    lane: name,
    tid: kernelThread(),
    stage,
    operators: [...operators],
    loops: loops.map(loop => loopDictionary(loop, tasks)),
    tasks,
    functions: places.flatMap((place, operator) =>
      place === undefined ? [] : [{ operator, ...place, mentions: [...place.mentions] }],
    ),
  };
}

function loopDictionary(
  { file, firstLine, text, owners, tasks }: GeneratedLoop,
  known: LaneDictionary['tasks'],
): LoopDictionary {
  const lines: LoopDictionary['lines'] = [];
  // Owners and tasks count lines from 1.
  for (let line = 0; line + 1 < owners.length; line++) {
    const [operator, name] = [owners[line + 1] ?? -1, tasks[line + 1] ?? ''];
    let task = known.findIndex(each => each.operator === operator && each.name === name);
    if (task < 0) task = known.push({ operator, name }) - 1;
    const last = lines.at(-1);
    if (last?.[2] === task) last[1] = line;
    else lines.push([line, line, task]);
  }
  return { file, firstLine, text, lines };
}
