import { Names, type ProfileStacks } from './stacks.ts';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

/** A file for speedscope: a sampled profile per lane, over shared frames. */
export function speedscopeFile({ name, nsPerSample, lanes }: ProfileStacks, exporter: string): object {
  const frames = new Names();
  const profiles = lanes.map(({ lane, samples }) => {
    const stacks = samples.map(({ stack }) => stack.map(frame => frames.of(frame)));
    const weights = samples.map(({ time }, at) => {
      const next = samples[at + 1]?.time;
      return next === undefined ? nsPerSample : Math.max(0, next - time);
    });
    const startValue = samples[0]?.time ?? 0;
    const endValue = startValue + weights.reduce((sum, weight) => sum + weight, 0);
    return { type: 'sampled', name: lane, unit: 'nanoseconds', startValue, endValue, samples: stacks, weights };
  });
  return {
    $schema: SCHEMA,
    name,
    exporter,
    activeProfileIndex: 0,
    shared: { frames: frames.list.map(each => ({ name: each })) },
    profiles,
  };
}
