import type { VirtualDescription } from './pipeline.mjs';

export function ocrJob(instances: {
  readonly ocr: number;
  readonly pdf: number;
  readonly index: number;
  readonly documents?: number;
  readonly seed?: number;
}): VirtualDescription;
