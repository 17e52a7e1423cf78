/** A device of TensorFlow, by the parts of its name. */
export interface Device {
  /** Process that it belongs to, `/job:worker/task:0`; undefined where the name has none, as streams of older versions. */
  readonly task: string | undefined;
  readonly job: string;
  readonly taskNumber: number;
  /** `cpu`, `gpu`, `tpu` …; '' where the name has none. */
  readonly type: string;
  readonly number: number;
  /** What a profiler saw on the device itself: `stream:7`, `stream:all`, `memcpy`. */
  readonly stream: string | undefined;
}

/** Names of jobs that hold parameters, as TensorFlow's own guides have them and as people do. */
const SERVER_JOB = /^(ps|parameter_?servers?|servers?)$/i;

/** `/job:worker/replica:0/task:0/device:CPU:0`, `/job:ps/task:1/cpu:0`, `/gpu:0/stream:14`, `/device:GPU:0/memcpy`. */
export function parseDevice(text: string): Device {
  let [job, taskNumber, type, number]: [string, number, string, number] = ['', 0, '', 0];
  let stream: string | undefined;
  for (const part of text.split('/', 8)) {
    const [name = '', first = '', second] = part.split(':', 3);
    if (name === 'job') job = first;
    else if (name === 'task') taskNumber = wholeOf(first);
    else if (name === 'stream' || name === 'memcpy') stream = part;
    else if (name === 'device') [type, number] = [first.toLowerCase(), wholeOf(second ?? '')];
    else if (name !== '' && name !== 'replica') [type, number] = [name.toLowerCase(), wholeOf(first)];
  }
  return { task: job === '' ? undefined : `/job:${job}/task:${taskNumber}`, job, taskNumber, type, number, stream };
}

const wholeOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

export const isServerJob = (job: string): boolean => SERVER_JOB.test(job);

/** What a profiler saw on a device itself, not what was launched there. */
export const isStream = (device: string): boolean => /\/(?:stream:|memcpy)/.test(device);
