import type { Cluster, StepSettings } from './cluster.ts';

/** As a TensorFlow job with one parameter server is set up, without what has to be measured. */
export const STEP_SETTINGS: StepSettings = {
  servers: 1,
  partition: 'round-robin',
  order: 'recorded',
  overhead: { perByte: 0, perMessage: 0 },
  parse: 'worker',
  orderSeed: 1,
};

/** Workers that are all the same, on links of one speed; what is given differs from that. */
export function clusterOf(
  given: Partial<Cluster> & Pick<Cluster, 'workers'> & { readonly bandwidth: number; readonly servers?: number },
): Cluster {
  const { bandwidth, servers = 1, ...rest } = given;
  const { workers, perHost = 1 } = rest;
  return {
    mode: 'async',
    serverBandwidths: Array.from({ length: servers }, () => bandwidth),
    hostBandwidths: Array.from({ length: Math.ceil(workers / perHost) }, () => bandwidth),
    perHost,
    window: Number.POSITIVE_INFINITY,
    multiplexing: 'rr',
    lanes: 1,
    speeds: [],
    straggling: undefined,
    input: undefined,
    pause: 0,
    starts: [],
    allReduceTime: undefined,
    ...rest,
  };
}
