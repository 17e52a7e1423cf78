import type { PhaseTime, StepPhases } from '../../analysis/batches/phases.ts';
import { heading } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { decimal, percent, plural, preciseTime } from '../format.ts';
import type { Block } from '../tree.ts';

const NAMES: Readonly<Record<PhaseTime['phase'], string>> = {
  fetch: 'fetch: waiting for the batch',
  copy: 'copy to the device',
  'zero-grad': 'zeroing gradients',
  forward: 'forward',
  backward: 'backward',
  optimizer: 'optimizer',
  rest: 'the rest',
};
/** Names of called modules shown in a row. */
const MOST_NAMED = 3;

/** Phases of a step, and their times. */
export function stepBlocks({ loader, steps, onDevice, phases }: StepPhases): Block[] {
  return [
    heading(
      `Step with a batch of ${loader}`,
      `${onDevice ? 'time on the device' : 'time on the host'}, by ${plural(steps, 'step')} that ${steps === 1 ? 'was' : 'were'} watched`,
    ),
    table(phases, [
      names('phase', ({ phase }) => NAMES[phase]),
      figures('mean', ({ mean }) => preciseTime(mean)),
      figures('share', ({ share }) => percent(share)),
      optional(figures('calls', ({ phase, calls }) => (phase === 'fetch' || phase === 'rest' ? '' : decimal(calls)))),
      optional(names('called', ({ of }) => of.slice(0, MOST_NAMED).join(', '))),
    ]),
  ];
}
