import { VenturiError } from '../../../model/errors.ts';
import type { StepFile } from '../step-file.ts';
import { reading } from '../unreadable.ts';
import { type ExecutionNodes, executionNodes } from './nodes.ts';

/** The operators of an execution trace of PyTorch, which say what a trace of its profiler of the same run depends on. */
export const importExecutionTrace = ({ name, bytes }: StepFile): ExecutionNodes =>
  reading(
    name,
    'execution trace of PyTorch',
    'Record it again: an ExecutionTraceObserver, handed to torch.profiler.profile as execution_trace_observer.',
    () => executionNodes(bytes),
  );

/** It has no times. */
export function refuseExecutionTraceAlone(file: string): never {
  throw new VenturiError('VENTURI_STEPS_NONE', `${file} is an execution trace of PyTorch, which has no times.`, {
    remedy:
      'Give the trace that torch.profiler exported of the same run; this one beside it adds what depends on what.',
  });
}
