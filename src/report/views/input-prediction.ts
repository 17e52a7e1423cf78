import { WORTHWHILE } from '../../prediction/thresholds.ts';
import { heading, list, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { byteSize, percent, plural, preciseTime, time, timeInterval } from '../format.ts';
import type { InputForecast, InputPrediction, JoinedRecording } from '../results/input-prediction.ts';
import type { Report } from '../tree.ts';
import { cautionBlocks } from './problems.ts';

const BOUNDS: Readonly<Record<InputForecast['bound'], string>> = {
  consumer: 'the step itself',
  cores: 'cores',
  storage: 'storage',
  workers: 'workers',
  preparation: 'preparation',
};

/** Line one: how much shorter steps can become; then a row for each number of workers. */
export function inputPredictionReport(prediction: InputPrediction): Report {
  const { name, recorded, forecasts, whatIf, joined, problems } = prediction;
  return [
    { type: 'verdict', text: sentence(recorded, forecasts) },
    ...cautionBlocks(problems),
    paragraph(
      joined === undefined
        ? `${name}: ${plural(recorded.steps, 'step')} of ${time(recorded.step)}, of which the input takes ${time(recorded.input)}`
        : `${joined.name}: ${plural(recorded.steps, 'step')} of ${time(recorded.step)} with num_workers=${recorded.workers}; preparing a batch takes ${time(recorded.input)}`,
      'muted',
    ),
    heading('Step by number of workers', 'by simulation'),
    table(forecasts, [
      figures('num_workers', ({ workers }) => `${workers}${workers === recorded.workers ? ' (recorded)' : ''}`),
      figures('step', ({ step }) => preciseTime(step.estimate)),
      figures('band', ({ step }) => `${preciseTime(step.low)} to ${preciseTime(step.high)}`),
      figures('waits for input', ({ waitShare }) => percent(waitShare)),
      names('limited by', ({ bound }) => BOUNDS[bound]),
    ]),
    heading('Assumptions'),
    list(joined === undefined ? assumptionsOfTrace(whatIf.cores) : assumptionsOfBoth(joined, name)),
  ];
}

const assumptionsOfTrace = (cores: number | undefined): string[] => [
  ...(cores === undefined ? ['Every worker has a core of its own: --cores says how many there are.'] : []),
  'Storage delivers as much to several workers as to one.',
  'Handing a batch over to another process costs what is usual: a trace without workers does not show it.',
  'The profiler slows the host down: without it, steps are shorter, before and after.',
];

/** Sizes of one batch that are this far apart are hardly of one job. */
const APART = 2;

function assumptionsOfBoth(
  { name, loader, device, batchBytes, copiedBytes }: JoinedRecording,
  trace: string,
): string[] {
  const ofStep =
    device === undefined
      ? `Preparation, cores and steps are those of ${name}, and so is the device's time, which it has itself.`
      : device === 0
        ? `Preparation, cores and steps are those of ${name}: ${trace} has no device.`
        : `Preparation, cores and the host's part of steps are those of ${name}; the device works on each for ${time(device)}, as in ${trace}.`;
  const times = copiedBytes / batchBytes;
  const isApart = copiedBytes > 0 && (times > APART || times < 1 / APART);
  return [
    ofStep,
    'Storage delivers as much to several workers as to one.',
    ...(isApart
      ? [
          `They are of one job, though ${trace} copies ${byteSize(copiedBytes)} to the device in a step and a batch of ${loader} has ${byteSize(batchBytes)}.`,
        ]
      : []),
  ];
}

function sentence(recorded: InputPrediction['recorded'], forecasts: readonly InputForecast[]): string {
  const told = forecasts.filter(({ step }) => Number.isFinite(step.estimate)).sort((a, b) => a.workers - b.workers);
  const shortest = Math.min(...told.map(({ step }) => step.estimate));
  // The fewest workers that come near enough to the most that any bring.
  const best = told.find(({ step }) => step.estimate <= (1 + WORTHWHILE) * shortest);
  if (best !== undefined && best.workers === recorded.workers) {
    return `No other number of workers makes a step shorter than ${time(recorded.step)}, with num_workers=${recorded.workers}`;
  }
  if (best === undefined) {
    return `A step takes ${time(recorded.step)}; steps differ too much from each other to say what workers would bring`;
  }
  const { estimate, low, high } = best.step;
  return `With num_workers=${best.workers} a step would take ${timeInterval(estimate, low, high)} instead of ${time(recorded.step)}, limited by ${BOUNDS[best.bound]}`;
}
