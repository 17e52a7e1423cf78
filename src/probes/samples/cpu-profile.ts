import { z } from 'zod';
import { VenturiError } from '../../model/errors.ts';
import { fileName, type Sample } from './sample.ts';

/** What V8 writes: `node --cpu-prof`, or the inspector's Profiler. Moments are µs on CLOCK_MONOTONIC. */
const CpuProfileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  startTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** `CPU.date.time.PID.THREAD.number.cpuprofile`: the process, and the number Node gives its thread. */
const NAME = /\.(\d+)\.(\d+)\.\d+\.cpuprofile$/;

/** The samples of a V8 profile in the order of time. Idle ones are left out: the thread was not on a core. */
export function* cpuProfileSamples(text: string, path: string): Generator<Sample, void, undefined> {
  const profile = parse(text, path);
  const [, pid, tid] = NAME.exec(path) ?? [];
  if (pid === undefined) {
    throw new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} does not say in its name which thread it is of.`, {
      remedy: 'Keep the name that node --cpu-prof gave it: CPU.DATE.TIME.PID.THREAD.NUMBER.cpuprofile.',
    });
  }
  const frames = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      {
        symbol: functionName === '' ? '(anonymous)' : functionName,
        module: url === '' ? '[v8]' : `${fileName(url)}:${lineNumber + 1}`,
      },
    ]),
  );
  let time = profile.startTime;
  for (const [at, node] of profile.samples.entries()) {
    const delta = profile.timeDeltas[at] ?? 0;
    time += delta;
    const frame = frames.get(node);
    if (frame === undefined || frame.symbol === '(idle)') continue;
    yield {
      pid: Number(pid),
      tid: Number(tid),
      time: time * 1000,
      weight: Math.max(0, delta * 1000),
      event: 'cpu-clock',
      ...frame,
    };
  }
}

function parse(text: string, path: string): z.infer<typeof CpuProfileSchema> {
  try {
    return CpuProfileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} is not a whole V8 profile.`, {
      remedy: 'Make one with: node --cpu-prof PROGRAM',
      cause: error,
    });
  }
}
