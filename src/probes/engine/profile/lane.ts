import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type QueryScript, watchQueries } from '../../../engine/compile/scripts.ts';
import type { GeneratedLoop, LaneDescription, LaneProbe, OpenLaneProbe } from '../../../engine/contract/probe.ts';
import { CONSUMER } from '../../../model/consumer.ts';
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
/** The run into which this thread's queries are told. */
let told: string | undefined;
/** A program that makes a query for every element would fill the disk with their code. */
const MOST_QUERIES = 1000;

/** Records one lane as every recording does, once its thread is sampled, and writes its tagging dictionary into the run. */
export const openLaneProbe: OpenLaneProbe = async (options, lane, totals, graph) => {
  const { gate, slackNs, folder } = options as ProfilingOptions;
  // The consumer's work is the caller's.
  if (lane.stage === CONSUMER) return openRecordingProbe(options, lane, totals, graph);
  setSlack(slackNs);
  await enter(gate);
  let turns = 0;
  while (turns < TURNS) turns++;
  setSlack();
  return new ProfiledLane(await openRecordingProbe(options, lane, totals, graph), folder, lane);
};

/** A query whose dictionary is in the run already; its rows are told when the lane closes. */
interface ToldQuery {
  readonly file: string;
  readonly dictionary: LaneDictionary;
  readonly rowCounts: QueryScript['rowCounts'];
  /** What it had counted before the lane was sampled. */
  readonly before: readonly number[];
}

class ProfiledLane implements LaneProbe {
  readonly #recording: LaneProbe;
  readonly #folder: string;
  readonly #lane: LaneDescription;
  readonly #queries: ToldQuery[] = [];
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
    for (const { file, dictionary, rowCounts, before } of this.#queries)
      this.#write({ ...dictionary, rows: rowCounts().map((rows, at) => rows - (before[at] ?? 0)) }, file);
    return [...this.#recording.close(), ...this.#problems];
  }

  generated(loops: readonly GeneratedLoop[], calls: readonly unknown[]): void {
    this.#recording.generated?.(loops, calls);
    this.#write(dictionaryOf(this.#lane, loops, calls));
    if (told === this.#folder) return;
    told = this.#folder;
    let queries = 0;
    watchQueries(query => {
      queries++;
      if (queries <= MOST_QUERIES) this.#tell(query);
      else if (queries === MOST_QUERIES + 1)
        this.#problems.push(
          `${this.#lane.name} made more than ${MOST_QUERIES} queries: samples of the others lead to no operator.`,
        );
    });
  }

  #tell(query: QueryScript): void {
    const [file, dictionary] = [this.#nextFile(), queryDictionary(this.#lane.name, query)];
    this.#queries.push({ file, dictionary, rowCounts: query.rowCounts, before: query.rowCounts() });
    this.#write(dictionary, file);
  }

  #nextFile(): string {
    return join(this.#folder, `lane-${threadId}-${written++}.json`);
  }

  #write(dictionary: LaneDictionary, file = this.#nextFile()): void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(file, JSON.stringify(dictionary));
    } catch (error) {
      this.#problems.push(`Samples of ${dictionary.stage} lead to no operator: ${(error as Error).message}`);
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
  const tasksAt = (line: number): [number] => {
    const [operator, name] = [owners[line] ?? -1, tasks[line] ?? ''];
    const task = known.findIndex(each => each.operator === operator && each.name === name);
    return [task < 0 ? known.push({ operator, name }) - 1 : task];
  };
  return { file, firstLine, text, lines: tasksByLine(owners.length - 1, tasksAt) };
}

/** Runs of lines with the same tasks. `tasksAt` takes lines from 1 on. */
function tasksByLine(
  count: number,
  tasksAt: (line: number) => readonly [number, ...number[]],
): LoopDictionary['lines'] {
  const lines: LoopDictionary['lines'] = [];
  for (let line = 0; line < count; line++) {
    const tasks = tasksAt(line + 1);
    const last = lines.at(-1);
    if (last?.slice(2).join() === tasks.join()) last[1] = line;
    else lines.push([line, line, ...tasks]);
  }
  return lines;
}

/** A query's own dictionary. Its operators are named by query and label, with a number where several have the same. */
function queryDictionary(lane: string, { name, file, firstLine, text, dictionary }: QueryScript): LaneDictionary {
  const seen = new Map<string, number>();
  const operators = dictionary.operators.map(({ label }) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return `${name}: ${label}${count === 1 ? '' : ` (${count})`}`;
  });
  const tasks = dictionary.tasks.map(({ operator, role }) => ({ operator, name: role }));
  const ofEngine = tasks.push({ operator: -1, name: 'query' }) - 1;
  const lines = tasksByLine(text.split('\n').length, line => {
    const [first = ofEngine, ...others] = dictionary.tasksOf(line);
    return [first, ...others];
  });
  return {
    lane,
    tid: kernelThread(),
    stage: name,
    isQuery: true,
    operators,
    sources: dictionary.operators.map(({ at }) => at?.text ?? null),
    tasks,
    loops: [{ file, firstLine, text, lines }],
    functions: [],
  };
}
