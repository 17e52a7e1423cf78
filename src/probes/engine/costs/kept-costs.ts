import { type PipelineCosts, PipelineCostsSchema } from '../../../model/pipeline-costs.ts';
import { readHost } from '../../host/host.ts';
import { type KeptMeasurement, readKept } from '../../host/kept-measurement.ts';

/** For so long a machine is what it was; and for so long it is as busy as it was. */
const KEPT_MS = 24 * 3600_000;
const KEPT_WHEN_BUSY_MS = 600_000;

/** Costs of this machine, for the cores that this process may use. They are those of one version's channels on one version of Node. */
export function keptCosts(writer: string): KeptMeasurement<PipelineCosts> {
  const { cpuModel, coresUsable, memoryUsable, runtime } = readHost();
  return {
    name: 'pipeline-costs',
    facts: [writer, runtime, cpuModel, String(coresUsable), String(memoryUsable)],
    schema: PipelineCostsSchema,
    keptMs: KEPT_MS,
    keptWhenBusyMs: KEPT_WHEN_BUSY_MS,
  };
}

/** What is known of this machine; undefined where it was not measured of late. */
export const keptPipelineCosts = (writer: string): PipelineCosts | undefined => readKept(keptCosts(writer));
