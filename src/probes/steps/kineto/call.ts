/** Calls of CUDA's and HIP's runtime by what they wait for. */
export type WaitedFor = 'device' | 'stream' | 'event';

/** What a call makes the host wait for; undefined where it waits for nothing. */
export function waitOf(name: string): WaitedFor | undefined {
  const [, of] = /^(?:cuda|cu|hip)(Device|Ctx|Stream|Event)Synchronize/.exec(name) ?? [];
  if (of === 'Stream') return 'stream';
  if (of === 'Event') return 'event';
  return of === undefined ? undefined : 'device';
}

/** Makes a stream wait for an event of another. */
export const isStreamWait = (name: string): boolean => /^(?:cuda|cu|hip)StreamWaitEvent/.test(name);

/** Libraries that carry tensors from device to device; DeepEP's kernels have also been seen as `dpsk::ep::internode::dispatch_ll`. */
const CARRIES = /nccl|rccl|oneccl|hccl|mscclpp|nvshmem|rocshmem|userbuffers|deep_?ep|\bep::int(?:er|ra)node/i;
/** Kernels without such a library, as those of vLLM, SGLang and of torch's symmetric memory. */
const COLLECTIVE = /cross_device_reduce|all_?(?:reduce|gather|to_?all)|reduce_?scatter/i;

/** A kernel whose time is communication. Triton's are named after all that they were fused for, a copy before a collective among it. */
export const isCommunicationKernel = (name: string): boolean =>
  CARRIES.test(name) || (COLLECTIVE.test(name) && !name.startsWith('triton_'));

/** Communication that a thread of the host does itself, as gloo's. */
export const isHostCommunication = (name: string): boolean => /^(?:gloo|mpi|ucc):/.test(name);

/** Asks for a collective: `c10d::allreduce_`, but also `c10d::broadcast_` and the others. */
export const asksForCollective = (name: string): boolean => name.startsWith('c10d::');

/** Waits for a collective of `torch.distributed._functional_collectives`, as DTensor's and those that torch.compile traces. */
export const waitsForCollective = (name: string): boolean =>
  /^_?c10d_functional(?:_autograd)?::wait_tensor$/.test(name);

/** A collective under the name of who asks and of who does it: `allgather` of `c10d::_allgather_base_` and `gloo:all_gather`. */
export const collectiveName = (name: string): string =>
  name.slice(name.lastIndexOf(':') + 1).replace(/_|base|into_tensor|coalesced/g, '');

/** Copies what was all-reduced back to the gradients: DistributedDataParallel has waited for that before. */
export const copiesReduced = (name: string): boolean => name.endsWith('reducer::copy_bucket_to_grad');

/** The host waits for a batch of a DataLoader, or prepares it where there are no workers. */
export const isInput = (name: string): boolean => name.startsWith('enumerate(DataLoader)');
