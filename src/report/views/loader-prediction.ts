import { changesText } from '../../model/loader-changes.ts';
import type { LoaderAssumption, LoaderForecast } from '../../prediction/loader/forecast.ts';
import { heading, list, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { byteSize, decimal, interval, orBlank, percent, plural, rate, time } from '../format.ts';
import { rateRange } from '../intervals.ts';
import type { LoaderPrediction, ProgramPrediction } from '../results/program-prediction.ts';
import type { Block, Report } from '../tree.ts';
import { problemBlocks } from './problems.ts';
import { besideOthers } from './run-words.ts';
import { whatIfWords } from './what-if.ts';

/** Line one: the best setting and its forecast; then a forecast for each number of workers. */
export function loaderPredictionReport(prediction: ProgramPrediction): Report {
  return [
    ...prediction.loaders.flatMap(loader => loaderBlocks(loader, prediction)),
    ...problemBlocks(prediction.problems),
  ];
}

function loaderBlocks(loader: LoaderPrediction, prediction: ProgramPrediction): Block[] {
  const { choice, measured, recorded, ownError, assumptions } = loader;
  const isRecorded = ({ setting }: LoaderForecast): boolean => setting.workers === recorded.workers;
  const isBest = ({ setting }: LoaderForecast): boolean => setting.workers === choice.best.setting.workers;
  return [
    { type: 'verdict', text: sentence(loader, prediction), fix: fixOf(loader) },
    paragraph(
      `Recorded at num_workers ${recorded.workers}: ${rate(measured)}; the model predicts ${rate(measured / ownError)} for that setting.`,
      'muted',
    ),
    heading(loader.loader, `by simulation, ${overEpochs(choice.best)}; * is advised`),
    table(loader.forecasts, [
      figures(
        'num_workers',
        forecast =>
          `${forecast.setting.workers}${isRecorded(forecast) ? ' (recorded)' : ''}${isBest(forecast) ? ' *' : ''}`,
      ),
      figures('elements/s', forecast => decimal(forecast.rate.estimate)),
      figures('band', forecast => bandOf(forecast.rate)),
      figures('consumer waits', ({ waitShare }) => percent(waitShare)),
      names('limited by', ({ memory, bound }) =>
        memory.short === undefined ? BOUNDS[bound] : `${SHORT[memory.short]} does not suffice`,
      ),
      optional(figures('steady', ({ steady }) => decimal(steady.estimate))),
      optional(figures('start-up', ({ setting, start }) => (setting.workers === 0 ? '' : time(start)))),
      optional(figures('first epoch', ({ passes }) => orBlank(time, passes?.first))),
      optional(figures('later epochs', ({ passes }) => orBlank(time, passes?.later))),
      optional(figures('waiting band', ({ waitBand }) => `${percent(waitBand.low)} to ${percent(waitBand.high)}`)),
      optional(figures('/dev/shm', ({ memory }) => sizeOf(memory.sharedMemory))),
      optional(figures('worker memory', ({ memory }) => sizeOf(memory.workers))),
    ]),
    heading('Assumptions'),
    list(assumptions.map(each => ASSUMPTIONS[each])),
  ];
}

/** The period over which a rate is the mean. */
function overEpochs({ passes }: LoaderForecast): string {
  if (passes === undefined) return 'steady state: the length of a pass is unknown';
  if (passes.program === undefined) return 'over many epochs';
  const { epochs, time: whole } = passes.program;
  return `over ${plural(epochs, 'epoch')}, ${time(whole.estimate)} with this setting`;
}

const bandOf = ({ estimate, low, high }: LoaderForecast['rate']): string =>
  Number.isNaN(estimate) ? `${decimal(low)} to ${decimal(high)}` : interval(estimate, low, high);

const sizeOf = (bytes: number): string => (bytes > 0 ? orBlank(byteSize, bytes) : '');

const BOUNDS: Readonly<Record<LoaderForecast['bound'], string>> = {
  consumer: 'the consumer',
  cores: 'cores',
  storage: 'storage',
  workers: 'workers',
  preparation: 'preparation and step in turn',
};

const SHORT = { 'shared-memory': '/dev/shm', memory: 'memory' } as const;

const ASSUMPTIONS: Readonly<Record<LoaderAssumption, string>> = {
  'storage-keeps-up': 'storage keeps up; give its bandwidth with --disk, or measure it: venturi doctor --disk FOLDER',
  'hand-over-guessed': 'transfer of batches between processes takes a typical time: num_workers 0 has none to measure',
  'pool-in-worker':
    'a worker does alone the work that a thread pool shared: a recording with num_workers=1 measures it',
  'team-beside-workers':
    'threads of a step run in lockstep, and are slowed down by workers on their cores; OMP_NUM_THREADS=1 may avoid that',
  'step-grows-with-batch': 'the step takes longer as the batch grows; --step gives its time',
  'second-threads': 'the second hardware thread of a core adds up to half of what the first delivers',
  'others-stay': 'other programs use as much of the machine as when recorded',
  'epochs-unknown': 'many epochs: their number was not recorded, so one-time costs do not count; --epochs gives it',
  'start-unknown': 'workers start in a typical time: none was started in this recording',
  'few-batches': 'the few batches recorded are typical: --batches 200 would tell more',
  'memory-unknown': 'memory suffices: the recording does not say what a batch or a worker takes',
};

function sentence(loader: LoaderPrediction, { host, whatIf }: ProgramPrediction): string {
  return `${besideOthers(loader.othersBusy, host.coresUsable)}${promise(loader, whatIfWords(whatIf))}`;
}

function promise({ loader, choice, measured }: LoaderPrediction, asked: string): string {
  const { best, factor } = choice;
  const subject = asked === '' ? loader : `${loader} with ${asked}`;
  if (Number.isNaN(best.rate.estimate) || Number.isNaN(factor))
    return `${subject} has no forecast: the recording allows ${rateRange(best.rate)}, too wide an interval; ${rate(measured)} was recorded. Record more batches: --batches 200, on a quiet machine`;
  const much = `${rate(best.rate.estimate)} (${rateRange(best.rate)})`;
  if (Object.keys(choice.changes).length === 0 || factor < 1.03)
    return `${subject} is set about as well as it can be: ${much}`;
  return `${subject} could deliver ${much} instead of ${rate(asked === '' ? measured : choice.now.rate.estimate)}: ${decimal(Math.round(factor * 100) / 100)} times as much`;
}

function fixOf({ choice: { changes, heldBackBy }, location }: LoaderPrediction): string | undefined {
  const text = changesText(changes);
  const held =
    heldBackBy === undefined || heldBackBy === 'stream' ? '' : `; more workers would need more ${SHORT[heldBackBy]}`;
  if (text === '') return held === '' ? undefined : `nothing to change${held}`;
  return `${text}${location === undefined ? '' : ` (${location})`}${held}`;
}
