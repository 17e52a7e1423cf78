import type { DescribedPipeline } from '../../../../engine/api/planned.ts';
import { VenturiError } from '../../../../model/errors.ts';
import type { Operator } from '../../../../model/graph.ts';
import type { TuneOptions } from './options.ts';
import { interrupted } from './trials.ts';

/** Trials do what the pipeline does, again and again: sinks of which nobody says that this is harmless need a yes. */
export async function checkConsent(
  { effects }: Pick<DescribedPipeline, 'effects'>,
  { sideEffects, signal, onSideEffects }: Pick<TuneOptions, 'sideEffects' | 'signal' | 'onSideEffects'>,
): Promise<void> {
  if (effects.length === 0 || sideEffects === 'allow') return;
  const agreed = sideEffects !== 'refuse' && (await onSideEffects?.(effects));
  if (signal?.aborted === true) throw interrupted();
  if (agreed === true) return;
  const names = effects.map(nameOf).join(', ');
  const [has, it] = effects.length === 1 ? ['has effects', 'it'] : ['have effects', 'them'];
  throw new VenturiError(
    'VENTURI_SIDE_EFFECTS',
    `Tuning runs the pipeline several times, and ${names} ${has} that it could not take back.`,
    {
      remedy:
        `Where they may be had, on data that is made for it for example: --side-effects allow, or sideEffects: 'allow' in code. ` +
        `Where trials do no harm, declare ${it} harmless: true.`,
    },
  );
}

const nameOf = ({ id, location }: Operator): string => `'${id}'${location === undefined ? '' : ` (${location})`}`;
