import { OP_WORK, type StepTrace } from '../../model/step-trace.ts';
import { type ExportTable, smallTable } from './export-table.ts';

/** Tables of a trace of training steps; times count from its own beginning. */
export const stepTables = (trace: StepTrace): ExportTable[] => [
  ...smallTable('ranks', trace.ranks),
  ...smallTable('resources', trace.resources),
  ...smallTable(
    'steps',
    trace.steps.map(({ rank, number, start, duration }) => ({ rank, number, start_ns: start, duration_ns: duration })),
  ),
  opTable(trace),
];

const opTable = ({ ops, resources, steps }: StepTrace): ExportTable => ({
  name: 'ops',
  columns: new Map([
    ['name', 'string'],
    ['work', 'string'],
    ['resource', 'string'],
    ['kind', 'string'],
    ['rank', 'int64'],
    ['step', 'int64'],
    ['start_ns', 'double'],
    ['duration_ns', 'double'],
    ['bytes', 'double'],
  ]),
  *rows() {
    for (let op = 0; op < ops.count; op++) {
      const resource = resources[ops.resource[op] ?? -1];
      const bytes = ops.bytes[op] ?? Number.NaN;
      yield [
        ops.names[ops.name[op] ?? -1],
        OP_WORK[ops.work[op] ?? 0],
        resource?.name,
        resource?.kind,
        resource?.rank,
        steps[ops.step[op] ?? -1]?.number,
        ops.start[op],
        ops.duration[op],
        Number.isNaN(bytes) ? undefined : bytes,
      ];
    }
  },
});
