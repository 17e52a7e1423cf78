import { machineOf } from '../../model/host.ts';
import type { RunManifest } from '../../model/run.ts';
import type { Warning, WarningCode } from '../../model/warnings.ts';
import { coreCount } from '../../report/format.ts';

/** Share of the cores in use by other programs that is worth a caution. */
export const MUCH = 0.2;

export const when = (isSo: boolean, code: WarningCode, message: string): Warning[] => (isSo ? [{ code, message }] : []);

/** What makes a run hard to compare with the first, whatever ran: another machine, or a recording that was cut. */
export function machineCautions(manifest: RunManifest, first: RunManifest, isComplete: boolean): Warning[] {
  const { name } = manifest;
  const [host, firstHost] = [machineOf(manifest), machineOf(first)];
  const model = `${name} ran on another machine: ${host.cpuModel}, not ${firstHost.cpuModel}.`;
  const cores = `${name} had ${coreCount(host.coresUsable)}, ${first.name} ${firstHost.coresUsable}.`;
  return [
    ...when(host.cpuModel !== firstHost.cpuModel, 'VENTURI_WARN_OTHER_MACHINE', model),
    ...when(host.coresUsable !== firstHost.coresUsable, 'VENTURI_WARN_OTHER_MACHINE', cores),
    ...when(!isComplete, 'VENTURI_WARN_INCOMPLETE', `${name} is incomplete.`),
  ];
}
