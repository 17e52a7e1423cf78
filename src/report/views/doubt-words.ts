import type { Doubt } from '../../prediction/cost/model.ts';

/** Why a forecast cannot be told, and what would settle it; to follow a colon. */
export function doubtWords(doubt: Doubt, label: (id: string) => string): string {
  switch (doubt.kind) {
    case 'short':
      return 'the recording is too short or too uneven; record longer, with --for 30s';
    case 'disturbed':
      return 'the recorded rate is far from what its own demands lead to, as where other programs use the machine; record again on a quiet one';
    case 'handing-varies':
      return 'what handing on takes depends too much on the kind of elements and on how few are in a chunk; venturi tune tries it';
    case 'costs-unmeasured':
      return 'nobody measured what handing elements on costs here; venturi doctor --costs does, and what is recorded afterwards has it';
    case 'never-busy':
      return `no element passed ${label(doubt.operator)} in the recording; record a run in which some do`;
    case 'cache-unfilled':
      return `${label(doubt.operator)} was not full before the recording ended; record at least two passes`;
  }
}
