import { paragraph } from '../blocks.ts';
import { byteSize, count, decimal } from '../format.ts';
import type { DoctorReport } from '../results/doctor.ts';
import type { ListItem, Report } from '../tree.ts';

const MARKS = { ok: 'good', limited: 'warn', missing: 'bad' } as const satisfies Record<string, ListItem['mark']>;

export function doctorReport({ host, checks }: DoctorReport): Report {
  const have = (status: keyof typeof MARKS): number => checks.filter(check => check.status === status).length;
  const rest = [
    ...(have('limited') > 0 ? [`${have('limited')} limited`] : []),
    ...(have('missing') > 0 ? [`${have('missing')} missing`] : []),
  ];
  const machine = [
    `${host.platform} ${host.arch} ${host.kernel}`,
    host.runtime,
    ...(host.cpuModel === '' ? [] : [host.cpuModel]),
    `${decimal(host.coresUsable)} of ${count(host.coresPresent)} cores usable`,
    `${byteSize(host.memoryUsable)} of ${byteSize(host.memoryPresent)} of memory usable`,
  ];
  return [
    {
      type: 'verdict',
      text: `${have('ok')} of ${checks.length} checks are fine here${rest.length > 0 ? `; ${rest.join(', ')}` : ''}`,
    },
    paragraph(machine.join(' · '), 'muted'),
    {
      type: 'list',
      items: checks.map(({ title, status, detail, remedy }) => ({
        text: `${title}${status === 'ok' ? '' : ` (${status})`}: ${detail}`,
        mark: MARKS[status],
        remedy,
      })),
    },
  ];
}
