/** What can be done about steps, in the words of the framework that ran them. A trace of no known framework gets those of none. */
const ADVICE = {
  input: {
    kineto:
      'More workers (num_workers, persistent_workers, pin_memory) or a cheaper preparation; venturi record -- python train.py finds the setting',
    tensorflow: 'tf.data: prefetch, num_parallel_calls of map and interleave, cache; or a cheaper preparation',
    other: 'Prepare batches ahead of their use, several at a time, or more cheaply',
  },
  launch: {
    kineto:
      'Launch less and larger work: torch.compile, CUDA graphs, a fused optimizer (fused=True), a larger batch; no .item() or .cpu() inside a step',
    tensorflow:
      'Launch less and larger work: XLA (jit_compile=True), several steps in one call (steps_per_execution), a larger batch',
    other: 'Launch less and larger work: fused operations, a larger batch; let no step wait for a value of its own',
  },
  python: {
    kineto: 'Look at what the training loop does between operators: a profile with with_stack=True shows it',
    tensorflow:
      'Look at what the training loop does between calls, and put several steps into one (steps_per_execution)',
    other: 'Look at what the training loop does between operators',
  },
  communication: {
    kineto:
      'Overlap it with backward (DDP: bucket_cap_mb, gradient_as_bucket_view; static_graph), send less (bfloat16 gradients, gradient accumulation with no_sync), or use faster links',
    tensorflow:
      'Divide parameters among more servers, send less (gradients of half precision, larger batches), or use faster links; venturi predict says what servers and links would bring',
    other: 'Overlap it with computation, send less (gradients of half precision, larger batches), or use faster links',
  },
  copy: {
    kineto:
      'pin_memory=True in the DataLoader and .to(device, non_blocking=True), a batch ahead of its use; keep on the device what is needed again',
    tensorflow:
      'Copy a batch ahead of its use (tf.data: prefetch_to_device); keep on the device what is needed again, and no operator on the host between two of the device',
    other: 'Copy from pinned memory, a batch ahead of its use; keep on the device what is needed again',
  },
  compute: {
    kineto: 'Cheaper kernels: mixed precision (torch.autocast), channels_last, torch.compile',
    tensorflow: 'Cheaper kernels: mixed precision (tf.keras.mixed_precision), XLA (jit_compile=True)',
    other: 'Cheaper kernels: mixed precision, fused operations',
  },
  later: {
    kineto: 'Profile later steps: torch.profiler.schedule(wait=2, warmup=2, active=6)',
    tensorflow: 'Profile later steps: the first ones compile, allocate and fill caches',
    other: 'Profile later steps: the first ones compile, allocate and fill caches',
  },
  more: {
    kineto: 'Profile more of them: torch.profiler.schedule(wait=2, warmup=2, active=6), and prof.step() after each',
    tensorflow:
      'Profile more of them: RunMetadata of several calls of Session.run, a file for each, in one folder that is given',
    other: 'Profile more of them',
  },
} as const;

export function stepAdvice(about: keyof typeof ADVICE, source: string): string {
  const { kineto, tensorflow, other } = ADVICE[about];
  if (source === 'kineto') return kineto;
  return source === 'tensorflow' ? tensorflow : other;
}
