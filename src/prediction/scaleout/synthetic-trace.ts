import type { ResourceKind, StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { simulate } from './simulate.ts';
import type { Observer } from './simulated.ts';
import type { ScaleoutJob, ScaleoutTask } from './tasks.ts';
import type { Units } from './units.ts';

interface Chunk {
  readonly worker: number;
  readonly unit: number;
  readonly row: number;
  readonly start: number;
  readonly end: number;
}

interface SimulatedStep {
  readonly worker: number;
  readonly start: number;
  readonly end: number;
  readonly chunks: readonly Chunk[];
}

/**
 * What a profiler of the whole cluster would have recorded of the first steps of each worker: an op for every chunk, on a resource for every unit that a worker
 * uses. Memory grows with the number of steps, unlike that of a forecast.
 */
export function syntheticTrace(job: ScaleoutJob, task: ScaleoutTask, steps: number): StepTrace {
  const compiled = job.detailed(task.servers);
  const simulated = simulatedSteps(job, task, steps);
  const builder = new StepTraceBuilder();
  const ranks = Array.from({ length: task.workers }, (_, rank) =>
    builder.rank({ rank, name: `worker ${rank}`, worldSize: task.workers }),
  );
  const resources = new Map<number, number>();
  const resourceOf = (worker: number, unit: number): number => {
    const key = worker * compiled.units.count + unit;
    const known = resources.get(key);
    if (known !== undefined) return known;
    const name = `${compiled.units.nameOf(unit)} of worker ${worker}`;
    const made = builder.resource({ name, rank: ranks[worker], ...kindOf(compiled.units, unit) });
    resources.set(key, made);
    return made;
  };
  const numbers = new Int32Array(task.workers);
  for (const { worker, start, end, chunks } of simulated) {
    const number = numbers[worker] as number;
    numbers[worker] = number + 1;
    const step = builder.step({ rank: worker, number, ...spanOf(start, end) });
    for (const chunk of chunks) {
      const bytes = compiled.bytes[chunk.row] ?? 0;
      builder.op({
        name: compiled.names[chunk.row] ?? '',
        work: bytes > 0 ? 'communication' : Number.isNaN(compiled.parsed[chunk.row]) ? 'compute' : 'parse',
        resource: resourceOf(worker, chunk.unit),
        ...spanOf(chunk.start, chunk.end),
        bytes: bytes > 0 ? bytes : undefined,
        step,
      });
    }
  }
  return builder.build('simulation', '0');
}

/** In order of worker, then of time. */
function simulatedSteps(job: ScaleoutJob, task: ScaleoutTask, steps: number): SimulatedStep[] {
  const open: Chunk[][] = Array.from({ length: task.workers }, () => []);
  const done: SimulatedStep[] = [];
  const observer: Observer = {
    chunk: (worker, unit, row, start, end) => {
      open[worker]?.push({ worker, unit, row, start, end });
    },
    step: (worker, _step, start, end) => {
      done.push({ worker, start, end, chunks: open[worker] ?? [] });
      open[worker] = [];
    },
  };
  const extent = { steps, warmUp: 0, seed: job.request.seed };
  simulate(job.detailed(task.servers), job.cluster(task), extent, observer);
  return done.sort((a, b) => a.worker - b.worker || a.start - b.start);
}

const spanOf = (start: number, end: number): { readonly start: number; readonly duration: number } => ({
  start: Math.round(start * NS_PER_SECOND),
  duration: Math.round((end - start) * NS_PER_SECOND),
});

function kindOf(units: Units, unit: number): { readonly kind: ResourceKind; readonly server?: number } {
  if (unit === units.collective) return { kind: 'network' };
  if (unit >= units.worker) return { kind: 'device' };
  const kind = (['downlink', 'uplink', 'server'] as const)[Math.floor(unit / units.servers)] ?? 'server';
  return { kind, server: unit % units.servers };
}
