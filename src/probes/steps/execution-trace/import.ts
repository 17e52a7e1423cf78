import { VenturiError } from '../../../model/errors.ts';

/** It has no times. */
export function refuseExecutionTraceAlone(file: string): never {
  throw new VenturiError('VENTURI_STEPS_NONE', `${file} is an execution trace of PyTorch, which has no times.`, {
    remedy: 'Give the trace that torch.profiler exported of the same run.',
  });
}
