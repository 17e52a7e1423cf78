/** What an event of the PyTorch profiler is, whatever it was called when the trace was written. */
export const CATEGORY = {
  /** Left out: arrows, summaries, marks. */
  none: 0,
  annotation: 1,
  operator: 2,
  runtime: 3,
  kernel: 4,
  copy: 5,
  sync: 6,
  /** Left out, and counted: frames of Python stacks. */
  frame: 7,
} as const;
export type Category = (typeof CATEGORY)[keyof typeof CATEGORY];

/** Names of categories in lower case: those of 2021 (`Operator`), of 2022 and of today, and of other devices than NVIDIA's. */
const NAMES: Readonly<Record<string, Category>> = {
  user_annotation: CATEGORY.annotation,
  operator: CATEGORY.operator,
  cpu_op: CATEGORY.operator,
  runtime: CATEGORY.runtime,
  cuda_runtime: CATEGORY.runtime,
  cuda_driver: CATEGORY.runtime,
  hip_runtime: CATEGORY.runtime,
  xpu_runtime: CATEGORY.runtime,
  xpu_driver: CATEGORY.runtime,
  mtia_runtime: CATEGORY.runtime,
  privateuse1_runtime: CATEGORY.runtime,
  privateuse1_driver: CATEGORY.runtime,
  kernel: CATEGORY.kernel,
  concurrent_kernel: CATEGORY.kernel,
  mtia_ccp_events: CATEGORY.kernel,
  memcpy: CATEGORY.copy,
  gpu_memcpy: CATEGORY.copy,
  memset: CATEGORY.copy,
  gpu_memset: CATEGORY.copy,
  cuda_sync: CATEGORY.sync,
  python_function: CATEGORY.frame,
};

export const categoryOf = (name: string): Category => NAMES[name.toLowerCase()] ?? CATEGORY.none;

export const isOnDevice = (category: number): boolean => category === CATEGORY.kernel || category === CATEGORY.copy;
