import type { Analysis } from '../../../analysis/analysis.ts';
import { engineRules } from '../../../engine/compile/fusing.ts';
import { shapeOf } from '../../../engine/compile/graph.ts';
import { whyUnsound } from '../../../graph/soundness.ts';
import { topologyOf } from '../../../graph/topology.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import type { PipelinePlan } from '../../../model/plan.ts';
import type { RunManifest } from '../../../model/run.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import { type Arrangement, arrange } from '../../../prediction/cost/arrangement.ts';
import type { CostModel } from '../../../prediction/cost/model.ts';
import { outlook } from '../../../prediction/cost/outlook.ts';
import type { WhatIf } from '../../../prediction/cost/resources.ts';
import type { Prediction } from '../../../report/results/prediction.ts';
import { openRun } from '../../../store/run-reader.ts';
import { refuseLargeGraph } from '../../graph-limit.ts';
import { loadPlan } from '../../plan-file.ts';
import { problemsOf } from '../../run-heading.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';

export interface PredictRequest extends WhatIf {
  /** The one operator whose elements are counted. */
  readonly root?: string | undefined;
  /** A plan to forecast, or its file; else the lanes that the ceiling needs. */
  readonly plan?: GivenPlan | string | undefined;
}

/** The most that a recorded pipeline could deliver, there and on other resources. */
export async function predict(path: string, request: PredictRequest = {}): Promise<Prediction> {
  const { root, ...asked } = request;
  refuseLargeGraph(openRun(path).manifest, 'forecast');
  return predictionOf(await analyseRun(path, { root }), asked);
}

export function predictionOf(
  { run, manifest, analysis }: AnalysedRun,
  request: Omit<PredictRequest, 'root'>,
): Prediction {
  const { plan, ...whatIf } = request;
  if (!(analysis.rates.completions > 0) || !(analysis.rates.totalDemand.estimate > 0)) {
    throw new VenturiError(
      'VENTURI_RUN_EMPTY',
      `No element left the pipeline of ${run.folder} in its steady part: there is nothing to forecast from.`,
      { remedy: 'Record a longer run: --epochs 10, or --for 10s on a pipeline that repeats.' },
    );
  }
  if (whatIf.step !== undefined && analysis.rates.consumer === undefined) {
    throw new VenturiError('VENTURI_BAD_OPTION', 'Nobody takes the elements of this pipeline: they end in sinks.', {
      remedy: 'Leave out --step.',
    });
  }
  return {
    schemaVersion: 1,
    name: manifest.name,
    folder: run.folder,
    seconds: analysis.durationNs / NS_PER_SECOND,
    measured: analysis.rates.rate,
    ends: analysis.rates.ends,
    host: machineOf(manifest),
    cpu: analysis.rates.cpu,
    graph: analysis.graph,
    whatIf,
    asRecorded: outlook(analysis).ceiling,
    ...outlook(analysis, whatIf, arrangedBy(analysis, manifest, typeof plan === 'string' ? loadPlan(plan) : plan)),
    problems: problemsOf(run),
  };
}

/** A plan, or changes alone: these fit every pipeline that has the operators. */
type GivenPlan = Pick<PipelinePlan, 'changes'> & Partial<Pick<PipelinePlan, 'pipeline'>>;

/** The arrangement that a plan leads to. Refused is what the engine would refuse. */
function arrangedBy(
  { graph }: Analysis,
  { settings: { plan: recordedPlan } }: RunManifest,
  plan: GivenPlan | undefined,
): ((model: CostModel) => Arrangement) | undefined {
  if (plan === undefined) return undefined;
  // Epochs belong to a run, not to the pipeline.
  const written = graph.operators.filter(({ epochs }) => epochs !== true);
  const actions = plan.changes.map(({ action }) => action);
  const other = actions.find(({ operator }) => written.every(({ id }) => id !== operator));
  if (other !== undefined) throw otherPipeline(`it changes '${other.operator}', which is not in the recording`);
  if (plan.pipeline !== undefined && plan.pipeline.shape !== shapeOf(written)) {
    throw otherPipeline(
      recordedPlan === undefined
        ? 'the operators of the recording are connected otherwise'
        : 'the recording is of the pipeline with a plan, which has added operators or taken some out',
    );
  }
  const topology = topologyOf(graph.operators);
  for (const action of actions) {
    const at = topology.at(action.operator);
    const why = at === undefined ? undefined : whyUnsound(topology, at, action);
    if (why === undefined) continue;
    throw new VenturiError('VENTURI_PLAN_UNSOUND', `the plan's ${action.kind} at '${action.operator}': ${why}`, {
      remedy: 'take this change out of the plan, or make the plan anew: venturi tune PIPELINE --out plan.json',
    });
  }
  return model => arrange(model, actions, { rules: engineRules() });
}

const otherPipeline = (why: string): VenturiError =>
  new VenturiError('VENTURI_PLAN_OTHER_PIPELINE', `the plan was made for another pipeline: ${why}`, {
    remedy:
      'give a plan that was made for the recorded pipeline, and a recording without a plan: venturi tune PIPELINE --out plan.json',
  });
