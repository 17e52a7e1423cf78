import { machineOf } from '../../model/host.ts';
import type { RunManifest } from '../../model/run.ts';
import type { Warning, WarningCode } from '../../model/warnings.ts';
import { coreCount } from '../../report/format.ts';

export const when = (isSo: boolean, code: WarningCode, message: string): Warning[] => (isSo ? [{ code, message }] : []);

/** Cautions of any comparison with the first run: another machine, or a recording that was cut. */
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
