import { expect, it } from 'vitest';
import { isCommunicationKernel } from './call.ts';

it.each([
  'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  'void deep_ep::internode::combine<false, 4, __nv_bfloat16>(int4*)',
  'void dpsk::ep::internode::dispatch_ll<true>(void*)',
  'void vllm::cross_device_reduce_2stage<__half, 8>(RankData*)',
  'two_shot_all_reduce_kernel<c10::BFloat16, 16>',
  'void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>()',
])('%s communicates', name => {
  expect(isCommunicationKernel(name)).toBe(true);
});

it.each([
  'triton_poi_fused__to_copy_all_gather_into_tensor_2',
  'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>()',
  'void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u>()',
  'void at::native::_scatter_gather_elementwise_kernel<128, 8>()',
])('%s computes', name => {
  expect(isCommunicationKernel(name)).toBe(false);
});
