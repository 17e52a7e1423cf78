import { MODES, type Mode } from '../../src/prediction/scaleout/cluster.ts';
import type { ClusterOptions } from '../../src/prediction/scaleout/cluster-request.ts';
import type { ScaleoutBasis } from '../../src/report/page/scaleout-basis.ts';
import { shellWord } from '../../src/report/shell-word.ts';

/** A cluster to forecast. */
export interface ClusterChoice {
  /** Of a host, each way. */
  readonly gigabits: number;
  /** Parameter servers; undefined: as recorded. */
  readonly servers: number | undefined;
  readonly mode: Mode;
}

/** Network cards there are, Gbit/s. */
export const GIGABITS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400] as const;
export const MOST_SERVERS = 16;

const BYTES_PER_GIGABIT = 1e9 / 8;

/** What a trace lets one ask: parameter servers where it sent anything to one. */
export const modesOf = ({ profiled }: ScaleoutBasis): readonly Mode[] => (profiled.hasServers ? MODES : ['allreduce']);

export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  async: 'parameter servers, each worker at its own pace',
  sync: 'parameter servers, all workers in step',
  allreduce: 'all-reduce',
};

/** What the section itself was asked for. */
export const firstChoice = ({ options }: ScaleoutBasis, mode: Mode): ClusterChoice => ({
  gigabits: (options.bandwidth ?? Number.NaN) / BYTES_PER_GIGABIT,
  servers: undefined,
  mode,
});

/** What `venturi predict` is asked with the same options. */
export const optionsOf = ({ options }: ScaleoutBasis, { gigabits, servers, mode }: ClusterChoice): ClusterOptions => ({
  ...options,
  bandwidth: gigabits * BYTES_PER_GIGABIT,
  mode,
  ...(servers === undefined || mode === 'allreduce' ? {} : { servers: [servers] }),
});

/** The command that prints the same. */
export function commandOf(
  trace: string,
  { options }: ScaleoutBasis,
  workers: readonly number[],
  { gigabits, servers, mode }: ClusterChoice,
): string {
  return [
    `venturi predict ${shellWord(trace)} --replicas ${workers.join(',')} --bandwidth ${gigabits}Gbit --mode ${mode}`,
    ...(servers === undefined || mode === 'allreduce' ? [] : [`--servers ${servers}`]),
    ...(options.steps === undefined ? [] : [`--steps ${options.steps}`]),
  ].join(' ');
}
