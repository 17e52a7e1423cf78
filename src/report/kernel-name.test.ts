import { expect, it } from 'vitest';
import { kernelName } from './kernel-name.ts';

it.each([
  ['volta_sgemm_64x64_nt', 'volta_sgemm_64x64_nt'],
  ['Memcpy HtoD (Pinned -> Device)', 'Memcpy HtoD (Pinned -> Device)'],
  ['void cudnn::bn_bw_1C11_kernel_new<float, float>(float, float const*)', 'cudnn::bn_bw_1C11_kernel_new'],
  [
    'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<float>>(int)',
    'at::native::multi_tensor_apply_kernel<BinaryOpListAlphaFunctor>',
  ],
  ['ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)', 'ncclKernel_AllReduce_RING_LL_Sum_float'],
  ['<lambda>', '<lambda>'],
  ['k'.repeat(5000), `${'k'.repeat(119)}…`],
  ['enumerate(DataLoader)#_Iter.__next__', 'enumerate(DataLoader)#_Iter.__next__'],
])('%s is called %s', (name, short) => {
  expect(kernelName(name)).toBe(short);
});
