import type { LivePipeline, LiveRun } from '../results/live-run.ts';

type LiveCpu = LivePipeline['cpu'];

/** What is new in a live section since the one before: all but the graph, and of the curves the bins from `fromBin` on. */
export interface LiveNews {
  readonly run: Omit<LiveRun, 'pipeline'>;
  readonly pipeline: Omit<LivePipeline, 'graph' | 'cpu'>;
  readonly fromBin: number;
  /** By task, in their order. */
  readonly cores: readonly (readonly number[])[];
}

/** Undefined where the whole section must be told: there was none, it has another graph, or its bins have widened. */
export function newsBetween(before: LiveRun | undefined, now: LiveRun): LiveNews | undefined {
  const [had, has] = [before?.pipeline, now.pipeline];
  if (had === undefined || has === undefined || had.graph.fingerprint !== has.graph.fingerprint) return undefined;
  const { pipeline: _, ...run } = now;
  const { graph, cpu, ...pipeline } = has;
  if (had.cpu.binSeconds !== cpu.binSeconds || had.cpu.tasks.length !== cpu.tasks.length) return undefined;
  const fromBin = firstChange(had.cpu, cpu);
  return { run, pipeline, fromBin, cores: cpu.tasks.map(({ cores }) => cores.slice(fromBin)) };
}

/** A lane may count late: bins that were told before can change once more. */
function firstChange({ tasks: before }: LiveCpu, { tasks: now }: LiveCpu): number {
  let first = Number.POSITIVE_INFINITY;
  for (const [at, { cores }] of now.entries()) {
    const had = before[at]?.cores ?? [];
    const changed = cores.findIndex((value, bin) => value !== had[bin]);
    first = Math.min(first, changed < 0 ? cores.length : changed);
  }
  return Number.isFinite(first) ? first : 0;
}

/** The run with its news; undefined where others came between that were not told here. */
export function withNews(before: LiveRun, { run, pipeline, fromBin, cores }: LiveNews): LiveRun | undefined {
  if (run.told <= before.told) return before;
  const had = before.pipeline;
  if (run.told > before.told + 1 || had === undefined) return undefined;
  const tasks = had.cpu.tasks.map(({ id, cores: known }, at) => ({
    id,
    cores: [...known.slice(0, fromBin), ...(cores[at] ?? [])],
  }));
  return { ...run, pipeline: { ...pipeline, graph: had.graph, cpu: { ...had.cpu, tasks } } };
}
