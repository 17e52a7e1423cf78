import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { rateWithin } from '../../src/report/intervals.ts';
import type { PipelineTuneResult, TriedPlan } from '../../src/report/results/tuning.ts';
import { GraphDrawing } from '../graph/graph-drawing.tsx';
import { planGraph } from './plan-graph.ts';

/** A pipeline as it was and with a plan: the one that was best, or any that was tried. */
export function PlanView({ data }: { readonly data: PipelineTuneResult }): JSX.Element | null {
  const { before, tried, best } = data;
  const shown = useSignal(best ?? 0);
  const plan = tried[shown.value];
  if (plan === undefined) return null;
  return (
    <>
      {tried.length < 2 ? null : (
        <fieldset class="levels">
          <legend class="unseen">Plan that is shown</legend>
          {tried.map((_, at) => (
            <label key={at}>
              <input
                type="radio"
                name="plan"
                checked={shown.value === at}
                onChange={() => {
                  shown.value = at;
                }}
              />
              plan {at + 1}
              {at === best ? ', the best' : ''}
            </label>
          ))}
        </fieldset>
      )}
      <Sides before={before} plan={plan} />
    </>
  );
}

function Sides({ before, plan }: { readonly before: TriedPlan; readonly plan: TriedPlan }): JSX.Element {
  const graphs = useMemo(
    () => [planGraph(before, plan, 'before', plan.graph), planGraph(plan, plan, 'after', before.graph)] as const,
    [before, plan],
  );
  return (
    <div class="plan-sides">
      {([before, plan] as const).map((side, at) => {
        const graph = graphs[at];
        return (
          <section key={at} aria-label={at === 0 ? 'As it is' : 'With the plan'}>
            <h3>
              {at === 0 ? 'As it is' : 'With the plan'}
              <small>{rateWithin(side.measured)} measured</small>
            </h3>
            {graph === undefined ? (
              <p class="muted">Too many operators for a drawing: the tables below have them.</p>
            ) : (
              <GraphDrawing
                graph={graph}
                title={`Stages ${at === 0 ? 'as they are' : 'with the plan'}, upstream first`}
              />
            )}
          </section>
        );
      })}
    </div>
  );
}
