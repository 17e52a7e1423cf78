import { VenturiError } from '../../../model/errors.ts';
import { type ClusterOptions, requestFor } from '../../../prediction/scaleout/cluster-request.ts';
import { stepsOf } from '../../../prediction/scaleout/steps-of.ts';
import { paragraph } from '../../../report/blocks.ts';
import type { PageSection } from '../../../report/page/document.ts';
import { affordableSteps, isTooLarge, USUAL_BANDWIDTH } from '../../../report/page/scaleout-basis.ts';
import { clusterPredictionReport } from '../../../report/views/cluster-prediction.ts';
import { stepsDiagnosisReport } from '../../../report/views/steps-report.ts';
import type { PageSectionMaker } from '../target.ts';
import { judgeSteps } from './judge.ts';
import { clusterPredictionOf, inputBeside } from './predict.ts';
import { type OpenedSteps, openSteps } from './read.ts';

/** What limits training steps, and what they would come to on clusters where they send anything to others. The trace is read once. */
export function stepsSections(path: string): PageSectionMaker[] {
  let opening: Promise<OpenedSteps> | undefined;
  const opened = (): Promise<OpenedSteps> => {
    opening ??= openSteps(path, undefined);
    return opening;
  };
  return [
    async () => {
      const data = judgeSteps(await opened());
      const blocks = stepsDiagnosisReport(data);
      return { kind: 'steps-diagnosis', id: 'diagnosis', title: 'What limits it', blocks, data };
    },
    async () => clusterSection(await opened()),
  ];
}

const ASSUMED =
  'A trace does not tell how fast the network of a cluster is: 10 Gbit/s are assumed. For another: venturi predict TRACE --replicas 1..8 --bandwidth 25Gbit';

/** Undefined where nothing is sent. */
async function clusterSection(opened: OpenedSteps): Promise<PageSection | undefined> {
  const profiled = stepsOf(opened.trace, 1);
  if (!profiled.hasServers && !profiled.hasCollectives) return undefined;
  if (isTooLarge(profiled)) {
    throw new VenturiError('VENTURI_GRAPH_TOO_LARGE', 'The trace has too many ops for a page to simulate clusters.', {
      remedy: `Forecast them apart: venturi predict ${opened.heading.name} --replicas 1..8 --bandwidth 10Gbit`,
    });
  }
  const bandwidth = USUAL_BANDWIDTH;
  const input = await inputBeside(opened.heading.folder);
  const steps = affordableSteps(profiled.profile, requestFor({ bandwidth }, profiled, undefined, input));
  const options: ClusterOptions = { bandwidth, ...(steps === undefined ? {} : { steps }) };
  const data = await clusterPredictionOf(opened, options);
  return {
    kind: 'cluster-prediction',
    id: 'scaleout',
    title: 'On a cluster',
    blocks: [...clusterPredictionReport(data), paragraph(ASSUMED, 'muted')],
    data,
    extras: { profiled, input, options },
  };
}
