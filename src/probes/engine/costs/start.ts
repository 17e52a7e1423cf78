import { loadPipeline } from '../../../engine/api/load.ts';
import type { PipelineCosts } from '../../../model/pipeline-costs.ts';
import { costOf } from './cost-of.ts';

const FEW = 1;
const MANY = 3;

/** What a lane takes to start: what a pipeline of many lanes and one element takes, less what one of few does. */
export async function measureStart(rounds: number): Promise<Pick<PipelineCosts, 'start'>> {
  const { definition, dispose } = await loadPipeline(new URL('./start-pipeline.js', import.meta.url));
  try {
    const once = async (lanes: number): Promise<{ readonly cpuNs: number; readonly delayNs: number }> => {
      const cpu = process.cpuUsage();
      const began = performance.now();
      let delayNs = 0;
      await definition.run({ params: { lanes } }).forEach(() => {
        delayNs = (performance.now() - began) * 1e6;
      });
      const { user, system } = process.cpuUsage(cpu);
      return { cpuNs: (user + system) * 1000, delayNs };
    };
    const cpuNs: number[] = [];
    const delayNs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const few = await once(FEW);
      const many = await once(MANY);
      cpuNs.push((many.cpuNs - few.cpuNs) / (MANY - FEW));
      delayNs.push(few.delayNs);
    }
    return { start: { cpuNs: costOf(cpuNs), delayNs: costOf(delayNs) } };
  } finally {
    await dispose();
  }
}
