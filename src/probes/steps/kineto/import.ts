import { z } from 'zod';
import { VenturiError } from '../../../model/errors.ts';
import { parseJson } from '../../../model/parse-json.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { EventParser } from '../chrome/event-parser.ts';
import { MalformedJson } from '../chrome/json-bytes.ts';
import { TraceParser } from '../chrome/trace-parser.ts';
import type { ImportOptions } from '../importer.ts';
import { isJson } from '../json-head.ts';
import { unreadableSteps } from '../unreadable.ts';
import { ARGUMENTS } from './arguments.ts';
import { assemble } from './assemble.ts';
import { CATEGORY } from './category.ts';
import { Collected } from './collected.ts';
import { type RawEvents, rawEvents } from './raw-events.ts';

const DistributedSchema = z.object({
  rank: z.number().int().min(0).optional(),
  world_size: z.number().int().min(1).optional(),
});
const DevicesSchema = z.array(z.object({ id: z.number().optional(), name: z.string().optional() }));

/** Steps of a trace of the PyTorch profiler, from its bytes as they come. */
export async function importKineto(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { path, stepMarker, executionTraceOf }: ImportOptions,
): Promise<StepTrace> {
  const parser = new EventParser(ARGUMENTS);
  const collected = new Collected(parser);
  const trace = new TraceParser(parser, () => collected.add());
  try {
    for await (const piece of bytes) trace.push(piece);
    trace.end();
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw unreadableSteps(path, `${error.message}, at byte ${error.at}`);
  }
  if (collected.count === 0) throw nothingIn(path, collected);
  const distributed = parseJson(DistributedSchema, trace.members.get('distributedInfo') ?? '');
  const devices = parseJson(DevicesSchema, trace.members.get('deviceProperties') ?? '') ?? [];
  const baseNs = /^\d{1,20}$/.exec(trace.members.get('baseTimeNanoseconds') ?? '')?.[0] ?? '0';
  const raw = rawEvents(collected);
  const facts = {
    path,
    rank: distributed?.rank ?? 0,
    worldSize: distributed?.world_size,
    device: devices[0]?.name,
    base: String(BigInt(baseNs) + BigInt(collected.baseMicros) * 1000n),
    stepMarker,
    executionTrace: await executionTraceOf?.(processOf(raw)),
  };
  return assemble(raw, {
    ...facts,
    met: collected.met,
    damaged: collected.damaged,
    frames: collected.frames,
  });
}

/** The process whose operators they are: a profiler records its own. */
function processOf({ count, category, track, tracks }: RawEvents): string {
  for (let event = 0; event < count; event++) {
    if (category[event] === CATEGORY.operator) return tracks[track[event] as number]?.process ?? '';
  }
  return '';
}

const nothingIn = (path: string, { met }: Collected): VenturiError =>
  new VenturiError('VENTURI_STEPS_NONE', `${path} has ${met === 0 ? 'no events' : 'no operators, kernels or calls'}.`, {
    remedy: 'Profile a few steps: torch.profiler with activities CPU and CUDA, and prof.step() after each.',
  });

/** The beginning of a file looks like a trace of the PyTorch profiler. */
export const looksLikeKineto = (head: string): boolean =>
  isJson(head) &&
  (/"(?:deviceProperties|distributedInfo|baseTimeNanoseconds|record_shapes)"/.test(head) ||
    /"cat"\s*:\s*"(?:cpu_op|user_annotation|cuda_runtime|cuda_driver|kernel|gpu_memcpy|python_function|ac2g|Operator|Runtime|Kernel)"/.test(
      head,
    ));
