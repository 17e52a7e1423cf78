import { type Bytes, bytes } from '../model/units.ts';
import { byteSize } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Bytes of a batch. */
const WORTH_PINNING = 1e6;

/** Batches go to a device from memory that is not pinned. */
export const unpinned: Definition<{ readonly accelerator: string; readonly batch: Bytes }> = {
  inLoader({ loader, profile, accelerator }) {
    if (accelerator !== 'cuda' || loader.settings?.pin_memory !== false) return undefined;
    if (profile === undefined || !(profile.batchBytes >= WORTH_PINNING)) return undefined;
    return {
      limits: false,
      figures: { accelerator, batch: bytes(profile.batchBytes) },
      fix: { type: 'arguments', loader: loader.name, changes: { pin_memory: true } },
    };
  },

  words: ({ figures: { batch } }, { name }) => ({
    text: `Batches of ${name}, ${byteSize(batch)} each, go to the device from memory that is not pinned: the copy cannot overlap with work`,
  }),
};
