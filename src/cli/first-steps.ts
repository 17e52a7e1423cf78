import { heading, paragraph } from '../report/blocks.ts';
import type { Report } from '../report/tree.ts';

/** Output of `venturi` without arguments. */
export const FIRST_STEPS: Report = [
  { type: 'verdict', text: 'Venturi finds the narrow place in a dataflow pipeline.' },
  heading('Start here'),
  {
    type: 'table',
    columns: [
      { title: 'command', align: 'left' },
      { title: 'what it does', align: 'left' },
    ],
    rows: [
      ['venturi demo', 'try it: a pipeline over generated images'],
      ['venturi run my.ts --record first', 'run your own pipeline and record it'],
      ['venturi record -- python train.py', 'record the DataLoaders of a PyTorch program'],
      ['venturi diagnose first', 'say what limits it, and what to change'],
      ['venturi predict first --cores 16', 'say how fast it could be'],
      ['venturi tune my.ts', 'make it faster: plan changes, and try them'],
      ['venturi info first', 'show where a recorded run spent its time'],
      ['venturi doctor', 'check what works on this machine'],
    ],
  },
  paragraph('All verbs: venturi help. One verb: venturi help run.', 'muted'),
];
