import type { JSX } from 'preact';
import type { StageRates } from '../../src/analysis/rates/rates.ts';
import { percent, plural } from '../../src/report/format.ts';
import type { PipelineComparison } from '../../src/report/results/comparison.ts';
import { LeftOut, MOST_ROWS, Scrolled } from '../blocks.tsx';
import { mainStates, STATE_WORDS, StateLegend, StateRects, stateWords } from '../state-bar.tsx';
import { stagesBeside } from './stage-pairs.ts';

const WIDTH = 200;

/** What the lanes of each stage did with their time, run by run. */
export function StagesBeside({
  comparison: { runs },
  stages,
}: {
  readonly comparison: PipelineComparison;
  readonly stages: readonly (readonly StageRates[])[];
}): JSX.Element {
  const labels = new Map(runs.flatMap(({ graph }) => graph.operators.map(({ id, label }) => [id, label])));
  const rows = stagesBeside(stages);
  return (
    <>
      <h3>
        Stages side by side <small>what their lanes did with their time</small>
      </h3>
      <Scrolled label="States of stages by run">
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">stage</th>
              {runs.map(({ name }, at) => (
                <th key={at} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">largest difference</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map(({ operators, each, change }) => (
              <tr key={operators.join(' ')}>
                <td>{operators.map(id => labels.get(id) ?? id).join(' + ')}</td>
                {each.map((stage, at) => (
                  <td key={at}>
                    {stage === undefined ? (
                      <span class="muted">not in this run</span>
                    ) : (
                      <>
                        <svg width={WIDTH} height={12} role="img">
                          <title>{stateWords(stage.states)}</title>
                          <StateRects states={stage.states} x={0} y={0} width={WIDTH} height={12} />
                        </svg>
                        <br />
                        <small class="muted">
                          {[plural(stage.lanes, 'lane'), mainStates(stage.states) || 'no state recorded'].join(' · ')}
                        </small>
                      </>
                    )}
                  </td>
                ))}
                <td>
                  {change === undefined
                    ? ''
                    : `${STATE_WORDS[change.state]}: ${percent(change.from)} → ${percent(change.to)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <LeftOut shown={Math.min(rows.length, MOST_ROWS)} of={rows.length} />
      </Scrolled>
      <StateLegend />
    </>
  );
}
