import { prometheusText } from '../../report/prometheus.ts';
import { runMetrics } from '../../report/views/run-metrics.ts';
import { stepMetrics } from '../../report/views/step-metrics.ts';
import { runInfo } from '../info.ts';
import { stepsInfo } from '../targets/steps/info.ts';
import type { Exporter } from './exporter.ts';

const OVER_TIME = 'all that changes over time: figures are those of the whole';

/** Figures of a run at its end for Prometheus. */
export const prometheusExporter: Exporter = {
  async run({ folder }, { out, files }) {
    await files.write(out, prometheusText(runMetrics(await runInfo(folder))));
    return { leftOut: [OVER_TIME] };
  },
  async steps(opened, { out, files }) {
    await files.write(out, prometheusText(stepMetrics(stepsInfo(opened))));
    return { leftOut: [OVER_TIME] };
  },
  takes: [],
};
