import { stepsOf } from '../../../prediction/scaleout/steps-of.ts';
import { paragraph } from '../../../report/blocks.ts';
import { MOST_PROFILE, type ScaleoutBasis, USUAL_BANDWIDTH } from '../../../report/page/scaleout-basis.ts';
import { clusterPredictionReport } from '../../../report/views/cluster-prediction.ts';
import { stepsDiagnosisReport } from '../../../report/views/steps-report.ts';
import type { PageSectionMaker } from '../target.ts';
import { judgeSteps } from './judge.ts';
import { inputBeside, predictCluster } from './predict.ts';
import { openSteps } from './read.ts';

const ASSUMED =
  'A trace does not tell how fast the network of a cluster is: 10 Gbit/s are assumed. For another: venturi predict TRACE --replicas 1..8 --bandwidth 25Gbit';

/** What limits training steps, and what they would come to on clusters where they send anything to others. */
export const stepsSections = (path: string): PageSectionMaker[] => [
  async () => {
    const data = await judgeSteps(path);
    const blocks = stepsDiagnosisReport(data);
    return { kind: 'steps-diagnosis', id: 'diagnosis', title: 'What limits it', blocks, data };
  },
  async () => {
    const profiled = stepsOf((await openSteps(path, undefined)).trace, 1);
    if (!profiled.hasServers && !profiled.hasCollectives) return undefined;
    const options = { bandwidth: USUAL_BANDWIDTH };
    const data = await predictCluster(path, options);
    const basis: ScaleoutBasis = { profiled, input: await inputBeside(path), options };
    const isSmall = JSON.stringify(profiled).length <= MOST_PROFILE;
    return {
      kind: 'cluster-prediction',
      id: 'scaleout',
      title: 'On a cluster',
      blocks: [...clusterPredictionReport(data), paragraph(ASSUMED, 'muted')],
      data,
      ...(isSmall ? { extras: basis } : {}),
    };
  },
];
