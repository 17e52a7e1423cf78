import { keptPipelineCosts } from '../probes/engine/costs/kept-costs.ts';
import { measurePipelineCosts } from '../probes/engine/costs/measure.ts';
import type { CostsReport } from '../report/results/costs.ts';
import { VERSION } from './version.ts';

const WRITER = `venturi ${VERSION}`;

/** Measures what a pipeline's lanes cost on this machine beside the work of their operators. */
export async function measureCosts(): Promise<CostsReport> {
  return { schemaVersion: 1, costs: await measurePipelineCosts(WRITER) };
}

/** Sees to it that they are known: recordings have them in their host from then on. Where they cannot be measured, none has. */
export async function ensureCosts(onMeasure: () => void): Promise<void> {
  if (keptPipelineCosts(WRITER) !== undefined) return;
  onMeasure();
  try {
    await measurePipelineCosts(WRITER);
  } catch {
    // A system that allows no threads, or too little memory: forecasts do without.
  }
}
