import { heading, list, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { percent, plural, preciseTime, time, timeInterval } from '../format.ts';
import type { InputForecast, InputPrediction } from '../results/input-prediction.ts';
import type { Report } from '../tree.ts';

const BOUNDS: Readonly<Record<InputForecast['bound'], string>> = {
  consumer: 'the step itself',
  cores: 'cores',
  storage: 'storage',
  workers: 'workers',
  preparation: 'preparation',
};

/** Line one: how much shorter steps can become; then a row for each number of workers. */
export function inputPredictionReport({ name, recorded, forecasts, whatIf }: InputPrediction): Report {
  return [
    { type: 'verdict', text: sentence(recorded, forecasts) },
    paragraph(
      `${name}: ${plural(recorded.steps, 'step')} of ${time(recorded.step)}, of which the input takes ${time(recorded.input)}`,
      'muted',
    ),
    heading('Step by number of workers', 'by simulation'),
    table(forecasts, [
      figures('num_workers', ({ workers }) => `${workers}${workers === 0 ? ' (recorded)' : ''}`),
      figures('step', ({ step }) => preciseTime(step.estimate)),
      figures('band', ({ step }) => `${preciseTime(step.low)} to ${preciseTime(step.high)}`),
      figures('waits for input', ({ waitShare }) => percent(waitShare)),
      names('limited by', ({ bound }) => BOUNDS[bound]),
    ]),
    heading('Assumptions'),
    list([
      ...(whatIf.cores === undefined ? ['Every worker has a core of its own: --cores says how many there are.'] : []),
      'Storage delivers as much to several workers as to one.',
      'Handing a batch over to another process costs what is usual: a trace without workers does not show it.',
      'The profiler slows the host down: without it, steps are shorter, before and after.',
    ]),
  ];
}

function sentence(recorded: InputPrediction['recorded'], forecasts: readonly InputForecast[]): string {
  const [best] = forecasts
    .filter(({ step }) => Number.isFinite(step.estimate))
    .sort((a, b) => a.step.estimate - b.step.estimate);
  if (best === undefined || best.workers === 0) {
    return `A step takes ${time(recorded.step)}; steps differ too much from each other to say what workers would bring`;
  }
  const { estimate, low, high } = best.step;
  return `With num_workers=${best.workers} a step would take ${timeInterval(estimate, low, high)} instead of ${time(recorded.step)}, limited by ${BOUNDS[best.bound]}`;
}
