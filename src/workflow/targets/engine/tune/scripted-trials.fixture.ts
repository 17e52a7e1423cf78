import type { Analysis } from '../../../../analysis/analysis.ts';
import { coresLeft } from '../../../../analysis/rates/cores-left.ts';
import { HOST } from '../../../../analysis/records.fixture.ts';
import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import { describePipeline } from '../../../../engine/api/planned.ts';
import { kindText } from '../../../../model/kind.ts';
import { cores, NS_PER_SECOND, ns } from '../../../../model/units.ts';
import { type Recorded, recorded } from '../../../../tuning/recorded.fixture.ts';
import type { Trial, TrialRequest } from './trial.ts';

/** What a trial is to show. */
export interface Scripted {
  /** Elements per second. */
  readonly rate: number;
  /** Half of the rate's interval, in parts of it. */
  readonly error?: number;
  /** Cores that other programs use. */
  readonly others?: number;
  /** Seconds after which the pipeline came to its end; else it is stopped. */
  readonly flowed?: number;
  /** Of these, the seconds in which it flowed evenly; else as many as the recording says. */
  readonly steady?: number;
}

/** The costs of a pipeline's maps, in ms; everything else takes next to nothing. */
export function recordedOf<P, T>(definition: PipelineDefinition<P, T>, map: Omit<Recorded, 'id'>): Analysis {
  const { operators } = describePipeline(definition);
  return recorded(
    operators.map(({ id, kind, ...more }): Recorded => {
      const its = kindText(kind) === 'map' ? map : { ms: 0.01 };
      return { id, kind: kindText(kind), ...its, more: { ...more, ...its.more } };
    }),
  );
}

/** A trial that nobody ran: a recording in which elements came at another rate. */
export function scriptedTrial(analysis: Analysis, request: TrialRequest, scripted: Scripted): Trial {
  const { rate, error = 0.02, others = 0 } = scripted;
  const interval = { estimate: rate, low: rate * (1 - error), high: rate * (1 + error), confidence: 0.9 };
  const { busy } = analysis.rates.cpu;
  const cpu = { ...analysis.rates.cpu, others: cores(others), left: coresLeft(HOST, busy, others) };
  const { steady } = analysis.rates;
  const to = scripted.steady === undefined ? steady.to : ns(steady.from + scripted.steady * NS_PER_SECOND);
  return {
    run: { folder: request.record, problems: [] } as unknown as Trial['run'],
    manifest: { host: HOST } as unknown as Trial['manifest'],
    analysis: { ...analysis, rates: { ...analysis.rates, rate: interval, cpu, steady: { ...steady, to } } },
    completed: scripted.flowed !== undefined,
    flowed: scripted.flowed ?? request.seconds,
  };
}
