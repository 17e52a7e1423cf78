/**
 * A trace of training steps: what ran, on which resource, from when to when, and what had to end before it. Every format of a profiler
 * becomes one of these (`probes/steps`), and everything that is concluded about training steps starts from here. The bulk stands in
 * typed arrays, one entry for each op. `docs/steps.md` has the same as JSON.
 */
export interface StepTrace {
  /** What wrote it: `kineto`, `tensorflow`, `chakra` … For printing alone. */
  readonly source: string;
  /** Moment on the clock of the file from which `start` counts, ns as a decimal string: a number cannot hold it. */
  readonly base: string;
  readonly ranks: readonly StepRank[];
  readonly resources: readonly StepResource[];
  /** In order of rank, then of time. */
  readonly steps: readonly TrainingStep[];
  readonly ops: StepOps;
  readonly dependencies: StepDependencies;
  readonly collectives: readonly Collective[];
  /** What was not in the file and had to be concluded or left out, with how often. */
  readonly assumptions: readonly StepAssumption[];
  /** The same with what never was: beside another file in which it was, that counts. */
  readonly counted: readonly StepAssumption[];
  /** Present where nothing marks steps: all that a file holds of a rank was taken as one. */
  readonly unmarked?: UnmarkedSteps | undefined;
}

/** A process of the job: a worker with its devices. Servers have no rank; they are resources. */
export interface StepRank {
  /** Number of the process in its job, as the trace says; its position among the files where it does not. */
  readonly rank: number;
  readonly name: string;
  /** Number of the process on its host, where the trace says. */
  readonly process?: string | undefined;
  /** Processes of the whole job, where the trace says. */
  readonly worldSize?: number | undefined;
  /** Device as the trace names it: `NVIDIA A100-SXM4-40GB`. */
  readonly device?: string | undefined;
  /** ns that were taken off its times, so that its collectives end when those of the first rank do. */
  readonly clockOffset?: number | undefined;
}

/**
 * What ops occupy. `host`: a thread. `device`: a stream of an accelerator, or a whole device. `downlink`: from a parameter server to a worker;
 * `uplink`: back. `server`: computation on a parameter server. `network`: collectives that are on no device's stream.
 */
export const RESOURCE_KINDS = ['host', 'device', 'downlink', 'uplink', 'server', 'network'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export interface StepResource {
  readonly name: string;
  readonly kind: ResourceKind;
  /** Position in `ranks`; absent where several share it, as a server. */
  readonly rank?: number | undefined;
  /** Number of the parameter server it is, or leads to or from. */
  readonly server?: number | undefined;
  /** Device of a stream, by its number on its host. */
  readonly device?: number | undefined;
  /** Ops it can work on at a time, 1 unless given. */
  readonly lanes?: number | undefined;
  /** Its ops run one after the other as recorded: a thread or a stream. Each waits for the one before, which no dependency says. */
  readonly ordered?: boolean | undefined;
}

/** One iteration of training of one rank. */
export interface TrainingStep {
  /** Position in `ranks`. */
  readonly rank: number;
  /** Its number as the program counts. */
  readonly number: number;
  /** ns from `base`. */
  readonly start: number;
  /** ns. */
  readonly duration: number;
}

/**
 * What an op does, told by its importer. `operator`: an operator of the framework on the host. `launch`: a call that puts work into a stream's queue.
 * `runtime`: another call of the device's runtime. `sync`: a call in which the host waits for a device. `input`: the host waits for, or
 * prepares, a batch. `compute`: a kernel, or an op of a graph. `copy`: memory to memory, also a memset. `communication`: bytes from process to
 * process, collective or not. `parse`: what receiving costs beside the transmission. `annotation`: a name for what happens meanwhile, which
 * occupies nothing. `other`: none of these.
 */
export const OP_WORK = [
  'other',
  'operator',
  'launch',
  'runtime',
  'sync',
  'input',
  'compute',
  'copy',
  'communication',
  'parse',
  'annotation',
] as const;
export type OpWork = (typeof OP_WORK)[number];

/**
 * Ops in columns, in order of start; of those that start together, the longest first. So an op that encloses others comes before
 * them.
 */
export interface StepOps {
  readonly count: number;
  /** By number: the texts of `name`. */
  readonly names: readonly string[];
  readonly name: Uint32Array;
  /** Position in `OP_WORK`. */
  readonly work: Uint8Array;
  /** Position in `resources`. */
  readonly resource: Uint32Array;
  /** ns from `base`. */
  readonly start: Float64Array;
  /** ns. */
  readonly duration: Float64Array;
  /** Bytes it moves; NaN where nobody says, or it moves none. */
  readonly bytes: Float64Array;
  /** Position in `steps`; -1 outside all of them. */
  readonly step: Int32Array;
  /** The op on the same resource that encloses it (a call in an operator); -1 where none does. Its time holds this one's. */
  readonly parent: Int32Array;
  /** Position in `collectives`; -1 where it is none. */
  readonly collective: Int32Array;
  /** 1 where start and duration were not recorded but concluded from other ops. */
  readonly guessed: Uint8Array;
}

/**
 * Why an op has to wait for another. `launch`: the call that enqueued it. `stream`: the op before it in its stream. `thread`: the op before it in
 * its thread. `sync`: one waits for the other, in a call or by an event. `data`: it reads what the other wrote. `recv`: it reads what
 * the other received. `given`: the trace says so.
 */
export const DEPENDENCY_CAUSES = ['given', 'launch', 'stream', 'thread', 'sync', 'data', 'recv'] as const;
export type DependencyCause = (typeof DEPENDENCY_CAUSES)[number];

/**
 * What waits for what. `end-start`: `to` starts after `from` has ended. `start-start`: after it has started, as a kernel that runs
 * before the call that launched it returns. `end-end`: `to` ends after `from` has ended, as a call that waits for a device.
 */
export const DEPENDENCY_RELATIONS = ['end-start', 'start-start', 'end-end'] as const;
export type DependencyRelation = (typeof DEPENDENCY_RELATIONS)[number];

/** Dependencies in columns. Those that follow from the order of an `ordered` resource are not among them. */
export interface StepDependencies {
  readonly count: number;
  /** Positions of ops. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Position in `DEPENDENCY_CAUSES`. */
  readonly cause: Uint8Array;
  /** Position in `DEPENDENCY_RELATIONS`. */
  readonly relation: Uint8Array;
  /** 1 where it was concluded from times or names, 0 where the trace says so. */
  readonly guessed: Uint8Array;
}

/** A collective operation, or a message from one process to another. */
export interface Collective {
  /** As the trace calls it: `allreduce`, `_allgather_base`, `send`. */
  readonly name: string;
  /** Bytes of the tensors of one process; of the larger side where in and out differ. Absent where nobody says. */
  readonly bytes?: number | undefined;
  /** Type of their elements. */
  readonly type?: string | undefined;
  readonly groupSize?: number | undefined;
  /** Name of the process group. */
  readonly group?: string | undefined;
  /** Ranks in the group, where the trace names them. */
  readonly ranks?: readonly number[] | undefined;
}

/** Something that is not in the file: what was done about it, for how many of how many. */
export interface StepAssumption {
  /** `3 of 120 …` is printed before it: `kernels without the call that launched them: they start when their stream is free`. */
  readonly what: string;
  readonly count: number;
  readonly of: number;
}

/** A trace whose steps nothing marks. */
export interface UnmarkedSteps {
  /** Names of annotations that occur again and again, and so may stand for a step. */
  readonly candidates: readonly string[];
}
