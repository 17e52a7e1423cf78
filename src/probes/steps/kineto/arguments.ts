import type { EventParser } from '../chrome/event-parser.ts';

/** Arguments of events that are looked at. */
export const ARGUMENTS = [
  'correlation',
  'device',
  'stream',
  'bytes',
  'wait_on_stream',
  'wait_on_cuda_event_record_corr_id',
  'Collective name',
  'In msg nelems',
  'Out msg nelems',
  'dtype',
  'Group size',
  'Process Group Name',
  'Process Group Ranks',
  'Input Dims',
  'Input type',
  'Record function id',
  'External id',
] as const;
type Argument = (typeof ARGUMENTS)[number];
export type KinetoParser = EventParser<Argument>;
