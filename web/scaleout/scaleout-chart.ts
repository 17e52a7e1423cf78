import type { ClusterPrediction } from '../../src/report/results/cluster-prediction.ts';

/** A curve of the chart: throughput against workers, for one number of servers. */
export interface ScaleoutCurve {
  readonly servers: number;
  readonly points: readonly {
    readonly workers: number;
    readonly estimate: number;
    readonly low: number;
    readonly high: number;
  }[];
  /** Workers from which on another one brings little; undefined where that was not reached. */
  readonly saturation: number | undefined;
}

export interface ScaleoutChart {
  readonly curves: readonly ScaleoutCurve[];
  readonly mostWorkers: number;
  readonly mostThroughput: number;
  /** Throughput of a worker alone: the line that so many workers would keep to if nothing was shared. */
  readonly alone: number | undefined;
}

/** Points by servers, in the order of workers. */
export function scaleoutChart({ points, saturation }: Pick<ClusterPrediction, 'points' | 'saturation'>): ScaleoutChart {
  const servers = [...new Set(points.map(point => point.servers))];
  const curves = servers.map(
    (each): ScaleoutCurve => ({
      servers: each,
      points: points
        .filter(point => point.servers === each)
        .map(({ workers, throughput: { estimate, low, high } }) => ({ workers, estimate, low, high }))
        .sort((a, b) => a.workers - b.workers),
      saturation: saturation.find(found => found.servers === each)?.workers,
    }),
  );
  const [first] = points;
  return {
    curves,
    mostWorkers: Math.max(1, ...points.map(({ workers }) => workers)),
    mostThroughput: Math.max(0, ...points.map(({ throughput }) => throughput.high)),
    alone:
      first === undefined || !(first.efficiency > 0)
        ? undefined
        : first.throughput.estimate / first.workers / first.efficiency,
  };
}
