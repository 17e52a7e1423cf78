import { wholeNumber } from '../../model/option.ts';
import type { OperatorOptions } from '../description/operator-options.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';

/** The whole numbers from 0 to `count` - 1, or from `start` in steps of `step`. */
export function range(
  count: number,
  options: OperatorOptions & { readonly start?: number; readonly step?: number } = {},
): Pipeline<number> {
  const series = { count: wholeNumber('range', 'count', count, 0), start: options.start ?? 0, step: options.step ?? 1 };
  return sourcePipeline('range', series, { series }, options);
}
