import type { StepTrace } from '../../../model/step-trace.ts';
import { parsedJson } from '../parsed-json.ts';
import { textMessage } from '../protobuf/text-message.ts';
import { wireMessage } from '../protobuf/wire-message.ts';
import type { StepFile } from '../step-file.ts';
import { reading, unreadable } from '../unreadable.ts';
import type { SessionRun } from './node-run.ts';
import { looksLikeStepStats } from './recognition.ts';
import { RUN_METADATA, type RunMetadata, STEP_STATS } from './run-metadata.ts';
import { sessionRun } from './session-run.ts';
import { splitCalls, timelineRuns } from './timeline.ts';
import { type TensorFlowOptions, tensorFlowTrace } from './trace.ts';

const BINARY = "TensorFlow's RunMetadata";
const TEXT = "TensorFlow's RunMetadata as text";
const TIMELINE = 'timeline of TensorFlow';
const REMEDY = 'Save it again: open(FILE, "wb").write(run_metadata.SerializeToString()).';

/** A trace of RunMetadata, each of one call of Session.run: the files of one run. */
export const importRunMetadata = (files: readonly StepFile[], options?: TensorFlowOptions): StepTrace =>
  tensorFlowTrace(files.map(binaryRun), options);

/** The same, written as text. */
export const importRunMetadataText = (files: readonly StepFile[], options?: TensorFlowOptions): StepTrace =>
  tensorFlowTrace(files.map(textRun), options);

/** A trace of timelines, which are made of RunMetadata and hold less of it. */
export const importTimeline = (files: readonly StepFile[], options?: TensorFlowOptions): StepTrace =>
  tensorFlowTrace(files.flatMap(timelineCalls), options);

function binaryRun({ name, bytes }: StepFile): SessionRun {
  const metadata = reading(name, BINARY, REMEDY, (): RunMetadata => {
    if (!looksLikeStepStats(latin1(bytes))) return wireMessage(RUN_METADATA, bytes, BINARY);
    return { step_stats: wireMessage(STEP_STATS, bytes, BINARY), partition_graphs: [] };
  });
  return sessionRun(name, metadata);
}

function textRun({ name, bytes }: StepFile): SessionRun {
  const text = new TextDecoder().decode(bytes);
  const metadata = reading(name, TEXT, 'Save it again: open(FILE, "w").write(str(run_metadata)).', (): RunMetadata => {
    const whole = textMessage({ ...RUN_METADATA, ...STEP_STATS }, text);
    const { dev_stats: devices, ...rest } = whole;
    return devices.length > 0 ? { ...rest, step_stats: { dev_stats: devices } } : rest;
  });
  return sessionRun(name, metadata);
}

function timelineCalls({ name, bytes }: StepFile): SessionRun[] {
  const document = parsedJson(name, bytes, TIMELINE);
  const events = Array.isArray(document) ? document : (document as { traceEvents?: unknown } | null)?.traceEvents;
  const remedy =
    'Make it again: open(FILE, "w").write(Timeline(run_metadata.step_stats).generate_chrome_trace_format()).';
  if (!Array.isArray(events)) throw unreadable(name, TIMELINE, 'traceEvents is no list', remedy);
  return reading(name, TIMELINE, remedy, () => splitCalls(timelineRuns(events)).map(runs => ({ file: name, runs })));
}

/** Enough to see what the bytes begin with. */
const HEAD_BYTES = 32;
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
