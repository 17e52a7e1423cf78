import { NS_PER_SECOND } from '../../model/units.ts';
import { type MetricFamily, metricFamily } from '../metric-family.ts';
import type { StepsInfo } from '../results/steps.ts';

/** The figures of training steps, as `info` has them, for monitoring. */
export function stepMetrics({ name, summary }: StepsInfo): MetricFamily[] {
  const { time, mean, launches } = summary;
  const parts = [
    ['compute', mean.compute],
    ['communication', mean.communication],
    ['copy', mean.copy],
    ['input', mean.input],
    ['host', mean.host],
  ] as const;
  const none = (): Record<string, string> => ({});
  return [
    metricFamily(
      ['venturi_trace_info', 'gauge', '1', 'The trace; always 1.'],
      [name],
      of => ({ name: of }),
      () => 1,
    ),
    metricFamily(['venturi_steps_total', 'counter', '1', 'Training steps.'], [time.count], none, count => count),
    metricFamily(
      ['venturi_step_seconds', 'gauge', 's', 'Duration of a step, mean.'],
      [time.mean],
      none,
      ns => ns / NS_PER_SECOND,
    ),
    metricFamily(
      [
        'venturi_step_part_seconds',
        'gauge',
        's',
        'What a step does or waits for, mean; communication and copies where nothing is computed meanwhile.',
      ],
      parts,
      ([part]) => ({ part }),
      ([, ns]) => ns / NS_PER_SECOND,
    ),
    metricFamily(
      ['venturi_step_launch_queue', 'gauge', '1', 'Launches that wait in the queue of a device, mean.'],
      launches === undefined ? [] : [launches.queueMean],
      none,
      length => length,
    ),
  ].filter(({ points }) => points.length > 0);
}
