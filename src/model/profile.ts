import { z } from 'zod';

const Whole = z.number().int();

/** What one lane says of its code: the tagging dictionary, a log per step of the lowering. */
const LaneDictionarySchema = z.object({
  lane: z.string(),
  /** As the kernel and the profiler number its thread. */
  tid: Whole,
  stage: z.string(),
  /** It is of a query that ran in the lane: the stage is its name. */
  isQuery: z.boolean().optional(),
  /** Ids, in the order of the stage. */
  operators: z.array(z.string()),
  /** By operator of a query: file, without its folders, and line where it was written; null where that is not known. Others have theirs in the graph. */
  sources: z.array(z.string().nullable()).optional(),
  /** By operator of a query: rows that entered it while the lane was sampled. */
  rows: z.array(z.number()).optional(),
  /** Task → operator: its position in `operators`; -1 for a task of the engine. */
  tasks: z.array(z.object({ operator: Whole, name: z.string() })),
  loops: z.array(
    z.object({
      file: z.string(),
      /** Number of its first line; no other loop of the lane has any of its numbers. */
      firstLine: Whole,
      text: z.string(),
      /** Line → tasks: first and last line of a run of lines, counted from 0, and the places of their tasks in `tasks`. A line that computes something for several has several. */
      lines: z.array(z.tuple([Whole, Whole, Whole]).rest(Whole)),
    }),
  ),
  /** Functions that the loops call: where they begin, how many lines they have, and the names that stand in them. */
  functions: z.array(
    z.object({ operator: Whole, line: Whole, column: Whole, lines: Whole, mentions: z.array(z.string()) }),
  ),
});
export type LaneDictionary = z.infer<typeof LaneDictionarySchema>;
export type LoopDictionary = LaneDictionary['loops'][number];

/** A function in the call tree: its number, its caller's, its name, its file, and where it begins. */
const FrameSchema = z.tuple([Whole, Whole, z.string(), z.string(), Whole, Whole]);
export type Frame = z.infer<typeof FrameSchema>;

/** A line of the file of samples. */
export const ProfileEntrySchema = z.union([
  /** Sampling of a thread has begun: the stream's id, the thread, µs on CLOCK_MONOTONIC. */
  z.object({ start: z.tuple([z.string(), Whole, z.number()]) }),
  /** New functions of the call tree; per sample its function, µs since the one before it, and its line (0: none). */
  z.object({
    stream: z.string(),
    frames: z.array(FrameSchema),
    samples: z.array(Whole),
    deltas: z.array(z.number()),
    lines: z.array(Whole),
  }),
  /** Times at which a thread compiled, each as µs on CLOCK_MONOTONIC and µs that it took. */
  z.object({ compiling: Whole, spans: z.array(z.tuple([z.number(), z.number()])) }),
]);
export type ProfileEntry = z.infer<typeof ProfileEntrySchema>;

export const ProfileFactsSchema = z.object({
  profiler: z.string(),
  /** Samples per second and thread that were asked for. */
  asked: z.number().positive(),
  /** Of a run that was sampled to its end: lanes that were sampled, and pieces of the file of samples. */
  lanes: Whole.optional(),
  pieces: Whole.optional(),
});
export type ProfileFacts = z.infer<typeof ProfileFactsSchema>;

/** A line of the file of perf's samples. */
export const PerfEntrySchema = z.union([
  /** Of the whole file: events as perf names them, samples a second of a busy thread. */
  z.object({ perf: z.object({ profiler: z.string(), events: z.array(z.string()), frequency: z.number().positive() }) }),
  /** New functions of compiled code in the thread's call tree, new native functions as name and file, and samples. */
  z.object({
    tid: Whole,
    frames: z.array(FrameSchema),
    natives: z.array(z.tuple([z.string(), z.string()])),
    /** ns on CLOCK_MONOTONIC, the innermost function of compiled code, its line (0: none), the native function that it was in (-1: none), event, weight, address (0: none). */
    samples: z.array(z.tuple([z.number(), Whole, Whole, Whole, Whole, z.number(), z.number()])),
  }),
]);
export type PerfEntry = z.infer<typeof PerfEntrySchema>;
export type PerfFacts = Extract<PerfEntry, { readonly perf: unknown }>['perf'];

export const parseDictionary = (json: unknown): LaneDictionary | undefined => LaneDictionarySchema.safeParse(json).data;

/** The samples of one thread, from one start of the profiler on, in the order in which they were taken. */
export interface SampleStream {
  readonly tid: number;
  readonly frames: ReadonlyMap<number, Frame>;
  /** ns on CLOCK_MONOTONIC. */
  readonly times: readonly number[];
  /** Numbers of frames. */
  readonly nodes: readonly number[];
  readonly lines: readonly number[];
}

/** Samples that Linux perf took of one thread. */
export interface PerfStream extends SampleStream {
  /** Names and files of native functions, and by sample the one that it lies in; -1: in compiled code. */
  readonly natives: readonly (readonly [name: string, file: string])[];
  readonly native: readonly number[];
  /** By sample: number of its event, how many of them it stands for, and the address of data, 0 where that is not told. */
  readonly event: readonly number[];
  readonly weight: readonly number[];
  readonly address: readonly number[];
}

export interface RecordedPerf {
  readonly facts: PerfFacts;
  readonly streams: readonly PerfStream[];
}

/** A profile as it lies in a run. */
export interface RecordedProfile {
  readonly facts: ProfileFacts;
  readonly lanes: readonly LaneDictionary[];
  readonly streams: readonly SampleStream[];
  /** By thread: when it compiled, as ns on CLOCK_MONOTONIC and ns that it took, in order. */
  readonly compiling: ReadonlyMap<number, readonly (readonly [number, number])[]>;
  /** What perf saw beside it. */
  readonly perf?: RecordedPerf;
}
