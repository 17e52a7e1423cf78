import { VenturiError } from '../../model/errors.ts';
import { describe } from '../../model/option.ts';
import { defineOperator } from '../description/extension.ts';
import { Pipeline } from '../description/pipeline.ts';
import { type Parcel, writeBatch } from './batch-writer.ts';

/** What comes behind the last batch of a pass. */
export const PASS_END = 'end of pass';
export type Handed = Parcel | typeof PASS_END;

const passEnd = defineOperator<Parcel, Handed>({
  kind: 'pass-end',
  open: () => ({ element: parcel => [parcel], end: () => [PASS_END] }),
});

/** Batches written into slots by the lanes that make them, and the ends of passes among them. */
export function handedOver(built: unknown, path: string): Pipeline<Handed> {
  if (!(built instanceof Pipeline)) {
    throw new VenturiError(
      'VENTURI_NOT_A_PIPELINE',
      `the function of ${path} returned ${describe(built)}, not a pipeline`,
      {
        remedy: 'return what range(), lines(), files() … and their operators give',
      },
    );
  }
  return built.map(writeBatch, { name: 'hand-over', random: false, borrow: true }).apply(passEnd, { name: 'pass-end' });
}
