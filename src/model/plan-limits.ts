/** What a plan may ask for that somebody else may have written. */
export interface PlanLimits {
  /** Folder at or below which caches may lie. Without it, none may lie on disk. */
  readonly cacheFolder?: string | undefined;
  /** Threads that the pipeline may have with the plan, if it has not more without. By cores and memory where absent. */
  readonly lanes?: number | undefined;
  /** Calls of an async function under way at once in each thread. 1024 where absent. */
  readonly concurrency?: number | undefined;
  /** Bytes that all caches in memory may keep together. The memory of the machine or container where absent. */
  readonly memory?: number | undefined;
}

/** A plan has a few changes for every operator. Apart from its schema, which every thread of a run would load. */
export const MOST_CHANGES = 1000;
