import type { ClusterOptions } from './cluster-request.ts';
import type { ScaleoutRequest } from './request.ts';

/** What a forecast of clusters takes for granted, because nothing was said of it. */
const CLUSTER_ASSUMPTIONS = [
  'no-overhead',
  'whole-streams',
  'no-pause',
  'alone-slower',
  'inside-free',
  'no-latency',
  'few-steps',
] as const;
export type ClusterAssumption = (typeof CLUSTER_ASSUMPTIONS)[number];

/** Steps below which their spread says little. */
const FEW_STEPS = 10;

export function clusterAssumptionsOf(
  request: ScaleoutRequest,
  steps: number,
  options: ClusterOptions,
): ClusterAssumption[] {
  const { mode, overhead, window, perHost, insideBandwidth, latency } = request;
  const hasServers = mode !== 'allreduce';
  const isFitted = options.fit === true;
  const told: readonly (readonly [ClusterAssumption, boolean])[] = [
    ['no-overhead', hasServers && !isFitted && overhead.perByte === 0 && overhead.perMessage === 0],
    ['whole-streams', hasServers && !isFitted && window === Number.POSITIVE_INFINITY],
    ['no-pause', hasServers && options.alone === undefined],
    ['alone-slower', options.alone !== undefined && request.pause === 0],
    ['inside-free', !hasServers && perHost > 1 && insideBandwidth === Number.POSITIVE_INFINITY],
    ['no-latency', !hasServers && latency === 0],
    ['few-steps', steps < FEW_STEPS],
  ];
  return told.flatMap(([assumption, holds]) => (holds ? [assumption] : []));
}
