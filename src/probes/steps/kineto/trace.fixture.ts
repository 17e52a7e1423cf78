import type { StepTrace } from '../../../model/step-trace.ts';
import { importKineto } from './import.ts';

/** An event of a trace made for a test: times in µs. */
export interface FakeEvent {
  readonly cat: string;
  readonly name: string;
  readonly at: number | string;
  readonly for: number | string;
  readonly thread?: number;
  readonly stream?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

const MAIN_THREAD = 7000;

/** A trace of the PyTorch profiler as text. Times can be given as text, for digits that a number has not. */
export function kinetoText(events: readonly FakeEvent[], members: Readonly<Record<string, unknown>> = {}): string {
  const lines = events.map(({ cat, name, at, for: duration, thread = MAIN_THREAD, stream, args = {} }) => {
    const place = stream === undefined ? { pid: MAIN_THREAD, tid: thread } : { pid: 0, tid: stream };
    const all = stream === undefined ? args : { device: 0, stream, ...args };
    const head = JSON.stringify({ ph: 'X', cat, name, ...place }).slice(0, -1);
    return `${head}, "ts": ${at}, "dur": ${duration}, "args": ${JSON.stringify(all)}}`;
  });
  const head = JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: 'GPU' }], ...members }).slice(
    0,
    -1,
  );
  return `${head}, "traceEvents": [\n${lines.join(',\n')}\n]}`;
}

export const imported = (text: string, stepMarker?: string): Promise<StepTrace> =>
  importKineto([new TextEncoder().encode(text)], { path: 'trace.json', stepMarker });

/**
 * Two steps of 1 ms: a batch, an operator that launches a kernel, backward in another thread, and a call that waits for the device.
 */
export const twoSteps: readonly FakeEvent[] = [0, 1].flatMap(step => {
  const at = 1000 * step;
  const id = 10 * step;
  return [
    { cat: 'user_annotation', name: `ProfilerStep#${step + 1}`, at, for: 999 },
    { cat: 'user_annotation', name: 'enumerate(DataLoader)#_Iter.__next__', at: at + 10, for: 200 },
    { cat: 'cpu_op', name: 'aten::mm', at: at + 250, for: 50 },
    { cat: 'cuda_runtime', name: 'cudaLaunchKernel', at: at + 260, for: 10, args: { correlation: id + 1 } },
    { cat: 'kernel', name: 'gemm', at: at + 275, for: 100, stream: 7, args: { correlation: id + 1 } },
    { cat: 'cpu_op', name: 'autograd::engine', at: at + 320, for: 80, thread: 7001 },
    {
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      at: at + 330,
      for: 10,
      thread: 7001,
      args: { correlation: id + 2 },
    },
    { cat: 'kernel', name: 'gemm_backward', at: at + 376, for: 300, stream: 7, args: { correlation: id + 2 } },
    { cat: 'cuda_runtime', name: 'cudaDeviceSynchronize', at: at + 500, for: 180, args: { correlation: id + 3 } },
  ];
});
