import type { OperatorTimeRow } from '../../analysis/batches/summary.ts';
import { type Share, share } from '../../model/units.ts';

/** Work on an element that gives the same result in every pass. */
export interface RepeatedWork {
  readonly operators: readonly string[];
  /** The last of them. */
  readonly until: string;
  /** Their part of all the work. */
  readonly share: Share;
}

/** Transforms of torchvision that draw nothing at random. Any other may: then what comes after it cannot be kept. */
const STEADY = new Set([
  'Resize',
  'CenterCrop',
  'FiveCrop',
  'TenCrop',
  'Pad',
  'Grayscale',
  'ToTensor',
  'PILToTensor',
  'ToImage',
  'ToPILImage',
  'ToDtype',
  'ToPureTensor',
  'ConvertImageDtype',
  'Normalize',
]);

const isSteady = ({ kind, operator }: OperatorTimeRow): boolean =>
  kind === 'open' || kind === 'decode' || (kind === 'transform' && STEADY.has(operator.replace(/#\d+$/, '')));

/** Opening, decoding and the transforms up to the first that may be random. Undefined where there is nothing of it. */
export function repeatedWork(rows: readonly OperatorTimeRow[]): RepeatedWork | undefined {
  const onElements = rows.filter(({ kind }) => kind !== 'dataset' && kind !== 'collate');
  const end = onElements.findIndex(row => !isSteady(row));
  const steady = end === -1 ? onElements : onElements.slice(0, end);
  const last = steady.at(-1);
  if (last === undefined) return undefined;
  return {
    operators: steady.map(({ operator }) => operator),
    until: last.operator,
    share: share(steady.reduce((sum, row) => sum + row.share, 0)),
  };
}
