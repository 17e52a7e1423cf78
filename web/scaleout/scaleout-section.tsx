import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import type { SectionOf } from '../../src/report/page/document.ts';
import type { ScaleoutBasis } from '../../src/report/page/scaleout-basis.ts';
import type { ClusterPrediction } from '../../src/report/results/cluster-prediction.ts';
import { clusterPredictionReport } from '../../src/report/views/cluster-prediction.ts';
import { Copy } from '../copy.tsx';
import { Report } from '../sections/report.tsx';
import {
  type ClusterChoice,
  commandOf,
  firstChoice,
  GIGABITS,
  MODE_WORDS,
  MOST_SERVERS,
  modesOf,
  optionsOf,
} from './cluster-choice.ts';
import { ScaleoutView } from './scaleout-view.tsx';
import { simulateBeside } from './simulation-worker.ts';

/** While a slider moves, no simulation is worth its start. */
const PAUSE_MS = 150;

/** Throughput on clusters; other ones are simulated here, where the page has what that takes. */
export function ScaleoutSection({ section }: { readonly section: SectionOf<'cluster-prediction'> }): JSX.Element {
  const { data, extras, blocks } = section;
  return extras === undefined ? (
    <Report blocks={blocks} drawing={<ScaleoutView data={data} />} />
  ) : (
    <Simulated data={data} basis={extras} />
  );
}

function Simulated({ data, basis }: { readonly data: ClusterPrediction; readonly basis: ScaleoutBasis }): JSX.Element {
  const first = firstChoice(basis, data.whatIf.mode);
  const choice = useSignal<ClusterChoice>(first);
  const prediction = useSignal(data);
  const status = useSignal('');
  useSignalEffect(() => {
    const asked = choice.value;
    if (asked.gigabits === first.gigabits && asked.servers === undefined && asked.mode === first.mode) {
      prediction.value = data;
      status.value = '';
      return undefined;
    }
    status.value = 'simulating …';
    let stop = (): void => undefined;
    const timer = setTimeout(() => {
      stop = simulateBeside({ basis, options: optionsOf(basis, asked) }, told => {
        if (told.kind === 'progress') status.value = `${told.done} of ${told.of} simulations`;
        else if (told.kind === 'failed') status.value = `This could not be simulated: ${told.message}`;
        else {
          prediction.value = { ...data, ...told.simulated };
          status.value = '';
        }
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  });
  const command = commandOf(data.folder, basis, data.whatIf.workers, choice.value);
  const change = (part: Partial<ClusterChoice>): void => {
    choice.value = { ...choice.value, ...part };
  };
  return (
    <>
      <div class="sliders">
        <Sliders choice={choice.value} basis={basis} change={change} />
        <div class="sliders-foot">
          <code>{command}</code>
          <Copy text={command} />
          <output class="muted">{status.value}</output>
        </div>
      </div>
      <div aria-busy={status.value !== ''} class={status.value === '' ? '' : 'stale'}>
        <Report blocks={clusterPredictionReport(prediction.value)} drawing={<ScaleoutView data={prediction.value} />} />
      </div>
    </>
  );
}

function Sliders({
  choice: { gigabits, servers, mode },
  basis,
  change,
}: {
  readonly choice: ClusterChoice;
  readonly basis: ScaleoutBasis;
  readonly change: (part: Partial<ClusterChoice>) => void;
}): JSX.Element {
  const modes = modesOf(basis);
  const at = GIGABITS.findIndex(each => each >= gigabits);
  const serverWords = servers === undefined ? `as recorded: ${basis.profiled.servers}` : String(servers);
  return (
    <>
      <label class="range changed">
        <span>Bandwidth of a host</span>
        <input
          type="range"
          name="bandwidth"
          min={0}
          max={GIGABITS.length - 1}
          value={at}
          aria-valuetext={`${gigabits} Gbit/s`}
          onInput={event => change({ gigabits: GIGABITS[Number(event.currentTarget.value)] ?? gigabits })}
        />
        <output>{gigabits} Gbit/s</output>
      </label>
      {modes.length < 2 || mode === 'allreduce' ? null : (
        <label class={servers === undefined ? 'range' : 'range changed'}>
          <span>Parameter servers</span>
          <input
            type="range"
            name="servers"
            min={0}
            max={MOST_SERVERS}
            value={servers ?? 0}
            aria-valuetext={serverWords}
            onInput={event => change({ servers: Number(event.currentTarget.value) || undefined })}
          />
          <output>{serverWords}</output>
        </label>
      )}
      {modes.length < 2 ? null : (
        <fieldset class="levels">
          <legend class="unseen">How workers share what they learn</legend>
          {modes.map(each => (
            <label key={each}>
              <input type="radio" name="mode" checked={each === mode} onChange={() => change({ mode: each })} />
              {MODE_WORDS[each]}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
