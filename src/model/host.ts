import { z } from 'zod';
import { DiskCurveSchema } from './disk.ts';
import { MachineCostsSchema } from './machine-costs.ts';
import { PipelineCostsSchema } from './pipeline-costs.ts';

/** The machine as the process may use it, read once at the start of a run. */
export const HostSchema = z.object({
  platform: z.string(),
  arch: z.string(),
  kernel: z.string(),
  cpuModel: z.string(),
  /** Cores the machine has. */
  coresPresent: z.number().min(1),
  /** Cores the process may use: affinity and container quota applied. Possibly a fraction. */
  coresUsable: z.number().positive(),
  /** What limits `coresUsable`. */
  coresLimit: z.enum(['none', 'affinity', 'cgroup-v1', 'cgroup-v2']),
  /** Cores among those the scheduler may use that are no second thread of another. Absent where nobody says. */
  coresPhysical: z.number().min(1).optional(),
  /** The scheduler divides cores among sessions, not among threads: more threads get no more of them. Absent where nobody says. */
  coresBySession: z.boolean().optional(),
  memoryPresent: z.number().min(0),
  memoryUsable: z.number().min(0),
  memoryLimit: z.enum(['none', 'cgroup-v1', 'cgroup-v2']),
  /** The runtime: `node 20.19.0`, `python 3.11.7`. */
  runtime: z.string(),
  /** What storage delivers, where it was measured. */
  disk: DiskCurveSchema.optional(),
  /** What threads cost each other, and what workers cost, where that was measured. */
  costs: MachineCostsSchema.optional(),
  /** What a pipeline's lanes cost beside the work of their operators, where that was measured: not in runs before 0.2. */
  pipelineCosts: PipelineCostsSchema.optional(),
});
export type Host = z.infer<typeof HostSchema>;

/** Hosts together, as one machine: cores and memory add up. One host is that machine itself. */
export function machineOf({
  host,
  hosts = [host],
}: {
  readonly host: Host;
  readonly hosts?: readonly Host[] | undefined;
}): Host {
  if (hosts.length < 2) return hosts[0] ?? host;
  const sum = (of: (each: Host) => number): number => hosts.reduce((total, each) => total + of(each), 0);
  const known = (of: (each: Host) => number | undefined): number | undefined =>
    hosts.every(each => of(each) !== undefined) ? sum(each => of(each) ?? 0) : undefined;
  return {
    ...host,
    cpuModel: [...new Set(hosts.map(({ cpuModel }) => cpuModel))].join(', '),
    coresPresent: sum(({ coresPresent }) => coresPresent),
    coresUsable: sum(({ coresUsable }) => coresUsable),
    coresPhysical: known(({ coresPhysical }) => coresPhysical),
    memoryPresent: sum(({ memoryPresent }) => memoryPresent),
    memoryUsable: sum(({ memoryUsable }) => memoryUsable),
  };
}
