import type { JSX } from 'preact';
import { changesText } from '../../src/model/loader-changes.ts';
import type { TuneProgramResult } from '../../src/report/results/program-tuning.ts';
import { ComparedBars } from '../compare/compared-bars.tsx';
import { comparedTrials } from '../compare/compared-rows.ts';

/** A loader as it is and with the settings that were tried: what was measured, and what was forecast. */
export const TrialsView = ({ data }: { readonly data: TuneProgramResult }): JSX.Element | null =>
  data.trials.length === 0 ? null : (
    <ComparedBars
      group={comparedTrials(data)}
      names={['as it is', ...data.trials.map(({ changes }) => changesText(changes))]}
    />
  );
