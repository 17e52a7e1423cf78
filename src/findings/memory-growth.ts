import { sumOf } from '../math/totals.ts';
import { type Bytes, bytes, NS_PER_SECOND, type Ns, ns, SECONDS_PER_HOUR } from '../model/units.ts';
import { byteSize, plural, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly where: 'main' | 'workers';
  readonly processes: number;
  readonly perHour: Bytes;
  /** With the bounds of its 95 % interval; undefined where no batch passed meanwhile. */
  readonly perHundredBatches: Bytes | undefined;
  readonly least: Bytes | undefined;
  readonly most: Bytes | undefined;
  /** When the machine has no more, if it goes on so. */
  readonly fullIn: Ns | undefined;
  /** It comes from pages that forked workers shared with the main process. */
  readonly isUnshared: boolean;
}

/** Memory that is not given back, of the main process or of a loader's workers together. */
export const memoryGrowth: Definition<Figures> = {
  inProgram(growths, left) {
    const growing = growths.flatMap(growth =>
      growth.perSecond === undefined ? [] : [{ ...growth, perSecond: growth.perSecond }],
    );
    // All of it comes out of the same memory.
    const together = sumOf(growing, ({ perSecond }) => perSecond.estimate);
    return growing.map(({ where, loader, processes, perSecond, perHundredBatches, isUnshared }) => ({
      limits: false,
      operators: [loader],
      figures: {
        where,
        processes,
        perHour: bytes(perSecond.estimate * SECONDS_PER_HOUR),
        perHundredBatches: perHundredBatches && bytes(perHundredBatches.estimate),
        least: perHundredBatches && bytes(perHundredBatches.low),
        most: perHundredBatches && bytes(perHundredBatches.high),
        fullIn: left > 0 ? ns((left / together) * NS_PER_SECOND) : undefined,
        isUnshared,
      },
    }));
  },

  words({ figures }, { name }) {
    const { where, processes, perHour, perHundredBatches, least, most, fullIn, isUnshared } = figures;
    const whose = where === 'main' ? 'the main process' : `${plural(processes, 'worker')} of ${name}`;
    const perBatches =
      perHundredBatches === undefined
        ? ''
        : `${byteSize(perHundredBatches)} per 100 batches (${byteSize(least ?? 0)} to ${byteSize(most ?? 0)}), `;
    const full = fullIn === undefined ? '' : `; memory is exhausted in about ${time(fullIn)}`;
    const why = isUnshared
      ? ': pages shared with the main process are copied (copy on write), because reading a Python object writes its reference count'
      : '';
    return {
      text: `Memory of ${whose} grows by ${perBatches}${byteSize(perHour)} an hour${full}${why}`,
      advice: isUnshared
        ? 'Keep what the dataset holds in arrays or tensors, not in Python lists, dicts or strings, whose reference counts are written on every read'
        : where === 'main'
          ? 'Look for what each step keeps: losses with their graph (use .item() or .detach()), lists that grow, caches'
          : 'Look for what the dataset keeps of each element: caches, open files, lists that grow',
    };
  },
};
