import { percent, plural } from '../format.ts';
import type { RunSampleReport } from '../results/run-samples.ts';
import type { Report } from '../tree.ts';
import { cautionBlocks } from './problems.ts';
import { sampleBlocks, sampleWords } from './sample-tables.ts';

/** Line one: the operator with most of the samples. `top`: symbols shown for each operator. */
export function samplesReport({ name, samples, problems }: RunSampleReport, top: number): Report {
  const [first] = samples.operators;
  const headline =
    first === undefined
      ? `${name}: none of ${plural(samples.hits, 'sample')} belongs to an operator`
      : `${name}: ${first.operator} has ${percent(first.ofOperators)} of the ${sampleWords(samples).time} of all operators; operators have ` +
        `${percent(samples.inOperators)} of ${plural(samples.hits, 'sample')}`;
  return [{ type: 'verdict', text: headline }, ...cautionBlocks(problems), ...sampleBlocks(samples, top)];
}
